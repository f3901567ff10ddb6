/** A row's result depends on that row alone: to the last bit, whichever rows share the call and however many. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Device, Tensor } from "../../src/compute/kernels.ts";
import { Inputs } from "./inputs.ts";

let device: Device;

type Row = Float32Array;

/** Runs a row-wise operation on the given rows of the tensor x; other inputs are the same for every call. */
interface RowWise {
  K: number;
  run(t: Inputs, x: Tensor, rows: number[]): Tensor;
}

async function results(operation: RowWise, seed: number, x: Row, rows: number[]): Promise<Row[]> {
  const t = new Inputs(device, seed);
  const { K } = operation;
  const input = t.floats(rows.flatMap((n) => Array.from(x.subarray(n * K, (n + 1) * K))), rows.length, K);
  const output = operation.run(t, input, rows);
  const data = (await device.read(output)) as Float32Array;
  t.free();
  const width = data.length / rows.length;
  return rows.map((_, i) => data.slice(i * width, (i + 1) * width));
}

/** 70 rows in one call, then a random choice of them in another order. */
async function expectIndependent(operation: RowWise, seed: number, choice: number[]): Promise<void> {
  const all = Array.from({ length: 70 }, (_, n) => n);
  const t = new Inputs(device, seed + 1);
  const x = (await device.read(t.f32(all.length, operation.K))) as Float32Array;
  t.free();
  const together = await results(operation, seed, x, all);
  const apart = await results(operation, seed, x, choice);
  choice.forEach((n, i) => expect(apart[i]).toEqual(together[n]));
}

const numbers = fc.record({
  seed: fc.nat(),
  choice: fc.array(fc.integer({ min: 0, max: 69 }), { minLength: 1, maxLength: 9 }),
  K: fc.oneof(fc.integer({ min: 1, max: 150 }), fc.constant(8), fc.constant(128)),
  M: fc.integer({ min: 1, max: 70 }),
  half: fc.boolean(),
});

const rowWise: Record<string, (K: number, M: number, half: boolean) => RowWise> = {
  linear: (K, M, half) => ({
    K,
    run: (t, x, rows) => {
      const w = t.weight(half, M, K), bias = t.f32(M), y = t.out(rows.length, M);
      device.linear(x, w, y);
      device.linear(x, w, y, { bias, accumulate: true, scale: 0.5 });
      return y;
    },
  }),
  linearBackwardInput: (K, M, half) => ({
    K,
    run: (t, x, rows) => {
      const dx = t.out(rows.length, M);
      device.linearBackwardInput(x, t.weight(half, K, M), dx);
      return dx;
    },
  }),
  rmsNorm: (K) => ({
    K,
    run: (t, x, rows) => {
      const w = t.f32(K), y = t.out(rows.length, K), dx = t.out(rows.length, K);
      device.rmsNorm(x, w, y, 1e-6);
      device.rmsNormBackward(x, w, y, dx, null, 1e-6, { accumulate: true });
      return dx;
    },
  }),
  swiglu: (K) => ({
    K,
    run: (t, x, rows) => {
      const y = t.out(rows.length, K);
      device.swiglu(x, x, y);
      return y;
    },
  }),
  rope: (K) => ({
    K: 2 * K,
    run: (t, x, rows) => {
      device.rope(t.keep(device.view(x, [rows.length, 1, 2 * K])), t.ints(rows.map((n) => 37 * n)), t.floats(t.uniform(K)));
      return x;
    },
  }),
  "targetLogprobs and its gradient": (K, M, half) => ({
    K,
    run: (t, x, rows) => {
      const N = rows.length, V = 5 * M;
      const w = t.weight(half, V, K), targets = t.ints(rows.map((n) => n % V)), weight = t.floats(rows.map((n) => 0.1 * n + 1));
      const logprob = t.out(N), entropy = t.out(N), logZ = t.out(N), dh = t.out(N, K);
      device.targetLogprobs(x, w, targets, logprob, entropy, logZ);
      device.targetLogprobsBackward(x, w, targets, logZ, weight, dh, null);
      for (const column of [logprob, entropy]) device.linear(t.keep(device.view(column, [N, 1])), t.floats(Array(K).fill(1), K, 1), dh, { accumulate: true });
      return dh;
    },
  }),
};

