/** Adapters in the form of the PEFT library: adapter_config.json and adapter_model.safetensors. */
import type { Device } from "../compute/index.ts";
import type { ModelConfig } from "./config.ts";
import { linearShapes } from "./layout.ts";
import { AdapterError, LoraAdapter, loraName } from "./lora.ts";
import { Safetensors, writeSafetensors } from "./weights/safetensors.ts";

const PREFIX = "base_model.model.";

/** `base_model.model.<module>.lora_A.weight` and the like: the name of an adapter parameter in a PEFT file. */
export function peftName(parameter: string): string {
  return PREFIX + parameter;
}

export interface PeftFiles {
  /** Text of adapter_config.json. */
  config: string;
  /** Bytes of adapter_model.safetensors. */
  weights: Uint8Array;
}

interface PeftConfig {
  r: number;
  lora_alpha: number;
  target_modules: string[] | string;
  [option: string]: unknown;
}

/** Options that change the mathematics in ways we do not follow, with the values that leave it as it is. */
const NEUTRAL: Record<string, (value: unknown) => boolean> = {
  use_rslora: (v) => v === false,
  use_dora: (v) => v === false,
  use_qalora: (v) => v === false,
  bias: (v) => v === "none",
  lora_bias: (v) => v === false,
  fan_in_fan_out: (v) => v === false,
  rank_pattern: isEmpty,
  alpha_pattern: isEmpty,
  modules_to_save: isEmpty,
  layer_replication: isEmpty,
  trainable_token_indices: isEmpty,
  target_parameters: isEmpty,
};

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** Reads an adapter for a model. Throws `AdapterError` if it is for another one or uses unsupported options. */
export function readPeft(device: Device, config: ModelConfig, files: PeftFiles): LoraAdapter {
  const peft = parsePeftConfig(files.config);
  const file = Safetensors.parse(files.weights, "adapter_model.safetensors");
  const { r: rank, lora_alpha: alpha } = peft;

  const shapes = linearShapes(config);
  const known = new Set(shapes.flatMap(({ module }) => [peftName(loraName(module, "A")), peftName(loraName(module, "B"))]));
  for (const name of file.names) {
    if (!known.has(name)) throw new AdapterError(`the adapter is for another model: ${file.file} holds ${name}, which has no place in this model`);
  }
  const adapted = shapes.filter(({ module }) => {
    const a = file.has(peftName(loraName(module, "A")));
    const b = file.has(peftName(loraName(module, "B")));
    if (a !== b) throw new AdapterError(`${file.file}: ${peftName(loraName(module, a ? "B" : "A"))} is missing`);
    if (a && Array.isArray(peft.target_modules) && !isTarget(module, peft)) throw new AdapterError(`${file.file} holds weights for ${module}, which adapter_config.json does not target`);
    if (!a && isTarget(module, peft)) throw new AdapterError(`the adapter is for another model, or incomplete: adapter_config.json targets ${module}, but ${file.file} holds no weights for it`);
    return a;
  });
  if (adapted.length === 0) throw new AdapterError(`${file.file} adapts no layer of this model`);
  for (const { module, inputs, outputs } of adapted) {
    for (const [half, expected] of [["A", [rank, inputs]], ["B", [outputs, rank]]] as const) {
      const name = peftName(loraName(module, half));
      const shape = file.shape(name);
      if (shape.join() !== expected.join()) throw new AdapterError(`the adapter is for another model: ${name} has shape [${shape}], expected [${expected}]`);
    }
  }
  const pairs = adapted.map(({ module, inputs, outputs }) => [
    module,
    {
      a: device.upload(file.float32(peftName(loraName(module, "A"))), [rank, inputs]),
      b: device.upload(file.float32(peftName(loraName(module, "B"))), [outputs, rank]),
    },
  ] as const);
  return new LoraAdapter(device, { rank, alpha }, pairs);
}

/** The adapter as PEFT reads it, in F32. `baseModel` is the name or path of the base model, for the record. */
export async function writePeft(adapter: LoraAdapter, baseModel: string): Promise<PeftFiles> {
  const targets = [...new Set(adapter.modules.map((module) => module.slice(module.lastIndexOf(".") + 1)))].toSorted();
  const config = {
    peft_type: "LORA",
    task_type: "CAUSAL_LM",
    base_model_name_or_path: baseModel,
    r: adapter.options.rank,
    lora_alpha: adapter.options.alpha,
    lora_dropout: 0,
    bias: "none",
    use_rslora: false,
    use_dora: false,
    fan_in_fan_out: false,
    inference_mode: true,
    target_modules: targets,
  };
  const tensors = [...(await adapter.parameters.read())].map(([name, tensor]) => [peftName(name), tensor] as const);
  return { config: `${JSON.stringify(config, null, 2)}\n`, weights: writeSafetensors(tensors, "F32", { format: "pt" }) };
}

function parsePeftConfig(text: string): PeftConfig {
  let json: Record<string, unknown>;
  try {
    json = JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    throw new AdapterError(`adapter_config.json is not JSON: ${(error as Error).message}`);
  }
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw new AdapterError("adapter_config.json must hold one object");
  if (json.peft_type !== "LORA") throw new AdapterError(`adapter_config.json: peft_type ${JSON.stringify(json.peft_type ?? null)} is not supported; only "LORA" is`);
  if (!Number.isSafeInteger(json.r) || (json.r as number) < 1) throw new AdapterError(`adapter_config.json: r must be a positive whole number, not ${JSON.stringify(json.r ?? null)}`);
  if (typeof json.lora_alpha !== "number" || !(json.lora_alpha > 0)) throw new AdapterError(`adapter_config.json: lora_alpha must be a positive number, not ${JSON.stringify(json.lora_alpha ?? null)}`);
  const targets = json.target_modules;
  if (targets != null && typeof targets !== "string" && !(Array.isArray(targets) && targets.length > 0 && targets.every((target) => typeof target === "string"))) {
    throw new AdapterError(`adapter_config.json: target_modules must be a list of module names or one text, not ${JSON.stringify(targets)}`);
  }
  for (const [option, neutral] of Object.entries(NEUTRAL)) {
    if (json[option] != null && !neutral(json[option])) throw new AdapterError(`adapter_config.json: ${option} = ${JSON.stringify(json[option])} is not supported`);
  }
  return json as PeftConfig;
}

/** PEFT matches a list by the end of the module path, a string by a full regular expression; the latter is left to the file. */
function isTarget(module: string, { target_modules: targets, ...options }: PeftConfig): boolean {
  if (!Array.isArray(targets)) return targets === "all-linear";
  const layers = options.layers_to_transform;
  if (layers != null && ![layers].flat().includes(Number(module.split(".")[2]))) return false;
  return targets.some((target) => module === target || module.endsWith(`.${target}`)) && !excluded(module, options.exclude_modules);
}

function excluded(module: string, modules: unknown): boolean {
  return Array.isArray(modules) && modules.some((target) => module === target || module.endsWith(`.${target}`));
}
