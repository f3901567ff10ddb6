/** Every operation on random inputs of odd shapes, for any device. */
import fc from "fast-check";
import { expect } from "vitest";
import type { Device, Tensor } from "../../src/compute/kernels.ts";
import { Inputs } from "./inputs.ts";

/** Error allowed, relative to the largest magnitude of the output. */
const TOLERANCE = 2e-5;

const dim = fc.integer({ min: 1, max: 70 });
const lengths = fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), dim), { minLength: 1, maxLength: 4 });
const heads = { G: fc.integer({ min: 1, max: 3 }), share: fc.integer({ min: 1, max: 3 }), E: fc.oneof(fc.constant(32), fc.integer({ min: 1, max: 40 })) };
const flags = { half: fc.boolean(), accumulate: fc.boolean(), scale: fc.constantFrom(1, 0.5, -2) };

export type Draw = Record<string, number> & { half: boolean; accumulate: boolean; lengths: number[] };

export interface Operation {
  inputs: Record<string, fc.Arbitrary<unknown>>;
  /** Runs it on inputs from `t` and returns its outputs. */
  run(t: Inputs, draw: Draw): Tensor[];
}

export const operations: Record<string, Operation> = {
  add: {
    inputs: { N: dim, M: dim, ...flags },
    run: (t, { N, M, scale }) => {
      const y = t.f32(N, M);
      t.device.add(t.f32(N, M), y, scale);
      return [y];
    },
  },
  embedding: {
    inputs: { N: dim, D: dim, V: dim, ...flags },
    run: (t, { N, D, V, half }) => {
      const y = t.out(N, D);
      t.device.embedding(t.indices(N, V), t.weight(half, V, D), y);
      return [y];
    },
  },
  embeddingBackward: {
    inputs: { N: dim, D: dim, V: fc.integer({ min: 1, max: 9 }) },
    run: (t, { N, D, V }) => {
      const dTable = t.f32(V, D);
      t.device.embeddingBackward(t.indices(N, V), t.f32(N, D), dTable);
      return [dTable];
    },
  },
  linear: {
    inputs: { N: dim, K: dim, M: dim, bias: fc.integer({ min: 0, max: 1 }), ...flags },
    run: (t, { N, K, M, bias, half, accumulate, scale }) => {
      const y = t.f32(N, M);
      t.device.linear(t.f32(N, K), t.weight(half, M, K), y, { accumulate, scale, ...(bias ? { bias: t.f32(M) } : {}) });
      return [y];
    },
  },
  linearBackward: {
    inputs: { N: dim, K: dim, M: dim, ...flags },
    run: (t, { N, K, M, half, accumulate, scale }) => {
      const dx = t.f32(N, K), dw = t.f32(M, K), db = t.f32(M), dy = t.f32(N, M);
      t.device.linearBackwardInput(dy, t.weight(half, M, K), dx, { accumulate, scale });
      t.device.linearBackwardWeight(dy, t.f32(N, K), dw, { accumulate, scale });
      t.device.biasBackward(dy, db, { accumulate });
      return [dx, dw, db];
    },
  },
  "linear over several blocks": {
    inputs: { N: fc.integer({ min: 250, max: 270 }), K: fc.integer({ min: 60, max: 140 }), M: fc.integer({ min: 40, max: 110 }), ...flags },
    run: (t, { N, K, M, half, accumulate }) => {
      const x = t.f32(N, K), w = t.weight(half, M, K), dy = t.f32(N, M), y = t.out(N, M), dx = t.out(N, K), dw = t.f32(M, K);
      t.device.linear(x, w, y);
      t.device.linearBackwardInput(dy, w, dx);
      t.device.linearBackwardWeight(dy, x, dw, { accumulate });
      return [y, dx, dw];
    },
  },
  rmsNorm: {
    inputs: { N: dim, D: dim, ...flags },
    run: (t, { N, D, accumulate }) => {
      const x = t.f32(N, D), w = t.f32(D), y = t.out(N, D), dx = t.f32(N, D), dw = t.f32(D), dxAlone = t.out(N, D);
      t.device.rmsNorm(x, w, y, 1e-2);
      t.device.rmsNormBackward(x, w, t.f32(N, D), dx, dw, 1e-2, { accumulate });
      t.device.rmsNormBackward(x, w, t.f32(N, D), dxAlone, null, 1e-2);
      return [y, dx, dw, dxAlone];
    },
  },
  rope: {
    inputs: { N: dim, heads: fc.integer({ min: 1, max: 4 }), E: fc.integer({ min: 2, max: 40 }), inverse: fc.integer({ min: 0, max: 1 }) },
    run: (t, { N, heads, E, inverse }) => {
      const x = t.f32(N, heads, E);
      const pairs = t.int(1, Math.floor(E / 2));
      t.device.rope(x, t.indices(N, 40000), t.floats(t.uniform(pairs)), inverse === 1);
      return [x];
    },
  },
  swiglu: {
    inputs: { N: dim, M: dim },
    run: (t, { N, M }) => {
      const gate = t.f32(N, M), up = t.f32(N, M), y = t.out(N, M), dUp = t.out(N, M);
      t.device.add(gate, gate, 9);
      t.device.swiglu(gate, up, y);
      t.device.swigluBackward(gate, up, t.f32(N, M), gate, dUp);
      return [y, gate, dUp];
    },
  },
  attention: {
    inputs: { lengths, ...heads },
    run: (t, { lengths, G, share, E }) => {
      const N = lengths.reduce((a, b) => a + b, 0), H = G * share;
      const q = t.f32(N, H, E), k = t.f32(N, G, E), v = t.f32(N, G, E), dy = t.f32(N, H, E);
      const y = t.f32(N, H, E), lse = t.out(N, H), dq = t.f32(N, H, E), dk = t.f32(N, G, E), dv = t.f32(N, G, E);
      const sequences = t.packed(lengths);
      t.device.attention(q, k, v, sequences, y, lse);
      t.device.attentionBackward(q, k, v, y, lse, dy, sequences, dq, dk, dv);
      return [y, lse, dq, dk, dv];
    },
  },
  "paged attention": {
    inputs: { S: fc.integer({ min: 1, max: 4 }), maxPages: fc.integer({ min: 1, max: 5 }), pageSize: fc.integer({ min: 1, max: 17 }), ...heads },
    run: (t, { S, maxPages, pageSize, G, share, E }) => {
      const H = G * share;
      const rows = Array.from({ length: t.int(1, 60) }, () => ({ sequence: t.int(0, S - 1), position: t.int(0, maxPages * pageSize - 1) }));
      rows.sort((a, b) => a.sequence - b.sequence);
      const paged = t.paged(rows, S, maxPages, pageSize);
      const kCache = t.f32(paged.pageCount, pageSize, G, E), vCache = t.f32(paged.pageCount, pageSize, G, E), y = t.out(rows.length, H, E);
      t.device.attentionCached(t.f32(rows.length, H, E), kCache, vCache, paged, y);
      const distinct = rows.filter((row, i) => row.position >= pageSize && rows.findIndex((r) => r.sequence === row.sequence && r.position === row.position) === i);
      if (distinct.length > 0) {
        const written = t.paged(distinct, S, maxPages, pageSize);
        t.device.cacheWrite(t.f32(distinct.length, G, E), t.f32(distinct.length, G, E), kCache, vCache, written);
      }
      return [y, kCache, vCache];
    },
  },
  targetLogprobs: {
    inputs: { N: dim, D: dim, V: fc.oneof(dim, fc.integer({ min: 250, max: 1100 })), ...flags },
    run: (t, { N, D, V, half, accumulate }) => {
      const h = t.f32(N, D), w = t.weight(half, V, D), targets = t.indices(N, V);
      const logprob = t.out(N), entropy = t.out(N), logZ = t.out(N), dh = t.out(N, D), dw = t.f32(V, D);
      t.device.targetLogprobs(h, w, targets, logprob, entropy, logZ);
      t.device.targetLogprobsBackward(h, w, targets, logZ, t.f32(N), dh, accumulate ? dw : null);
      return [logprob, entropy, logZ, dh, dw];
    },
  },
  sample: {
    inputs: { N: fc.integer({ min: 1, max: 20 }), V: fc.oneof(dim, fc.integer({ min: 250, max: 600 })) },
    run: (t, { N, V }) => {
      const params = {
        uniform: t.floats(t.uniform(N)),
        temperature: t.floats(Array.from({ length: N }, () => [0, 0.5, 1, 1.5][t.int(0, 3)])),
        topK: t.ints(Array.from({ length: N }, () => [0, 1, 5, 200][t.int(0, 3)])),
        topP: t.floats(t.uniform(N).map((p) => (p < 0.3 ? 1 : p))),
      };
      // Logits in steps of 1/4, so that many are equal.
      const logits = t.floats(Array.from({ length: N * V }, () => t.int(-12, 12) / 4), N, V);
      const tokens = t.outInt(N), logprobs = t.out(N);
      t.device.sample(logits, params, tokens, logprobs);
      return [tokens, logprobs];
    },
  },
  adamw: {
    inputs: { N: dim, M: dim, step: fc.integer({ min: 1, max: 20 }), clipped: fc.integer({ min: 0, max: 1 }) },
    run: (t, { N, M, step, clipped }) => {
      const grad = t.f32(N, M), m = t.f32(N, M), v = t.f32(N, M), param = t.f32(N, M), sum = t.f32(1), added = t.f32(1);
      // Second moments are positive.
      t.device.fill(v, 0.25);
      t.device.sumSquares(grad, sum);
      t.device.sumSquares(grad, added, { accumulate: true });
      const clip = clipped ? { clip: { sumSquares: sum, maxNorm: 1 } } : {};
      t.device.adamw(param, grad, m, v, { lr: 0.1, beta1: 0.9, beta2: 0.98, eps: 1e-8, weightDecay: 0.05, step, ...clip });
      return [param, m, v, sum, added];
    },
  },
};

type Output = Float32Array | Int32Array | Uint16Array;

/** The operation's outputs on a device; checks that it leaves no memory behind. */
export async function outputs(device: Device, operation: Operation, seed: number, draw: Draw): Promise<Output[]> {
  const before = device.liveBytes;
  const t = new Inputs(device, seed);
  const results = await Promise.all(operation.run(t, draw).map((output) => device.read(output)));
  t.free();
  expect(device.liveBytes).toBe(before);
  return results;
}

export function expectClose(actual: Output, expected: Output): void {
  expect(actual.length).toBe(expected.length);
  if (actual instanceof Int32Array) {
    expect(actual).toEqual(expected);
    return;
  }
  let largest = 0.1;
  for (const x of expected) largest = Math.max(largest, Math.abs(x));
  for (let i = 0; i < actual.length; i++) {
    if (!(Math.abs(actual[i] - expected[i]) <= TOLERANCE * largest)) throw new Error(`[${i}]: ${actual[i]}, expected ${expected[i]} (largest ${largest})`);
  }
}
