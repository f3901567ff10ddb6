import { describe, expect, test } from "vitest";
import { createReferenceDevice, type Device, type PagedRows, Random, type Tensor } from "../compute/index.ts";
import type { ModelConfig } from "./config.ts";
import { Decoder, type KvCache } from "./decoder.ts";
import type { TrainBatch } from "./decoder-training.ts";
import { AdapterError, LoraAdapter } from "./lora.ts";
import { ParameterSet } from "./parameters.ts";
import { asFile, randomTensors, TEST_CONFIGS } from "./test-models.ts";
import { WeightsError } from "./weights/safetensors.ts";

type Architecture = keyof typeof TEST_CONFIGS;
const ARCHITECTURES = Object.keys(TEST_CONFIGS) as Architecture[];

function randomDecoder(device: Device, architecture: Architecture): Decoder {
  const config = TEST_CONFIGS[architecture];
  return Decoder.load(device, config, asFile(randomTensors(config, 1)));
}

/** An adapter whose B is not 0. */
function randomAdapter(device: Device, config: ModelConfig): LoraAdapter {
  const random = Random.stream("adapter");
  const adapter = LoraAdapter.initialise(device, config, { rank: 3, alpha: 5 }, random);
  for (const name of adapter.parameters.names) {
    const tensor = adapter.parameters.get(name);
    if (name.includes("lora_B")) device.write(tensor, Float32Array.from({ length: tensor.size }, () => random.normal() * 0.3));
  }
  return adapter;
}

function randomIds(config: ModelConfig, length: number, seed: number): Int32Array {
  const random = Random.stream(seed, "ids");
  return Int32Array.from({ length }, () => random.int(0, config.vocabSize - 1));
}

/** Next-token batch over sequences of the given lengths, scoring every second row. */
function randomBatch(config: ModelConfig, lengths: number[]): TrainBatch {
  const ids = randomIds(config, lengths.reduce((a, b) => a + b), 3);
  const offsets = Int32Array.of(0, ...lengths.map((_, s) => lengths.slice(0, s + 1).reduce((a, b) => a + b)));
  const rows: number[] = [];
  for (let s = 0; s < lengths.length; s++) for (let row = offsets[s]; row < offsets[s + 1] - 1; row += 2) rows.push(row);
  return { ids, offsets, rows: Int32Array.from(rows), targets: Int32Array.from(rows, (row) => ids[row + 1]) };
}

const readAll = async (device: Device, t: Tensor | null): Promise<Float32Array> => {
  const data = (await device.read(t!)) as Float32Array;
  t!.free();
  return data;
};

/** Weights that depend on the log-probabilities: the objective is then the expected number of right guesses. */
const probabilities = (logprobs: Float32Array): Float32Array => logprobs.map(Math.exp);

function maxDifference(a: Float32Array, b: Float32Array): number {
  expect(a.length).toBe(b.length);
  return a.reduce((max, x, i) => Math.max(max, Math.abs(x - b[i])), 0);
}

