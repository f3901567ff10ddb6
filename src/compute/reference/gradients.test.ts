/** Every gradient operation against central finite differences of its forward operation, in float64. */
import { expect, test } from "vitest";
import type { Tensor } from "../kernels.ts";
import { Random } from "../random.ts";
import { ReferenceDevice } from "./device.ts";

const device = new ReferenceDevice();
const random = Random.stream("finite differences");

function normal(...shape: number[]): Tensor {
  const t = device.alloc(shape);
  device.f64(t).forEach((_, i, data) => (data[i] = random.normal()));
  return t;
}

function ints(values: number[], ...shape: number[]): Tensor {
  return device.upload(Int32Array.from(values), shape.length ? shape : [values.length]);
}

/** Compares `gradient` with the change of Σ output · cotangent when each element of `input` moves, after `forward`. */
function expectGradient(input: Tensor, gradient: Tensor, forward: () => void, output: Tensor, cotangent: Tensor, start = 0): void {
  const h = 1e-5;
  const x = device.f64(input);
  const value = () => {
    forward();
    const y = device.f64(output);
    return device.f64(cotangent).reduce((sum, c, i) => sum + c * y[i], 0);
  };
  for (let i = 0; i < x.length; i++) {
    const kept = x[i];
    x[i] = kept + h;
    const above = value();
    x[i] = kept - h;
    const below = value();
    x[i] = kept;
    expect(device.f64(gradient)[i] - start).toBeCloseTo((above - below) / (2 * h), 6);
  }
}

test("linear: dx, dw, db, with scale and accumulation", () => {
  const [N, K, M] = [3, 5, 4];
  const x = normal(N, K), w = normal(M, K), bias = normal(M), y = device.alloc([N, M]), dy = normal(N, M);
  const dx = device.alloc([N, K]), dw = device.alloc([M, K]), db = device.alloc([M]);
  device.fill(dx, 7);
  device.fill(dw, 7);
  device.linearBackwardInput(dy, w, dx, { scale: 0.5, accumulate: true });
  device.linearBackwardWeight(dy, x, dw, { scale: 0.5, accumulate: true });
  device.biasBackward(dy, db);
  const forward = () => device.linear(x, w, y, { bias, scale: 0.5 });
  expectGradient(x, dx, forward, y, dy, 7);
  expectGradient(w, dw, forward, y, dy, 7);
  expectGradient(bias, db, forward, y, dy);
});

test("embedding", () => {
  const ids = ints([2, 0, 2]), table = normal(4, 3), y = device.alloc([3, 3]), dy = normal(3, 3), dTable = device.alloc([4, 3]);
  device.embeddingBackward(ids, dy, dTable);
  expectGradient(table, dTable, () => device.embedding(ids, table, y), y, dy);
});

test("rmsNorm: dx and dw", () => {
  const x = normal(3, 6), w = normal(6), y = device.alloc([3, 6]), dy = normal(3, 6), dx = device.alloc([3, 6]), dw = device.alloc([6]);
  device.rmsNormBackward(x, w, dy, dx, dw, 1e-3);
  const forward = () => device.rmsNorm(x, w, y, 1e-3);
  expectGradient(x, dx, forward, y, dy);
  expectGradient(w, dw, forward, y, dy);
});

test("rope: the inverse rotation is the gradient", () => {
  const x = normal(2, 2, 6), y = device.alloc([2, 2, 6]), dy = normal(2, 2, 6), dx = device.alloc([2, 2, 6]);
  const positions = ints([3, 8]), invFreq = normal(2);
  device.copy(dy, dx);
  device.rope(dx, positions, invFreq, true);
  const forward = () => {
    device.copy(x, y);
    device.rope(y, positions, invFreq);
  };
  expectGradient(x, dx, forward, y, dy);
});

test("swiglu, also written over its inputs", () => {
  const gate = normal(7), up = normal(7), y = device.alloc([7]), dy = normal(7), dGate = device.alloc([7]), dUp = device.alloc([7]);
  device.copy(gate, dGate);
  device.copy(up, dUp);
  device.swigluBackward(dGate, dUp, dy, dGate, dUp);
  const forward = () => device.swiglu(gate, up, y);
  expectGradient(gate, dGate, forward, y, dy);
  expectGradient(up, dUp, forward, y, dy);
});

test("attention: dq, dk, dv", () => {
  const [N, H, G, E] = [6, 4, 2, 3];
  const q = normal(N, H, E), k = normal(N, G, E), v = normal(N, G, E), y = device.alloc([N, H, E]), dy = normal(N, H, E);
  const dq = device.alloc([N, H, E]), dk = device.alloc([N, G, E]), dv = device.alloc([N, G, E]), lse = device.alloc([N, H]);
  const sequences = { offsets: ints([0, 2, 6]), maxLength: 4 };
  const forward = () => device.attention(q, k, v, sequences, y, lse);
  forward();
  device.attentionBackward(q, k, v, y, lse, dy, sequences, dq, dk, dv);
  expectGradient(q, dq, forward, y, dy);
  expectGradient(k, dk, forward, y, dy);
  expectGradient(v, dv, forward, y, dy);
});

test("targetLogprobs: dh and dw", () => {
  const [N, D, V] = [3, 4, 7];
  const h = normal(N, D), w = normal(V, D), weight = normal(N), dh = device.alloc([N, D]), dw = device.alloc([V, D]);
  const targets = ints([6, 0, 3]), logprob = device.alloc([N]), entropy = device.alloc([N]), logZ = device.alloc([N]);
  const forward = () => device.targetLogprobs(h, w, targets, logprob, entropy, logZ);
  forward();
  device.targetLogprobsBackward(h, w, targets, logZ, weight, dh, dw);
  expectGradient(h, dh, forward, logprob, weight);
  expectGradient(w, dw, forward, logprob, weight);
});
