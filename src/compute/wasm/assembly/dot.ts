/**
 * y[n, m] = scale · Σ_k x[n, k] · w[m, k] (+ bias[m]) (+ y[n, m]): dot products of rows, both contiguous along k.
 *
 * Lane l of an accumulator adds the products with k ≡ l (mod 4) in ascending order; then the lanes are added in the
 * order of `sumLanes`. This order is the same in every tile, so a row's result does not depend on its neighbours. It
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

/** Four rows of x by four rows of w; where `count` < 4, the pointers of the rows that do not exist repeat w0. */
function tile4x4(
  x0: usize, x1: usize, x2: usize, x3: usize, w0: usize, w1: usize, w2: usize, w3: usize, K: i32,
  y: usize, yStride: usize, count: i32, scale: f32, bias: usize, accumulate: bool,
): void {
  let a00 = f32x4.splat(0), a01 = f32x4.splat(0), a02 = f32x4.splat(0), a03 = f32x4.splat(0);
  let a10 = f32x4.splat(0), a11 = f32x4.splat(0), a12 = f32x4.splat(0), a13 = f32x4.splat(0);
  let a20 = f32x4.splat(0), a21 = f32x4.splat(0), a22 = f32x4.splat(0), a23 = f32x4.splat(0);
  let a30 = f32x4.splat(0), a31 = f32x4.splat(0), a32 = f32x4.splat(0), a33 = f32x4.splat(0);
  let left = K;
  while (left >= 8) {
    const p0 = v128.load(x0), p1 = v128.load(x1), p2 = v128.load(x2), p3 = v128.load(x3);
    const b0 = v128.load(w0);
    a00 = madd(p0, b0, a00); a10 = madd(p1, b0, a10); a20 = madd(p2, b0, a20); a30 = madd(p3, b0, a30);
    const b1 = v128.load(w1);
    a01 = madd(p0, b1, a01); a11 = madd(p1, b1, a11); a21 = madd(p2, b1, a21); a31 = madd(p3, b1, a31);
    const b2 = v128.load(w2);
    a02 = madd(p0, b2, a02); a12 = madd(p1, b2, a12); a22 = madd(p2, b2, a22); a32 = madd(p3, b2, a32);
    const b3 = v128.load(w3);
    a03 = madd(p0, b3, a03); a13 = madd(p1, b3, a13); a23 = madd(p2, b3, a23); a33 = madd(p3, b3, a33);
    const q0 = v128.load(x0, 16), q1 = v128.load(x1, 16), q2 = v128.load(x2, 16), q3 = v128.load(x3, 16);
    const c0 = v128.load(w0, 16);
    a00 = madd(q0, c0, a00); a10 = madd(q1, c0, a10); a20 = madd(q2, c0, a20); a30 = madd(q3, c0, a30);
    const c1 = v128.load(w1, 16);
    a01 = madd(q0, c1, a01); a11 = madd(q1, c1, a11); a21 = madd(q2, c1, a21); a31 = madd(q3, c1, a31);
    const c2 = v128.load(w2, 16);
    a02 = madd(q0, c2, a02); a12 = madd(q1, c2, a12); a22 = madd(q2, c2, a22); a32 = madd(q3, c2, a32);
    const c3 = v128.load(w3, 16);
    a03 = madd(q0, c3, a03); a13 = madd(q1, c3, a13); a23 = madd(q2, c3, a23); a33 = madd(q3, c3, a33);
    x0 += 32; x1 += 32; x2 += 32; x3 += 32;
    w0 += 32; w1 += 32; w2 += 32; w3 += 32;
    left -= 8;
  }
  while (left > 0) {
    const mask = laneMask(left);
    const p0 = v128.and(v128.load(x0), mask), p1 = v128.and(v128.load(x1), mask);
    const p2 = v128.and(v128.load(x2), mask), p3 = v128.and(v128.load(x3), mask);
    const b0 = v128.and(v128.load(w0), mask);
    a00 = madd(p0, b0, a00); a10 = madd(p1, b0, a10); a20 = madd(p2, b0, a20); a30 = madd(p3, b0, a30);
    const b1 = v128.and(v128.load(w1), mask);
    a01 = madd(p0, b1, a01); a11 = madd(p1, b1, a11); a21 = madd(p2, b1, a21); a31 = madd(p3, b1, a31);
    const b2 = v128.and(v128.load(w2), mask);
    a02 = madd(p0, b2, a02); a12 = madd(p1, b2, a12); a22 = madd(p2, b2, a22); a32 = madd(p3, b2, a32);
    const b3 = v128.and(v128.load(w3), mask);
    a03 = madd(p0, b3, a03); a13 = madd(p1, b3, a13); a23 = madd(p2, b3, a23); a33 = madd(p3, b3, a33);
    x0 += 16; x1 += 16; x2 += 16; x3 += 16;
    w0 += 16; w1 += 16; w2 += 16; w3 += 16;
    left -= 4;
  }
  finish(y, sumLanes4(a00, a01, a02, a03), count, scale, bias, accumulate);
  finish(y + yStride, sumLanes4(a10, a11, a12, a13), count, scale, bias, accumulate);
  finish(y + 2 * yStride, sumLanes4(a20, a21, a22, a23), count, scale, bias, accumulate);
  finish(y + 3 * yStride, sumLanes4(a30, a31, a32, a33), count, scale, bias, accumulate);
}

