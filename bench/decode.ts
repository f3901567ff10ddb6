/**
 * Sampling speed of the generator: tokens/s of decoding at batch 1, 8 and 64, and of prefill.
 * Alone, with a random model of the embedded one's size: `npx tsx bench/decode.ts [device] [model folder]`.
 */
import { pathToFileURL } from "node:url";
import { openDevice } from "../src/cli/device.ts";
import type { CommandContext, Outcome } from "../src/cli/command.ts";
import { openSession } from "../src/cli/session.ts";
import { Random } from "../src/compute/index.ts";
import { Decoder, Generator, parseConfig } from "../src/model/index.ts";

const PROMPT_TOKENS = 256;
const NEW_TOKENS = 64;
const REPEATS = 7;
const BATCHES = [1, 8, 64];

/** 0.92 million parameters. */
const RANDOM_MODEL = JSON.stringify({
  architectures: ["Qwen3ForCausalLM"], vocab_size: 1024, hidden_size: 128, intermediate_size: 384, num_hidden_layers: 4,
  num_attention_heads: 4, num_key_value_heads: 2, head_dim: 32, rms_norm_eps: 1e-6, rope_theta: 10000,
  max_position_embeddings: 1024, tie_word_embeddings: true,
});

interface Speed {
  batch: number;
  /** tokens/s: median, slowest and fastest of the repeats. */
  median: number;
  min: number;
  max: number;
}

export interface DecodeSpeed {
  promptTokens: number;
  newTokens: number;
  /** Of one prompt. */
  prefill: Speed;
  decode: Speed[];
}

/** Measures a decoder as it is (with its adapter); every sequence has its own prompt of 256 tokens and samples 64. */
export async function benchDecode(decoder: Decoder): Promise<DecodeSpeed> {
  const contextLength = PROMPT_TOKENS + NEW_TOKENS + 16;
  const generator = new Generator(decoder, { stopTokens: [], contextLength, cacheTokens: contextLength * (Math.max(...BATCHES) + 1) });
  const random = Random.stream("bench decode");
  const prompt = () => Array.from({ length: PROMPT_TOKENS }, () => random.int(0, decoder.config.vocabSize - 1));
  const decode: Speed[] = [];
  let prefill: Speed | null = null;
  for (const batch of BATCHES) {
    const prefillSpeeds: number[] = [];
    const decodeSpeeds: number[] = [];
    // The first round only warms up.
    for (let round = 0; round <= REPEATS; round++) {
      const sequences = Array.from({ length: batch }, (_, n) => generator.open(Random.stream("bench decode", round, n), { temperature: 1, topK: 0, topP: 1 }));
      let start = performance.now();
      await Promise.all(sequences.map((sequence) => sequence.generate(prompt(), { maxTokens: 1 })));
      if (round > 0) prefillSpeeds.push((batch * PROMPT_TOKENS) / ((performance.now() - start) / 1000));
      start = performance.now();
      const turns = await Promise.all(sequences.map((sequence) => sequence.generate([], { maxTokens: NEW_TOKENS })));
      const tokens = turns.reduce((sum, { ids }) => sum + ids.length, 0);
      if (round > 0) decodeSpeeds.push(tokens / ((performance.now() - start) / 1000));
      for (const sequence of sequences) sequence.close();
    }
    prefill ??= speed(batch, prefillSpeeds);
    decode.push(speed(batch, decodeSpeeds));
  }
  generator.close();
  return { promptTokens: PROMPT_TOKENS, newTokens: NEW_TOKENS, prefill: prefill!, decode };
}

function speed(batch: number, values: number[]): Speed {
  values.sort((a, b) => a - b);
  return { batch, median: values[values.length >> 1], min: values[0], max: values[values.length - 1] };
}

export async function bench({ print }: Pick<CommandContext, "print">, options: { device: string; model?: string; adapter?: string }): Promise<Outcome> {
  const { decoder, close } = options.model ? await openSession({ ...options, model: options.model }) : await openRandom(options.device);
  try {
    const { device } = decoder;
    print(`${device.name}: ${device.description}`);
    print(`${options.model ?? "random model"}: ${(decoder.parameters.size / 1e6).toFixed(2)} M parameters, prompts of ${PROMPT_TOKENS}, ${NEW_TOKENS} tokens sampled; median (slowest to fastest) of ${REPEATS}`);
    const result = await benchDecode(decoder);
    const show = (what: string, { median, min, max }: Speed) => print(`${what.padEnd(18)} ${median.toFixed(0).padStart(7)} tokens/s (${min.toFixed(0)} to ${max.toFixed(0)})`);
    show("prefill", result.prefill);
    for (const each of result.decode) show(`decode, batch ${each.batch}`, each);
    return { ok: true, result: { device: device.name, description: device.description, ...result } };
  } finally {
    await close();
  }
}

async function openRandom(name: string) {
  const device = await openDevice(name);
  return { decoder: Decoder.initialise(device, parseConfig(RANDOM_MODEL), Random.stream("bench decode")), close: () => device.destroy() };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [device = "wasm", model] = process.argv.slice(2);
  await bench({ print: (line) => console.log(line) }, { device, model });
}
