/**
 * c[i, j] = Σ_p a(i, p) · b[p, j]: a tile of 4 × 8 outputs held in registers, one multiply-add of a broadcast element
 * of a with 8 neighbouring elements of b at a time. Each output adds its products in ascending p in one chain, in
 * every tile, so a row's result does not depend on its neighbours. The inner loops are short on purpose: see dot.ts.
 *
 * a is read by rows (`outerRows`: a(i, p) at a + i · aStride + 4p) or by columns (`outerColumns`: a + p · aStride + 4i).
 * b[p, 0..8) is at b + p · bStep. Strides in bytes.
 */
import { madd, storeLanes } from "./simd";

/** c = scale · Σ */
export const STORE = 0;
/** c = c + scale · Σ */
export const ADD = 1;
/** The chain goes on from c: c = (c + ...) without scaling, so a sum may be cut into pieces without changing it. */
export const CHAIN = 2;

// @ts-ignore: decorator
@inline
function storeRow(c: usize, low: v128, high: v128, cols: i32, scale: f32, mode: i32): void {
  if (mode != CHAIN) {
    low = f32x4.mul(low, f32x4.splat(scale));
    high = f32x4.mul(high, f32x4.splat(scale));
    if (mode == ADD) {
      low = f32x4.add(v128.load(c), low);
      high = f32x4.add(v128.load(c, 16), high);
    }
  }
  if (cols >= 8) {
    v128.store(c, low);
    v128.store(c, high, 16);
  } else {
    storeLanes(c, low, cols);
    if (cols > 4) storeLanes(c + 16, high, cols - 4);
  }
}

/** One tile of `rows` ≤ 4 rows (missing ones repeat row 0, unstored) and `cols` ≤ 8 columns. */
function tileRows(
  a: usize, aStride: usize, b: usize, bStep: usize, P: i32, c: usize, cStride: usize, rows: i32, cols: i32, scale: f32, mode: i32,
): void {
  let a1 = rows > 1 ? a + aStride : a;
  let a2 = rows > 2 ? a + 2 * aStride : a;
  let a3 = rows > 3 ? a + 3 * aStride : a;
  let l0 = f32x4.splat(0), h0 = f32x4.splat(0), l1 = f32x4.splat(0), h1 = f32x4.splat(0);
  let l2 = f32x4.splat(0), h2 = f32x4.splat(0), l3 = f32x4.splat(0), h3 = f32x4.splat(0);
  if (mode == CHAIN) {
    l0 = v128.load(c); h0 = v128.load(c, 16);
    if (rows > 1) { l1 = v128.load(c + cStride); h1 = v128.load(c + cStride, 16); }
    if (rows > 2) { l2 = v128.load(c + 2 * cStride); h2 = v128.load(c + 2 * cStride, 16); }
    if (rows > 3) { l3 = v128.load(c + 3 * cStride); h3 = v128.load(c + 3 * cStride, 16); }
  }
  for (let p = 0; p < P; p++) {
    const low = v128.load(b), high = v128.load(b, 16);
    const s0 = v128.load32_splat(a); l0 = madd(s0, low, l0); h0 = madd(s0, high, h0);
    const s1 = v128.load32_splat(a1); l1 = madd(s1, low, l1); h1 = madd(s1, high, h1);
    const s2 = v128.load32_splat(a2); l2 = madd(s2, low, l2); h2 = madd(s2, high, h2);
    const s3 = v128.load32_splat(a3); l3 = madd(s3, low, l3); h3 = madd(s3, high, h3);
    a += 4; a1 += 4; a2 += 4; a3 += 4; b += bStep;
  }
  storeRow(c, l0, h0, cols, scale, mode);
  if (rows > 1) storeRow(c + cStride, l1, h1, cols, scale, mode);
  if (rows > 2) storeRow(c + 2 * cStride, l2, h2, cols, scale, mode);
  if (rows > 3) storeRow(c + 3 * cStride, l3, h3, cols, scale, mode);
}