describe.each(ARCHITECTURES)("%s", (architecture) => {
  const config = TEST_CONFIGS[architecture];

  test("gradients of all weights and of the adapter agree with finite differences", async () => {
    const device = createReferenceDevice();
    const decoder = randomDecoder(device, architecture);
    const adapter = (decoder.adapter = randomAdapter(device, config));
    const batch = randomBatch(config, [9, 1, 6]);
    const random = Random.stream("objective");
    const weight = Float32Array.from(batch.rows, () => random.normal());
    const all = new ParameterSet(device, [decoder.parameters, adapter.parameters].flatMap((set) => set.names.map((name) => [name, set.get(name)] as const)));
    const gradients = all.zeros();
    const scores = await decoder.accumulate(batch, () => weight, gradients);
    expect(scores).toEqual(await decoder.score(batch));
    const objective = async () => (await decoder.score(batch)).logprobs.reduce((sum, logprob, r) => sum + weight[r] * logprob, 0);

    for (const name of all.names) {
      const parameter = all.get(name);
      const gradient = (await device.read(gradients.get(name))) as Float32Array;
      const direction = device.upload(gradient.map(() => random.pick([-1, 1])), parameter.shape);
      const signs = (await device.read(direction)) as Float32Array;
      const step = 1e-3;
      device.add(direction, parameter, step);
      const above = await objective();
      device.add(direction, parameter, -2 * step);
      const below = await objective();
      device.add(direction, parameter, step);
      const expected = gradient.reduce((sum, g, i) => sum + g * signs[i], 0);
      const norm = Math.hypot(...gradient);
      expect(norm, name).toBeGreaterThan(0);
      expect(Math.abs((above - below) / (2 * step) - expected) / norm, name).toBeLessThan(3e-3);
    }
  });

  test("log-probabilities and entropies are those of the logits", async () => {
    const device = createReferenceDevice();
    const decoder = randomDecoder(device, architecture);
    const ids = randomIds(config, 7, 5);
    const logits = await readAll(device, decoder.logits(ids));
    const rows = Int32Array.of(5, 0, 5);
    const targets = Int32Array.of(2, 3, 4);
    const { logprobs, entropy } = await decoder.score({ ids, offsets: Int32Array.of(0, 7), rows, targets });
    rows.forEach((row, r) => {
      const z = logits.slice(row * config.vocabSize, (row + 1) * config.vocabSize);
      const logZ = Math.log(z.reduce((sum, x) => sum + Math.exp(x), 0));
      expect(logprobs[r]).toBeCloseTo(z[targets[r]] - logZ, 5);
      expect(entropy[r]).toBeCloseTo(logZ - z.reduce((sum, x) => sum + Math.exp(x - logZ) * x, 0), 5);
    });
  });

  test("cached passes give the logits of the packed one: chunks, mixed batches, shared pages", async () => {
    const device = createReferenceDevice();
    const decoder = randomDecoder(device, architecture);
    decoder.adapter = randomAdapter(device, config);
    const V = config.vocabSize;
    // Two sequences share their first six tokens, thus one page of four; a third is its own.
    const prefix = randomIds(config, 6, 7);
    const sequences = [Int32Array.of(...prefix, ...randomIds(config, 5, 8)), Int32Array.of(...prefix.subarray(0, 4), ...randomIds(config, 4, 9)), randomIds(config, 3, 10)];
    const expected = await Promise.all(sequences.map((ids) => readAll(device, decoder.logits(ids))));
    const cache = decoder.createCache(8, 4);
    const pages = [[5, 2, 7], [5, 1, 0], [3, 0, 0]];
    const check = async (places: [sequence: number, position: number][], logitRows: number[]) => {
      const logits = forward(device, decoder, cache, sequences, pages, places, logitRows);
      if (logitRows.length === 0) return void expect(logits).toBeNull();
      const data = await readAll(device, logits);
      logitRows.forEach((row, r) => {
        const [s, position] = places[row];
        expect(maxDifference(data.subarray(r * V, (r + 1) * V), expected[s].subarray(position * V, (position + 1) * V))).toBeLessThan(1e-6);
      });
    };
    await check([[0, 0], [0, 1], [0, 2]], []);
    await check([[0, 3], [2, 0], [0, 4], [2, 1]], [3, 0]);
    await check([[1, 4], [0, 5], [2, 2], [0, 6]], [0, 1, 2, 3]);
    await check([[1, 5], [0, 7]], [1]);
    await check([[0, 8], [1, 6]], [0, 1]);
    await check([[0, 9], [0, 10], [1, 7]], [2, 1]);
  });

  test("computing blocks again gives the gradients that kept activations give", async () => {
    const device = createReferenceDevice();
    const decoder = randomDecoder(device, architecture);
    decoder.adapter = randomAdapter(device, config);
    const batch = randomBatch(config, [6, 4]);
    const hash = async (budget: number) => {
      decoder.activationBudget = budget;
      const gradients = decoder.parameters.zeros();
      await decoder.accumulate(batch, probabilities, gradients);
      return gradients.hash();
    };
    expect(await hash(0)).toBe(await hash(2 ** 30));
  });

  test("micro-batches add up to the gradient of the whole batch", async () => {
    const device = createReferenceDevice();
    const decoder = randomDecoder(device, architecture);
    const whole = randomBatch(config, [7, 5]);
    const parts = [[0, 7], [7, 12]].map(([from, to]): TrainBatch => {
      const picked = [...whole.rows.keys()].filter((r) => whole.rows[r] >= from && whole.rows[r] < to);
      return { ids: whole.ids.slice(from, to), offsets: Int32Array.of(0, to - from), rows: Int32Array.from(picked, (r) => whole.rows[r] - from), targets: Int32Array.from(picked, (r) => whole.targets[r]) };
    });
    const once = decoder.parameters.zeros();
    const inParts = decoder.parameters.zeros();
    const scores = await decoder.accumulate(whole, probabilities, once);
    // Not awaited one by one: calls queue up.
    const partScores = await Promise.all(parts.map((part) => decoder.accumulate(part, probabilities, inParts)));
    expect(maxDifference(scores.logprobs, Float32Array.of(...partScores[0].logprobs, ...partScores[1].logprobs))).toBeLessThan(1e-6);
    const a = await once.read();
    const b = await inParts.read();
    for (const name of once.names) expect(maxDifference(a.get(name)!.data, b.get(name)!.data), name).toBeLessThan(1e-6);
  });

  test("training a part of the parameters gives their part of the whole gradient", async () => {
    const device = createReferenceDevice();
    const decoder = randomDecoder(device, architecture);
    const adapter = (decoder.adapter = randomAdapter(device, config));
    const batch = randomBatch(config, [6, 3]);
    const all = new ParameterSet(device, [decoder.parameters, adapter.parameters].flatMap((set) => set.names.map((name) => [name, set.get(name)] as const))).zeros();
    await decoder.accumulate(batch, probabilities, all);
    const expected = await all.read();
    const part = async (names: readonly string[]) => {
      const some = new ParameterSet(device, names.map((name) => [name, all.get(name)] as const)).zeros();
      await decoder.accumulate(batch, probabilities, some);
      for (const [name, { data }] of await some.read()) expect(data, name).toEqual(expected.get(name)!.data);
    };
    await part(adapter.parameters.names);
    await part(adapter.parameters.names.filter((name) => name.includes("layers.1.") && name.includes("k_proj")));
    await part(["model.layers.0.input_layernorm.weight"]);
    await part(["model.layers.1.mlp.up_proj.weight", "model.norm.weight"]);
    await part(["model.embed_tokens.weight"]);
  });
});

