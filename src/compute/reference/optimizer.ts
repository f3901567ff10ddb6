/** Gradient norm and AdamW, plainly. */
import type { AdamWOptions } from "../kernels.ts";

type F64 = Float64Array;

export function sumSquares(t: F64): number {
  return t.reduce((sum, x) => sum + x * x, 0);
}

/** Decoupled weight decay (Loshchilov and Hutter 2019, algorithm 2) with a constant schedule. */
export function adamw(param: F64, grad: F64, m: F64, v: F64, gradScale: number, o: AdamWOptions): void {
  for (let i = 0; i < param.length; i++) {
    const g = grad[i] * gradScale;
    m[i] = o.beta1 * m[i] + (1 - o.beta1) * g;
    v[i] = o.beta2 * v[i] + (1 - o.beta2) * g * g;
    const mHat = m[i] / (1 - o.beta1 ** o.step);
    const vHat = v[i] / (1 - o.beta2 ** o.step);
    param[i] = param[i] * (1 - o.lr * o.weightDecay) - (o.lr * mHat) / (Math.sqrt(vHat) + o.eps);
  }
}
