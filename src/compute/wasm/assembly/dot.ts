/**
 * y[n, m] = scale · Σ_k x[n, k] · w[m, k] (+ bias[m]) (+ y[n, m]): dot products of rows, both contiguous along k.
 *
 * Lane l of an accumulator adds the products with k ≡ l (mod 4): first those of an incomplete last vector, then the
 * others in ascending order; then the lanes are added in the order of `sumLanes`. This order is the same in every tile, so a row's result does not depend on its neighbours. It
 * needs no packing, which makes decoding (few rows) as cheap as reading the weights once.
 */
import { laneMask, madd, storeLanes, sumLanes4, widenRow } from "./simd";

/** Stores up to 4 outputs of one row. */
// @ts-ignore: decorator
@inline
function finish(y: usize, sums: v128, count: i32, scale: f32, bias: usize, accumulate: bool): void {
  let result = f32x4.mul(sums, f32x4.splat(scale));
  if (bias) result = f32x4.add(result, v128.load(bias));
  if (accumulate) result = f32x4.add(result, v128.load(y));
  storeLanes(y, result, count);
}

/*
 * Both tiles keep their inner loop to a few instructions and few registers: engines unroll such a loop themselves, and
 * any accumulator that does not fit into a register would be written to the stack in every round.
 */

/** Two rows of x by four rows of w; where `count` < 4, rows that do not exist repeat w0. */
// @ts-ignore: decorator
@inline
function tile2x4(
  x: usize, xStride: usize, w0: usize, w1: usize, w2: usize, w3: usize, K: i32,
  y: usize, yStride: usize, count: i32, scale: f32, bias: usize, accumulate: bool,
): void {
  let x1 = x + xStride;
  let a00 = f32x4.splat(0), a01 = f32x4.splat(0), a02 = f32x4.splat(0), a03 = f32x4.splat(0);
  let a10 = f32x4.splat(0), a11 = f32x4.splat(0), a12 = f32x4.splat(0), a13 = f32x4.splat(0);
  if (K & 3) {
    const mask = laneMask(K & 3);
    const at = <usize>(K & ~3) << 2;
    const p = v128.and(v128.load(x + at), mask), q = v128.and(v128.load(x1 + at), mask);
    const b0 = v128.and(v128.load(w0 + at), mask); a00 = f32x4.mul(p, b0); a10 = f32x4.mul(q, b0);
    const b1 = v128.and(v128.load(w1 + at), mask); a01 = f32x4.mul(p, b1); a11 = f32x4.mul(q, b1);
    const b2 = v128.and(v128.load(w2 + at), mask); a02 = f32x4.mul(p, b2); a12 = f32x4.mul(q, b2);
    const b3 = v128.and(v128.load(w3 + at), mask); a03 = f32x4.mul(p, b3); a13 = f32x4.mul(q, b3);
  }
  for (let left = K >> 2; left > 0; left--) {
    const p = v128.load(x), q = v128.load(x1);
    const b0 = v128.load(w0); a00 = madd(p, b0, a00); a10 = madd(q, b0, a10);
    const b1 = v128.load(w1); a01 = madd(p, b1, a01); a11 = madd(q, b1, a11);
    const b2 = v128.load(w2); a02 = madd(p, b2, a02); a12 = madd(q, b2, a12);
    const b3 = v128.load(w3); a03 = madd(p, b3, a03); a13 = madd(q, b3, a13);
    x += 16; x1 += 16; w0 += 16; w1 += 16; w2 += 16; w3 += 16;
  }
  const first = sumLanes4(a00, a01, a02, a03), second = sumLanes4(a10, a11, a12, a13);
  finish(y, first, count, scale, bias, accumulate);
  finish(y + yStride, second, count, scale, bias, accumulate);
}