/** One cached pass over rows given as (sequence, position). */
function forward(device: Device, decoder: Decoder, cache: KvCache, sequences: Int32Array[], pages: number[][], places: [number, number][], logitRows: number[]): Tensor | null {
  const rows: PagedRows = {
    sequence: device.upload(Int32Array.from(places, ([s]) => s), [places.length]),
    position: device.upload(Int32Array.from(places, ([, p]) => p), [places.length]),
    pages: device.upload(Int32Array.from(pages.flat()), [pages.length, pages[0].length]),
    pageSize: cache.pageSize,
    maxContext: Math.max(...places.map(([, p]) => p)) + 1,
  };
  try {
    return decoder.forwardCached(Int32Array.from(places, ([s, p]) => sequences[s][p]), rows, cache, Int32Array.from(logitRows));
  } finally {
    for (const t of [rows.sequence, rows.position, rows.pages]) t.free();
  }
}

test("a fresh adapter changes nothing, and B alone has a gradient", async () => {
  const device = createReferenceDevice();
  const config = TEST_CONFIGS.qwen3;
  const decoder = randomDecoder(device, "qwen3");
  const batch = randomBatch(config, [8]);
  const base = await decoder.score(batch);
  const adapter = (decoder.adapter = LoraAdapter.initialise(device, config, { rank: 4, alpha: 8 }, Random.stream(1, "lora")));
  expect(await decoder.score(batch)).toEqual(base);
  const gradients = adapter.parameters.zeros();
  await decoder.accumulate(batch, (logprobs) => logprobs.map(() => 1), gradients);
  for (const [name, { data }] of await gradients.read()) expect(data.some((x) => x !== 0), name).toBe(name.includes("lora_B"));
  decoder.adapter = null;
  expect(await decoder.score(batch)).toEqual(base);
});

test("f16 weights stay f16 on request and give the same numbers", async () => {
  const device = createReferenceDevice();
  const config = TEST_CONFIGS.qwen2;
  const file = asFile(randomTensors(config, 1), "F16");
  const wide = Decoder.load(device, config, file);
  const wideBytes = device.liveBytes;
  const half = Decoder.load(device, config, file, { keepF16: true });
  expect(device.liveBytes - wideBytes).toBeLessThan(0.6 * wideBytes);
  const ids = randomIds(config, 5, 1);
  expect(await readAll(device, half.logits(ids))).toEqual(await readAll(device, wide.logits(ids)));
  expect(await half.parameters.hash()).toBe(await wide.parameters.hash());
});

test("random initialisation is a function of the stream", async () => {
  const device = createReferenceDevice();
  const hash = (seed: number) => Decoder.initialise(device, TEST_CONFIGS.llama, Random.stream(seed, "weights")).parameters.hash();
  expect(await hash(1)).toBe(await hash(1));
  expect(await hash(1)).not.toBe(await hash(2));
});

