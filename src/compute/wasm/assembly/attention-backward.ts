/**
 * Backward pass of packed causal attention; shapes as in attention.ts. A work unit is one sequence and one key/value
 * head, with all query heads that share it, so dk and dv need no reduction between units. Blocks of B rows by B keys:
 *   P = e^(scale · q kᵀ − lse),  dv += Pᵀ dy,  dS = scale · P ∘ (dy vᵀ − D) with D = dy · y,  dq += dS k,  dk += dSᵀ q
 * sequences i32 [S, 2]: first row, rows.
 */
import { scoreBlock } from "./dot";
import { CHAIN, outerColumns, outerRows } from "./outer";
import { exp4, laneMask, sumLanes } from "./simd";
import { takeUnit } from "./units";

const B = 48;
const STRIDE: usize = (B + 8) * 4;

// @ts-ignore: decorator
@inline
function dotRow(a: usize, b: usize, E: i32): f32 {
  let sum = f32x4.splat(0);
  for (let e = 0; e < E; e += 4) {
    const product = f32x4.mul(v128.load(a + (<usize>e << 2)), v128.load(b + (<usize>e << 2)));
    sum = f32x4.add(sum, v128.and(product, laneMask(E - e)));
  }
  return sumLanes(sum);
}

/** p = e^(p − lse), ds = scale · p · (ds − D) over the first `valid` keys of a block's row; the rest becomes 0. */
// @ts-ignore: decorator
@inline
function probabilities(p: usize, ds: usize, lse: f32, D: f32, scale: f32, valid: i32, cols: i32): void {
  const shift = f32x4.splat(lse), offset = f32x4.splat(D), factor = f32x4.splat(scale);
  let j = 0;
  for (; j + 4 <= min(valid, cols); j += 4) {
    const at = <usize>j << 2;
    const probability = exp4(f32x4.sub(v128.load(p + at), shift));
    v128.store(p + at, probability);
    v128.store(ds + at, f32x4.mul(f32x4.mul(probability, factor), f32x4.sub(v128.load(ds + at), offset)));
  }
  for (; j < cols; j += 4) {
    const at = <usize>j << 2;
    const mask = laneMask(valid - j);
    const probability = exp4(f32x4.sub(v128.load(p + at), shift));
    const gradient = f32x4.mul(f32x4.mul(probability, factor), f32x4.sub(v128.load(ds + at), offset));
    v128.store(p + at, v128.and(probability, mask));
    v128.store(ds + at, v128.and(gradient, mask));
  }
}

// @ts-ignore: decorator
@inline
function clearRows(t: usize, stride: usize, rows: i32, E: i32): void {
  for (let r = 0; r < rows; r++) memory.fill(t + <usize>r * stride, 0, <usize>E << 2);
}

/** Scratch: 2 · B · (B + 8) floats and one float per row of the longest sequence. */
export function attentionBackward(
  scratch: usize, q: usize, k: usize, v: usize, y: usize, lse: usize, dy: usize, sequences: usize, sequenceCount: i32,
  dq: usize, dk: usize, dv: usize, H: i32, G: i32, E: i32,
): void {
  const share = H / G;
  const scale: f32 = 1 / sqrt<f32>(<f32>E);
  const qStride = <usize>(H * E) << 2;
  const kStride = <usize>(G * E) << 2;
  const p = scratch;
  const ds = scratch + <usize>B * STRIDE;
  const D = ds + <usize>B * STRIDE;
  for (let unit = takeUnit(); unit < sequenceCount * G; unit = takeUnit()) {
    const g = unit % G;
    const start = load<i32>(sequences + (<usize>(unit / G) << 3));
    const length = load<i32>(sequences + (<usize>(unit / G) << 3), 4);
    const kv = ((<usize>start * G + g) * E) << 2;
    clearRows(dk + kv, kStride, length, E);
    clearRows(dv + kv, kStride, length, E);
    for (let h = g * share; h < (g + 1) * share; h++) {
      const head = ((<usize>start * H + h) * E) << 2;
      clearRows(dq + head, qStride, length, E);
      for (let i = 0; i < length; i++) {
        store<f32>(D + (<usize>i << 2), dotRow(dy + head + <usize>i * qStride, y + head + <usize>i * qStride, E));
      }
      for (let j = 0; j < length; j += B) {
        const cols = min(B, length - j);
        const key = kv + <usize>j * kStride;
        for (let i = j; i < length; i += B) {
          const rows = min(B, length - i);
          const row = head + <usize>i * qStride;
          scoreBlock(q + row, qStride, rows, k + key, kStride, cols, E, p, STRIDE, scale);
          scoreBlock(dy + row, qStride, rows, v + key, kStride, cols, E, ds, STRIDE, 1);
          for (let r = 0; r < rows; r++) {
            const rowLse = load<f32>(lse + ((<usize>(start + i + r) * H + h) << 2));
            const rowD = load<f32>(D + (<usize>(i + r) << 2));
            probabilities(p + <usize>r * STRIDE, ds + <usize>r * STRIDE, rowLse, rowD, scale, i + r - j + 1, cols);
          }
          outerColumns(p, STRIDE, 16, cols, dy + row, qStride, 32, E, rows, dv + key, kStride, 1, CHAIN);
          outerColumns(ds, STRIDE, 16, cols, q + row, qStride, 32, E, rows, dk + key, kStride, 1, CHAIN);
          outerRows(ds, STRIDE, rows, k + key, kStride, 32, E, cols, dq + row, qStride, 1, CHAIN);
        }
      }
    }
  }
}
