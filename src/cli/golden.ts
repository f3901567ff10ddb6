/**
 * Runs a golden fixture: logits with and without the adapter, the gradient of its policy loss, one AdamW step. Of
 * expected.json only the inputs are read, so that the results can be compared from outside.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Device } from "../compute/index.ts";
import { AdamW, Decoder, type HostTensor, type ParameterSet, parseConfig, peftName, readPeft, Safetensors, type TrainBatch, writeSafetensors } from "../model/index.ts";
import { type CommandContext, CommandError, type Outcome } from "./command.ts";
import { openDevice } from "./device.ts";

interface GoldenInputs {
  /** [T] */
  tokens: number[];
  /** [T − 1], as are advantage and samplerLogprobs: entry t belongs to the prediction of token t + 1. */
  mask: number[];
  advantage: number[];
  samplerLogprobs: number[];
  adamw: { lr: number; beta1: number; beta2: number; eps: number; weightDecay: number; clipNorm: number };
}

export interface GoldenActual {
  /** What computed it: name, description, and on a GPU the number of kernels launched. */
  device: { name: string; description: string; dispatches?: number };
  /** [T − 1] log-probability of token t + 1, adapter on. */
  targetLogprobs: number[];
  /** [T] in nats. */
  entropy: number[];
  /** −Σ mask·advantage·exp(logp − samplerLogprob) / Σ mask. */
  loss: number;
  /** Before clipping. */
  gradNorm: number;
  targetLogprobsAfterStep: number[];
}

export async function golden(context: CommandContext, dir: string, options: { device: string; out: string }): Promise<Outcome> {
  const device = await openDevice(options.device);
  try {
    const actual = await runGolden(device, dir, options.out);
    context.print(`${device.name}: ${device.description}`);
    context.print(`loss ${actual.loss.toFixed(6)}, gradient norm ${actual.gradNorm.toFixed(6)}; results in ${options.out}`);
    return { ok: true, result: { device: device.name, loss: actual.loss, gradNorm: actual.gradNorm, out: options.out } };
  } finally {
    device.destroy();
  }
}

/** Writes logits.safetensors, lora_grads.safetensors, lora_after_adamw.safetensors and actual.json into `out`. */
export async function runGolden(device: Device, dir: string, out: string): Promise<GoldenActual> {
  const config = parseConfig(await text(dir, "config.json"));
  const inputs = parseInputs(await text(dir, "expected.json"));
  const bad = inputs.tokens.find((id) => !Number.isInteger(id) || id < 0 || id >= config.vocabSize);
  if (bad !== undefined) throw new CommandError(`expected.json: tokens holds ${bad}, but the model has token ids 0 to ${config.vocabSize - 1}`);
  const decoder = Decoder.load(device, config, Safetensors.parse(await bytes(dir, "model.safetensors"), join(dir, "model.safetensors")));
  const adapter = readPeft(device, config, { config: await text(dir, "adapter_config.json"), weights: await bytes(dir, "adapter_model.safetensors") });

  const ids = Int32Array.from(inputs.tokens);
  const T = ids.length;
  const logits = async (): Promise<HostTensor> => {
    const tensor = decoder.logits(ids);
    const data = (await device.read(tensor)) as Float32Array;
    tensor.free();
    return { shape: [T, config.vocabSize], data };
  };
  const base = await logits();
  decoder.adapter = adapter;
  const lora = await logits();

  // Every row is scored, for its entropy; nothing follows the last one, so its target is arbitrary and has no weight.
  const batch: TrainBatch = { ids, offsets: Int32Array.of(0, T), rows: ids.map((_, t) => t), targets: ids.map((_, t) => ids[t + 1] ?? 0) };
  const { mask, advantage, samplerLogprobs, adamw } = inputs;
  const masked = mask.reduce((a, b) => a + b, 0);
  // d loss / d logp is the term itself, because d exp(logp) = exp(logp) d logp.
  const terms = (logprobs: Float32Array): number[] => mask.map((m, t) => (-m * advantage[t] * Math.exp(logprobs[t] - samplerLogprobs[t])) / masked);
  const gradients = adapter.parameters.zeros();
  const before = await decoder.accumulate(batch, (logprobs) => Float32Array.from([...terms(logprobs), 0]), gradients);
  const gradientValues = await gradients.read();

  const { clipNorm, lr, ...settings } = adamw;
  const optimizer = new AdamW(adapter.parameters, { ...settings, clipNorm, decay: "all" });
  const { gradNorm } = await optimizer.step(gradients, lr);
  const after = await decoder.score(batch);
  const { name, description, dispatches } = device;
  const actual: GoldenActual = {
    device: { name, description, dispatches },
    targetLogprobs: [...before.logprobs.subarray(0, T - 1)],
    entropy: [...before.entropy],
    loss: terms(before.logprobs).reduce((a, b) => a + b, 0),
    gradNorm,
    targetLogprobsAfterStep: [...after.logprobs.subarray(0, T - 1)],
  };

  await mkdir(out, { recursive: true });
  await writeFile(join(out, "logits.safetensors"), writeSafetensors([["base", base], ["lora", lora]]));
  await writeFile(join(out, "lora_grads.safetensors"), writeSafetensors(underPeftNames(gradientValues)));
  await writeFile(join(out, "lora_after_adamw.safetensors"), writeSafetensors(underPeftNames(await adapter.parameters.read())));
  await writeFile(join(out, "actual.json"), JSON.stringify(actual));

  for (const each of [optimizer, gradients, adapter, decoder]) each.dispose();
  return actual;
}

function underPeftNames(values: Awaited<ReturnType<ParameterSet["read"]>>): [string, HostTensor][] {
  return [...values].map(([name, tensor]) => [peftName(name), tensor]);
}

function parseInputs(json: string): GoldenInputs {
  let inputs: GoldenInputs;
  try {
    inputs = JSON.parse(json) as GoldenInputs;
  } catch (error) {
    throw new CommandError(`expected.json is not JSON: ${(error as Error).message}`);
  }
  const numbers = (name: "tokens" | "mask" | "advantage" | "samplerLogprobs", length: number): void => {
    const list: unknown = inputs[name];
    if (!Array.isArray(list) || list.length !== length || !list.every((v) => typeof v === "number")) {
      throw new CommandError(`expected.json: ${name} must be a list of ${length} numbers`);
    }
  };
  if (!Array.isArray(inputs?.tokens) || inputs.tokens.length < 2) throw new CommandError("expected.json: tokens must be a list of at least two token ids");
  const T = inputs.tokens.length;
  numbers("tokens", T);
  for (const name of ["mask", "advantage", "samplerLogprobs"] as const) numbers(name, T - 1);
  if (inputs.mask.every((m) => m === 0)) throw new CommandError("expected.json: mask selects no token, so there is no loss");
  for (const name of ["lr", "beta1", "beta2", "eps", "weightDecay", "clipNorm"] as const) {
    if (typeof inputs.adamw?.[name] !== "number") throw new CommandError(`expected.json: adamw.${name} must be a number`);
  }
  return inputs;
}

async function bytes(dir: string, name: string): Promise<Uint8Array> {
  try {
    return await readFile(join(dir, name));
  } catch (error) {
    throw new CommandError(`cannot read ${join(dir, name)}: ${(error as Error).message}`);
  }
}

async function text(dir: string, name: string): Promise<string> {
  return new TextDecoder().decode(await bytes(dir, name));
}