/** As `tileRows`, with a read by columns; columns of a past `rows` are read but not used. */
function tileColumns(
  a: usize, aStride: usize, b: usize, bStep: usize, P: i32, c: usize, cStride: usize, rows: i32, cols: i32, scale: f32, mode: i32,
): void {
  let l0 = f32x4.splat(0), h0 = f32x4.splat(0), l1 = f32x4.splat(0), h1 = f32x4.splat(0);
  let l2 = f32x4.splat(0), h2 = f32x4.splat(0), l3 = f32x4.splat(0), h3 = f32x4.splat(0);
  if (mode == CHAIN) {
    l0 = v128.load(c); h0 = v128.load(c, 16);
    if (rows > 1) { l1 = v128.load(c + cStride); h1 = v128.load(c + cStride, 16); }
    if (rows > 2) { l2 = v128.load(c + 2 * cStride); h2 = v128.load(c + 2 * cStride, 16); }
    if (rows > 3) { l3 = v128.load(c + 3 * cStride); h3 = v128.load(c + 3 * cStride, 16); }
  }
  for (let p = 0; p < P; p++) {
    const low = v128.load(b), high = v128.load(b, 16);
    const s0 = v128.load32_splat(a); l0 = madd(s0, low, l0); h0 = madd(s0, high, h0);
    const s1 = v128.load32_splat(a, 4); l1 = madd(s1, low, l1); h1 = madd(s1, high, h1);
    const s2 = v128.load32_splat(a, 8); l2 = madd(s2, low, l2); h2 = madd(s2, high, h2);
    const s3 = v128.load32_splat(a, 12); l3 = madd(s3, low, l3); h3 = madd(s3, high, h3);
    a += aStride; b += bStep;
  }
  storeRow(c, l0, h0, cols, scale, mode);
  if (rows > 1) storeRow(c + cStride, l1, h1, cols, scale, mode);
  if (rows > 2) storeRow(c + 2 * cStride, l2, h2, cols, scale, mode);
  if (rows > 3) storeRow(c + 3 * cStride, l3, h3, cols, scale, mode);
}

/** One row by 32 columns: what decoding needs, where a tile of four rows would waste three. */
function tileRow32(a: usize, b: usize, bStep: usize, P: i32, c: usize, scale: f32, mode: i32): void {
  let s0 = f32x4.splat(0), s1 = f32x4.splat(0), s2 = f32x4.splat(0), s3 = f32x4.splat(0);
  let s4 = f32x4.splat(0), s5 = f32x4.splat(0), s6 = f32x4.splat(0), s7 = f32x4.splat(0);
  if (mode == CHAIN) {
    s0 = v128.load(c); s1 = v128.load(c, 16); s2 = v128.load(c, 32); s3 = v128.load(c, 48);
    s4 = v128.load(c, 64); s5 = v128.load(c, 80); s6 = v128.load(c, 96); s7 = v128.load(c, 112);
  }
  for (let p = 0; p < P; p++) {
    const s = v128.load32_splat(a);
    s0 = madd(s, v128.load(b), s0); s1 = madd(s, v128.load(b, 16), s1);
    s2 = madd(s, v128.load(b, 32), s2); s3 = madd(s, v128.load(b, 48), s3);
    s4 = madd(s, v128.load(b, 64), s4); s5 = madd(s, v128.load(b, 80), s5);
    s6 = madd(s, v128.load(b, 96), s6); s7 = madd(s, v128.load(b, 112), s7);
    a += 4;
    b += bStep;
  }
  storeRow(c, s0, s1, 8, scale, mode);
  storeRow(c + 32, s2, s3, 8, scale, mode);
  storeRow(c + 64, s4, s5, 8, scale, mode);
  storeRow(c + 96, s6, s7, 8, scale, mode);
}

/** Any number of rows by `cols` columns; `bPanel` is the distance between the starts of 8-column panels of b. */
export function outerRows(
  a: usize, aStride: usize, rows: i32, b: usize, bStep: usize, bPanel: usize, cols: i32, P: i32,
  c: usize, cStride: usize, scale: f32, mode: i32,
): void {
  let j = 0;
  if (rows <= 2 && bPanel == 32) {
    for (; j + 32 <= cols; j += 32) {
      for (let i = 0; i < rows; i++) {
        tileRow32(a + <usize>i * aStride, b + (<usize>j << 2), bStep, P, c + <usize>i * cStride + (<usize>j << 2), scale, mode);
      }
    }
  }
  for (; j < cols; j += 8) {
    const panel = b + (<usize>j >> 3) * bPanel;
    for (let i = 0; i < rows; i += 4) {
      tileRows(
        a + <usize>i * aStride, aStride, panel, bStep, P,
        c + <usize>i * cStride + (<usize>j << 2), cStride, min(4, rows - i), min(8, cols - j), scale, mode,
      );
    }
  }
}

/** As `outerRows`, a read by columns; `aPanel` is the distance between the starts of 4-column panels of a. */
export function outerColumns(
  a: usize, aStride: usize, aPanel: usize, rows: i32, b: usize, bStep: usize, bPanel: usize, cols: i32, P: i32,
  c: usize, cStride: usize, scale: f32, mode: i32,
): void {
  for (let j = 0; j < cols; j += 8) {
    const panel = b + (<usize>j >> 3) * bPanel;
    let column = a;
    for (let i = 0; i < rows; i += 4) {
      tileColumns(
        column, aStride, panel, bStep, P, c + <usize>i * cStride + (<usize>j << 2), cStride, min(4, rows - i), min(8, cols - j), scale, mode,
      );
      column += aPanel;
    }
  }
}