/** One row of x by four rows of w. */
// @ts-ignore: decorator
@inline
function tile1x4(
  x: usize, w0: usize, w1: usize, w2: usize, w3: usize, K: i32, y: usize, count: i32, scale: f32, bias: usize, accumulate: bool,
): void {
  let a0 = f32x4.splat(0), a1 = f32x4.splat(0), a2 = f32x4.splat(0), a3 = f32x4.splat(0);
  if (K & 3) {
    const mask = laneMask(K & 3);
    const at = <usize>(K & ~3) << 2;
    const p = v128.and(v128.load(x + at), mask);
    a0 = f32x4.mul(p, v128.and(v128.load(w0 + at), mask)); a1 = f32x4.mul(p, v128.and(v128.load(w1 + at), mask));
    a2 = f32x4.mul(p, v128.and(v128.load(w2 + at), mask)); a3 = f32x4.mul(p, v128.and(v128.load(w3 + at), mask));
  }
  for (let left = K >> 2; left > 0; left--) {
    const p = v128.load(x);
    a0 = madd(p, v128.load(w0), a0); a1 = madd(p, v128.load(w1), a1); a2 = madd(p, v128.load(w2), a2); a3 = madd(p, v128.load(w3), a3);
    x += 16; w0 += 16; w1 += 16; w2 += 16; w3 += 16;
  }
  finish(y, sumLanes4(a0, a1, a2, a3), count, scale, bias, accumulate);
}

// @ts-ignore: decorator
@inline
function tiles(
  x: usize, xStride: usize, rows: i32, w: usize, wStride: usize, cols: i32, K: i32,
  y: usize, yStride: usize, scale: f32, bias: usize, accumulate: bool,
): void {
  for (let i = 0; i < rows; i += 2) {
    const pair = i + 1 < rows;
    let w0 = w, out = y, b = bias;
    for (let count = cols; count > 0; count -= 4) {
      const w1 = count > 1 ? w0 + wStride : w0;
      const w2 = count > 2 ? w1 + wStride : w0;
      const w3 = count > 3 ? w2 + wStride : w0;
      if (pair) tile2x4(x, xStride, w0, w1, w2, w3, K, out, yStride, count, scale, b, accumulate);
      else tile1x4(x, w0, w1, w2, w3, K, out, count, scale, b, accumulate);
      w0 = w3 + wStride;
      out += 16;
      if (bias) b += 16;
    }
    x += 2 * xStride;
    y += 2 * yStride;
  }
}

/** `rows` rows of x by `cols` rows of w, f32. Strides in bytes. Keep w small enough for the first-level cache. */
function dotBlock(
  x: usize, xStride: usize, rows: i32, w: usize, wStride: usize, cols: i32, K: i32,
  y: usize, yStride: usize, scale: f32, bias: usize, accumulate: bool,
): void {
  tiles(x, xStride, rows, w, wStride, cols, K, y, yStride, scale, bias, accumulate);
}

/** `dotBlock` without bias and sum, for attention's short rows, where a tile's ending counts. */
export function scoreBlock(
  x: usize, xStride: usize, rows: i32, w: usize, wStride: usize, cols: i32, K: i32, y: usize, yStride: usize, scale: f32,
): void {
  tiles(x, xStride, rows, w, wStride, cols, K, y, yStride, scale, 0, false);
}

/** Rows of w, of K elements, that fill half the first-level cache. */
// @ts-ignore: decorator
@inline
export function weightRows(K: i32): i32 {
  return max(4, min(64, 6144 / K)) & ~3;
}

/**
 * `dotBlock` over any number of rows of w, f32 or f16, a cache-full at a time. `scratch` holds weightRows(K) · (K + 4)
 * floats (used for f16).
 */
export function project(
  x: usize, xStride: usize, rows: i32, w: usize, half: bool, cols: i32, K: i32,
  y: usize, yStride: usize, scale: f32, bias: usize, accumulate: bool, scratch: usize,
): void {
  const step = weightRows(K);
  for (let j = 0; j < cols; j += step) {
    const count = min(step, cols - j);
    let block = w + ((<usize>j * K) << (half ? 1 : 2));
    if (half) {
      widenRow(block, scratch, count * K);
      block = scratch;
    }
    const biasAt = bias ? bias + (<usize>j << 2) : 0;
    dotBlock(x, xStride, rows, block, <usize>K << 2, count, K, y + (<usize>j << 2), yStride, scale, biasAt, accumulate);
  }
}
