/** The decoder on the fast devices: against the reference device, and free of what else is in the batch. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasWebGpu } from "../../tests/compute/webgpu.ts";
import { createReferenceDevice, type Device, Random } from "../compute/index.ts";
import { createWasmDevice, createWebGpuDevice } from "../compute/index.node.ts";
import { Decoder } from "./decoder.ts";
import { LoraAdapter } from "./lora.ts";
import { ParameterSet } from "./parameters.ts";
import { asFile, randomTensors, TEST_CONFIGS } from "./test-models.ts";

const ARCHITECTURES = Object.keys(TEST_CONFIGS) as (keyof typeof TEST_CONFIGS)[];
const SEQUENCES = [[3, 1, 4, 1, 5, 9, 2, 6, 5], [35, 8, 9], [7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7, 9, 5]];

/** Every row but the last of each sequence predicts its successor. */
function nextToken(sequences: number[][]) {
  const ids = Int32Array.from(sequences.flat());
  const offsets = Int32Array.of(0, ...sequences.map((_, s) => sequences.slice(0, s + 1).flat().length));
  const rows = ids.map((_, row) => row).filter((row) => !offsets.includes(row + 1));
  return { ids, offsets, rows, targets: rows.map((row) => ids[row + 1]) };
}

function expectClose(actual: Float32Array, expected: Float32Array, name: string): void {
  expect(Math.hypot(...actual.map((x, i) => x - expected[i])) / Math.hypot(...expected), name).toBeLessThan(1e-5);
}

describe.each([
  { name: "wasm", create: () => createWasmDevice({ threads: 2 }), runs: true },
  { name: "webgpu", create: createWebGpuDevice, runs: hasWebGpu },
])("$name", { timeout: 300_000 }, ({ create, runs }) => {
  let device: Device;
  beforeAll(async () => void (runs && (device = await create())), 120_000);
  afterAll(() => device?.destroy());

  test.skipIf(!runs).each(ARCHITECTURES)("%s: scores and gradients agree with the reference device", async (architecture) => {
    const config = TEST_CONFIGS[architecture];
    const run = async (device: Device) => {
      const decoder = Decoder.load(device, config, asFile(randomTensors(config, 1), "F16"));
      const adapter = LoraAdapter.initialise(device, config, { rank: 3, alpha: 5 }, Random.stream("adapter"));
      adapter.parameters.fill(0.05);
      decoder.adapter = adapter;
      const gradients = new ParameterSet(device, [decoder.parameters, adapter.parameters].flatMap((set) => set.names.map((name) => [name, set.get(name)] as const))).zeros();
      const scores = await decoder.accumulate(nextToken(SEQUENCES), (logprobs) => logprobs.map((_, r) => 1 - r / 9), gradients);
      const values = await gradients.read();
      for (const each of [gradients, adapter, decoder]) each.dispose();
      expect(device.liveBytes).toBe(0);
      return { scores, values };
    };
    const [expected, actual] = [await run(createReferenceDevice()), await run(device)];
    expectClose(actual.scores.logprobs, expected.scores.logprobs, "logprobs");
    expectClose(actual.scores.entropy, expected.scores.entropy, "entropy");
    for (const [name, { data }] of expected.values) expectClose(actual.values.get(name)!.data, data, name);
  });

  test.skipIf(!runs)("a sequence scores alike alone and among others, to the bit", async () => {
    const decoder = Decoder.load(device, TEST_CONFIGS.qwen3, asFile(randomTensors(TEST_CONFIGS.qwen3, 1)));
    const together = await decoder.score(nextToken(SEQUENCES));
    const alone = await Promise.all(SEQUENCES.map((sequence) => decoder.score(nextToken([sequence]))));
    for (const key of ["logprobs", "entropy"] as const) expect(alone.flatMap((scores) => [...scores[key]])).toEqual([...together[key]]);
    decoder.dispose();
  });

  test.skipIf(!runs)("a cached row has the same logits alone, among others and however the prompt is cut, to the bit", async () => {
    const config = TEST_CONFIGS.qwen2;
    const decoder = Decoder.load(device, config, asFile(randomTensors(config, 1)), { keepF16: true });
    const upload = (values: number[], shape: number[]) => device.upload(Int32Array.from(values), shape);
    /** Logits of each sequence's last row; the rows of the sequences, in this order, run `chunk` at a time. */
    const lastLogits = async (order: number[], chunk: number) => {
      const cache = decoder.createCache(3 * SEQUENCES.length, 8);
      const pages = upload(SEQUENCES.flatMap((_, s) => [3 * s, 3 * s + 1, 3 * s + 2]), [SEQUENCES.length, 3]);
      const all = order.flatMap((s) => SEQUENCES[s].map((id, position) => ({ s, id, position })));
      const out: Float32Array[] = [];
      for (let from = 0; from < all.length; from += chunk) {
        const rows = all.slice(from, from + chunk);
        const sequence = upload(rows.map((row) => row.s), [rows.length]);
        const position = upload(rows.map((row) => row.position), [rows.length]);
        const maxContext = Math.max(...rows.map((row) => row.position)) + 1;
        const ends = [...rows.keys()].filter((i) => rows[i].position === SEQUENCES[rows[i].s].length - 1);
        const logits = decoder.forwardCached(Int32Array.from(rows, (row) => row.id), { sequence, position, pages, pageSize: 8, maxContext }, cache, Int32Array.from(ends));
        const data = logits && ((await device.read(logits)) as Float32Array);
        ends.forEach((row, i) => (out[rows[row].s] = data!.slice(i * config.vocabSize, (i + 1) * config.vocabSize)));
        for (const t of [logits, sequence, position]) t?.free();
      }
      cache.dispose();
      pages.free();
      return out;
    };
    const expected = await lastLogits([0, 1, 2], 100);
    expect(await lastLogits([2, 0, 1], 100)).toEqual(expected);
    expect(await lastLogits([1, 0, 2], 7)).toEqual(expected);
    expect(await lastLogits([0, 2, 1], 1)).toEqual(expected);
    decoder.dispose();
    expect(device.liveBytes).toBe(0);
  });
});