/** One row of x by four rows of w. */
function tile1x4(
  x: usize, w0: usize, w1: usize, w2: usize, w3: usize, K: i32, y: usize, count: i32, scale: f32, bias: usize, accumulate: bool,
): void {
  let a0 = f32x4.splat(0), a1 = f32x4.splat(0), a2 = f32x4.splat(0), a3 = f32x4.splat(0);
  let left = K;
  while (left >= 16) {
    const p = v128.load(x), q = v128.load(x, 16), r = v128.load(x, 32), s = v128.load(x, 48);
    a0 = madd(p, v128.load(w0), a0); a1 = madd(p, v128.load(w1), a1); a2 = madd(p, v128.load(w2), a2); a3 = madd(p, v128.load(w3), a3);
    a0 = madd(q, v128.load(w0, 16), a0); a1 = madd(q, v128.load(w1, 16), a1); a2 = madd(q, v128.load(w2, 16), a2); a3 = madd(q, v128.load(w3, 16), a3);
    a0 = madd(r, v128.load(w0, 32), a0); a1 = madd(r, v128.load(w1, 32), a1); a2 = madd(r, v128.load(w2, 32), a2); a3 = madd(r, v128.load(w3, 32), a3);
    a0 = madd(s, v128.load(w0, 48), a0); a1 = madd(s, v128.load(w1, 48), a1); a2 = madd(s, v128.load(w2, 48), a2); a3 = madd(s, v128.load(w3, 48), a3);
    x += 64; w0 += 64; w1 += 64; w2 += 64; w3 += 64;
    left -= 16;
  }
  while (left > 0) {
    const mask = laneMask(left);
    const p = v128.and(v128.load(x), mask);
    a0 = madd(p, v128.and(v128.load(w0), mask), a0);
    a1 = madd(p, v128.and(v128.load(w1), mask), a1);
    a2 = madd(p, v128.and(v128.load(w2), mask), a2);
    a3 = madd(p, v128.and(v128.load(w3), mask), a3);
    x += 16; w0 += 16; w1 += 16; w2 += 16; w3 += 16;
    left -= 4;
  }
  finish(y, sumLanes4(a0, a1, a2, a3), count, scale, bias, accumulate);
}

/** `rows` rows of x by `cols` rows of w, f32. Strides in bytes. Keep w small enough for the first-level cache. */
export function dotBlock(
  x: usize, xStride: usize, rows: i32, w: usize, wStride: usize, cols: i32, K: i32,
  y: usize, yStride: usize, scale: f32, bias: usize, accumulate: bool,
): void {
  let i = 0;
  while (i < rows) {
    const x0 = x + <usize>i * xStride;
    const out = y + <usize>i * yStride;
    const four = rows - i >= 4;
    for (let j = 0; j < cols; j += 4) {
      const count = min(4, cols - j);
      const w0 = w + <usize>j * wStride;
      const w1 = count > 1 ? w0 + wStride : w0;
      const w2 = count > 2 ? w1 + wStride : w0;
      const w3 = count > 3 ? w2 + wStride : w0;
      const at = out + (<usize>j << 2);
      const biasAt = bias ? bias + (<usize>j << 2) : 0;
      if (four) {
        tile4x4(
          x0, x0 + xStride, x0 + 2 * xStride, x0 + 3 * xStride, w0, w1, w2, w3, K, at, yStride, count, scale, biasAt, accumulate,
        );
      } else {
        tile1x4(x0, w0, w1, w2, w3, K, at, count, scale, biasAt, accumulate);
      }
    }
    i += four ? 4 : 1;
  }
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
