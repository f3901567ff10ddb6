/**
 * Operations on elements, whatever their shape: a scaled sum, the gated activation silu(gate) · up and its backward
 * pass, sums of squares and AdamW. `size` counts elements; units are blocks of elements.
 */
import { exp4, laneMask, madd, storeLanes, sumLanes } from "./simd";
import { blocks, takeUnit } from "./units";

const BLOCK = 4096;

/** y += scale · x. */
export function add(scratch: usize, x: usize, y: usize, size: i32, scale: f32): void {
  const units = blocks(size, BLOCK);
  for (let unit = takeUnit(); unit < units; unit = takeUnit()) {
    const end = min(size, (unit + 1) * BLOCK);
    for (let i = unit * BLOCK; i < end; i += 4) {
      const at = <usize>i << 2;
      storeLanes(y + at, madd(v128.load(x + at), f32x4.splat(scale), v128.load(y + at)), end - i);
    }
  }
}

// @ts-ignore: decorator
@inline
function sigmoid(x: v128): v128 {
  return f32x4.div(f32x4.splat(1), f32x4.add(f32x4.splat(1), exp4(f32x4.pmin(f32x4.neg(x), f32x4.splat(88)))));
}

/** y = gate · sigmoid(gate) · up. */
export function swiglu(scratch: usize, gate: usize, up: usize, y: usize, size: i32): void {
  const units = blocks(size, BLOCK);
  for (let unit = takeUnit(); unit < units; unit = takeUnit()) {
    const end = min(size, (unit + 1) * BLOCK);
    for (let i = unit * BLOCK; i < end; i += 4) {
      const at = <usize>i << 2;
      const g = v128.load(gate + at);
      storeLanes(y + at, f32x4.mul(f32x4.mul(g, sigmoid(g)), v128.load(up + at)), end - i);
    }
  }
}

/** With σ = sigmoid(gate): dUp = dy · gate · σ, dGate = dy · up · (σ + gate · σ · (1 − σ)). */
export function swigluBackward(scratch: usize, gate: usize, up: usize, dy: usize, dGate: usize, dUp: usize, size: i32): void {
  const units = blocks(size, BLOCK);
  for (let unit = takeUnit(); unit < units; unit = takeUnit()) {
    const end = min(size, (unit + 1) * BLOCK);
    for (let i = unit * BLOCK; i < end; i += 4) {
      const at = <usize>i << 2;
      const g = v128.load(gate + at), u = v128.load(up + at), d = v128.load(dy + at);
      const s = sigmoid(g);
      const silu = f32x4.mul(g, s);
      const slope = madd(silu, f32x4.sub(f32x4.splat(1), s), s);
      storeLanes(dGate + at, f32x4.mul(f32x4.mul(d, u), slope), end - i);
      storeLanes(dUp + at, f32x4.mul(d, silu), end - i);
    }
  }
}

/** partials[unit] f64 = Σ t² over the unit's block; the host adds them in order. */
export function sumSquares(scratch: usize, t: usize, size: i32, partials: usize): void {
  const units = blocks(size, BLOCK);
  for (let unit = takeUnit(); unit < units; unit = takeUnit()) {
    const end = min(size, (unit + 1) * BLOCK);
    let sum = f32x4.splat(0);
    for (let i = unit * BLOCK; i < end; i += 4) {
      const v = v128.and(v128.load(t + (<usize>i << 2)), laneMask(end - i));
      sum = madd(v, v, sum);
    }
    store<f64>(partials + (<usize>unit << 3), <f64>sumLanes(sum));
  }
}

/**
 * g = grad · gradScale; m, v are the running means of g and g²; param = param · keep − stepSize · m / (√v · rootScale + eps),
 * where keep = 1 − lr · weightDecay, stepSize = lr / (1 − β₁ᵗ), rootScale = 1 / √(1 − β₂ᵗ).
 */
export function adamw(
  scratch: usize, param: usize, grad: usize, m: usize, v: usize, size: i32,
  gradScale: f32, beta1: f32, rest1: f32, beta2: f32, rest2: f32, keep: f32, stepSize: f32, rootScale: f32, eps: f32,
): void {
  const units = blocks(size, BLOCK);
  for (let unit = takeUnit(); unit < units; unit = takeUnit()) {
    const end = min(size, (unit + 1) * BLOCK);
    for (let i = unit * BLOCK; i < end; i += 4) {
      const at = <usize>i << 2;
      const g = f32x4.mul(v128.load(grad + at), f32x4.splat(gradScale));
      const mean = madd(f32x4.splat(rest1), g, f32x4.mul(f32x4.splat(beta1), v128.load(m + at)));
      const square = madd(f32x4.mul(f32x4.splat(rest2), g), g, f32x4.mul(f32x4.splat(beta2), v128.load(v + at)));
      const root = madd(f32x4.sqrt(square), f32x4.splat(rootScale), f32x4.splat(eps));
      const step = f32x4.div(f32x4.mul(f32x4.splat(stepSize), mean), root);
      storeLanes(param + at, f32x4.sub(f32x4.mul(v128.load(param + at), f32x4.splat(keep)), step), end - i);
      storeLanes(m + at, mean, end - i);
      storeLanes(v + at, square, end - i);
    }
  }
}