/** Declares the tests; each property is tried `runs` times. */
export function testIndependence(createDevice: () => Promise<Device>, runs: number): void {
  beforeAll(async () => {
    device = await createDevice();
  }, 120_000);
  afterAll(() => device?.destroy());

  test.each(Object.keys(rowWise))("%s", async (name) => {
    await fc.assert(
      fc.asyncProperty(numbers, async ({ seed, choice, K, M, half }) => expectIndependent(rowWise[name](K, M, half), seed, choice)),
      { numRuns: runs },
    );
  });

  test("a sequence's attention, forward and backward, does not depend on its neighbours", async () => {
    const lengths = [30, 1, 77, 50], [H, G, E] = [4, 2, 32];
    const N = lengths.reduce((a, b) => a + b, 0);
    const starts = lengths.map((_, s) => lengths.slice(0, s).reduce((a, b) => a + b, 0));
    const t = new Inputs(device, 1);
    const host = async (...shape: number[]) => (await device.read(t.f32(...shape))) as Float32Array;
    const q = await host(N, H, E), k = await host(N, G, E), v = await host(N, G, E), dy = await host(N, H, E);
    const run = async (sequences: number[]) => {
      const rows = sequences.reduce((sum, s) => sum + lengths[s], 0);
      const part = (x: Float32Array, heads: number) =>
        t.floats(sequences.flatMap((s) => Array.from(x.subarray(starts[s] * heads * E, (starts[s] + lengths[s]) * heads * E))), rows, heads, E);
      const [pq, pk, pv, pdy] = [part(q, H), part(k, G), part(v, G), part(dy, H)];
      const y = t.out(rows, H, E), lse = t.out(rows, H), dq = t.out(rows, H, E), dk = t.out(rows, G, E), dv = t.out(rows, G, E);
      const packed = t.packed(sequences.map((s) => lengths[s]));
      device.attention(pq, pk, pv, packed, y, lse);
      device.attentionBackward(pq, pk, pv, y, lse, pdy, packed, dq, dk, dv);
      const read = async (x: Tensor) => (await device.read(x)) as Float32Array;
      return { y: await read(y), lse: await read(lse), dq: await read(dq), dk: await read(dk), dv: await read(dv) };
    };
    const together = await run([0, 1, 2, 3]);
    const alone = await run([2]);
    for (const [name, width] of [["y", H * E], ["lse", H], ["dq", H * E], ["dk", G * E], ["dv", G * E]] as const) {
      expect(alone[name]).toEqual(together[name].slice(starts[2] * width, (starts[2] + lengths[2]) * width));
    }
    t.free();
  });

  test("attention from the cache, row by row or in one call, has the bits of packed attention", async () => {
    for (const [H, G, E, pageSize] of [[4, 2, 32, 16], [4, 4, 32, 7], [3, 1, 10, 16]]) {
      const t = new Inputs(device, E);
      const N = 75;
      const q = t.f32(N, H, E), k = t.f32(N, G, E), v = t.f32(N, G, E), y = t.out(N, H, E), lse = t.out(N, H), cached = t.out(N, H, E);
      device.attention(q, k, v, t.packed([N]), y, lse);
      const positions = Array.from({ length: N }, (_, position) => ({ sequence: 0, position }));
      const paged = t.paged(positions, 1, Math.ceil(N / pageSize), pageSize);
      const kCache = t.out(paged.pageCount, pageSize, G, E), vCache = t.out(paged.pageCount, pageSize, G, E);
      device.cacheWrite(k, v, kCache, vCache, paged);
      device.attentionCached(q, kCache, vCache, paged, cached);
      const expected = await device.read(y);
      expect(await device.read(cached)).toEqual(expected);
      for (const n of [0, 1, 40, N - 1]) {
        const rowView = (x: Tensor) => t.keep(device.view(x, [1, H, E], n * H * E));
        const one = { ...paged, sequence: t.ints([0]), position: t.ints([n]) };
        device.fill(cached, 0);
        device.attentionCached(rowView(q), kCache, vCache, one, rowView(cached));
        expect(await device.read(cached, n * H * E, H * E)).toEqual(expected.slice(n * H * E, (n + 1) * H * E));
      }
      t.free();
    }
  });

  test("a sampled token's log-probability has the bits that scoring it gives", async () => {
    const [N, D, V] = [40, 128, 700];
    const t = new Inputs(device, 3);
    const h = t.f32(N, D), w = t.f32(V, D), logits = t.out(N, V), tokens = t.outInt(N), sampled = t.out(N);
    device.linear(h, w, logits);
    const ones = t.floats(Array(N).fill(1));
    device.sample(logits, { uniform: t.floats(t.uniform(N)), temperature: ones, topK: t.outInt(N), topP: ones }, tokens, sampled);
    const scored = t.out(N);
    device.targetLogprobs(h, w, tokens, scored, t.out(N), t.out(N));
    expect(await device.read(sampled)).toEqual(await device.read(scored));
    t.free();
  });
}