test("every byte comes back", async () => {
  const device = createReferenceDevice();
  const decoder = randomDecoder(device, "qwen3");
  const adapter = (decoder.adapter = randomAdapter(device, decoder.config));
  const cache = decoder.createCache(2, 4);
  const gradients = adapter.parameters.zeros();
  const idle = device.liveBytes;
  const batch = randomBatch(decoder.config, [5, 4]);
  await decoder.accumulate(batch, (logprobs) => logprobs, gradients);
  await decoder.score(batch);
  decoder.logits(batch.ids).free();
  await expect(decoder.accumulate(batch, () => { throw new Error("no weights"); }, gradients)).rejects.toThrow("no weights");
  await expect(decoder.accumulate(batch, () => new Float32Array(1), gradients)).rejects.toThrow("weights returned 1 values for");
  expect(device.liveBytes).toBe(idle);

  const step = (position: number) => forward(device, decoder, cache, [batch.ids], [[0, 1]], [[0, position]], [0])!.free();
  step(0);
  const warm = device.liveBytes;
  for (let position = 1; position < 8; position++) step(position);
  expect(device.liveBytes).toBe(warm);
  expect(() => forward(device, decoder, cache, [Int32Array.of(99)], [[0, 1]], [[0, 0]], [0])).toThrow();
  for (const each of [cache, gradients, adapter, decoder]) each.dispose();
  expect(device.liveBytes).toBe(0);
});

describe("errors", () => {
  const config = TEST_CONFIGS.qwen2;

  test.each<[string, (tensors: ReturnType<typeof randomTensors>) => void]>([
    ["model.safetensors: tensor lm_head.weight is missing", (t) => t.delete("lm_head.weight")],
    ["model.safetensors: tensor model.layers.1.self_attn.q_proj.bias is missing", (t) => t.delete("model.layers.1.self_attn.q_proj.bias")],
    ["model.safetensors: tensor model.norm.weight has shape [19], config.json asks for [20]", (t) => t.set("model.norm.weight", { shape: [19], data: new Float32Array(19) })],
    ["model.safetensors: unexpected tensor model.layers.2.mlp.up_proj.weight", (t) => t.set("model.layers.2.mlp.up_proj.weight", { shape: [1], data: new Float32Array(1) })],
  ])("%s", (message, change) => {
    const device = createReferenceDevice();
    const tensors = randomTensors(config, 1);
    change(tensors);
    expect(() => Decoder.load(device, config, asFile(tensors))).toThrow(WeightsError);
    expect(() => Decoder.load(device, config, asFile(tensors))).toThrow(message);
    expect(device.liveBytes).toBe(0);
  });

  test("tensors that a tied or an old checkpoint repeats are ignored", () => {
    const tied = TEST_CONFIGS.qwen3;
    const tensors = randomTensors(tied, 1);
    tensors.set("lm_head.weight", tensors.get("model.embed_tokens.weight")!);
    tensors.set("model.layers.0.self_attn.rotary_emb.inv_freq", { shape: [4], data: new Float32Array(4) });
    expect(Decoder.load(createReferenceDevice(), tied, asFile(tensors)).parameters.has("lm_head.weight")).toBe(false);
  });

  test("an adapter of another shape", () => {
    const device = createReferenceDevice();
    const decoder = randomDecoder(device, "qwen2");
    expect(() => (decoder.adapter = randomAdapter(device, TEST_CONFIGS.qwen3))).toThrow(AdapterError);
    expect(() => (decoder.adapter = randomAdapter(device, { ...config, layers: 3 }))).toThrow("it adapts model.layers.2.self_attn.q_proj, which this model lacks");
    expect(decoder.adapter).toBeNull();
    expect(() => LoraAdapter.initialise(device, config, { rank: 0, alpha: 1 }, Random.stream())).toThrow(AdapterError);
  });

  const good: TrainBatch = { ids: Int32Array.of(1, 2, 3), offsets: Int32Array.of(0, 3), rows: Int32Array.of(0), targets: Int32Array.of(2) };
  test.each<[string, Partial<TrainBatch>]>([
    ["the batch holds no tokens", { ids: new Int32Array(0) }],
    ["offsets must begin with 0 and end with 3", { offsets: Int32Array.of(0, 2) }],
    ["offsets must ascend; sequence 1 has 0 rows", { offsets: Int32Array.of(0, 2, 2, 3) }],
    ["ids[1] is 37, expected 0 to 36", { ids: Int32Array.of(1, 37, 3) }],
    ["there are 1 scored rows but 0 targets", { targets: new Int32Array(0) }],
    ["rows[0] is 3, expected 0 to 2", { rows: Int32Array.of(3) }],
    ["targets[0] is -1", { targets: Int32Array.of(-1) }],
  ])("batch: %s", async (message, change) => {
    const decoder = randomDecoder(createReferenceDevice(), "qwen2");
    await expect(decoder.score({ ...good, ...change })).rejects.toThrow(message);
    // The queue goes on after a failure.
    await expect(decoder.score({ ...good, rows: new Int32Array(0), targets: new Int32Array(0) })).resolves.toEqual({ logprobs: new Float32Array(0), entropy: new Float32Array(0) });
  });
});
