/**
 * Operations on rows: gathering by index and RMS normalisation.
 *   embedding          y[n, 0..D) = table[ids[n], 0..D), table f32 or f16
 *   embeddingBackward  dTable[ids[n]] += dy[n], n ascending
 *   rmsNorm            y = x · s · w with s = 1 / √(mean(x²) + eps), on rows of `width`
 */
import { laneMask, loadHalf4, madd, storeLanes, sumLanes } from "./simd";
import { blocks, takeUnit } from "./units";

const ROWS = 32;

export function embedding(scratch: usize, ids: usize, table: usize, half: bool, y: usize, N: i32, D: i32): void {
  const units = blocks(N, ROWS);
  for (let unit = takeUnit(); unit < units; unit = takeUnit()) {
    for (let n = unit * ROWS; n < min(N, (unit + 1) * ROWS); n++) {
      const row = <usize>load<i32>(ids + (<usize>n << 2)) * D;
      const to = y + ((<usize>n * D) << 2);
      if (half) {
        for (let d = 0; d < D; d += 4) storeLanes(to + (<usize>d << 2), loadHalf4(table + ((row + d) << 1)), D - d);
      } else {
        memory.copy(to, table + (row << 2), <usize>D << 2);
      }
    }
  }
}

/** A unit owns 32 columns, so that equal ids add up in the order of the rows. */
export function embeddingBackward(scratch: usize, ids: usize, dy: usize, dTable: usize, N: i32, D: i32): void {
  const units = blocks(D, 32);
  for (let unit = takeUnit(); unit < units; unit = takeUnit()) {
    const end = min(D, (unit + 1) * 32);
    for (let n = 0; n < N; n++) {
      const row = <usize>load<i32>(ids + (<usize>n << 2)) * D;
      for (let d = unit * 32; d < end; d += 4) {
        const at = dTable + ((row + d) << 2);
        storeLanes(at, f32x4.add(v128.load(at), v128.load(dy + ((<usize>n * D + d) << 2))), end - d);
      }
    }
  }
}

/** Σ x², lane by lane. */
// @ts-ignore: decorator
@inline
function sumSquaresRow(x: usize, width: i32): f32 {
  const whole = width & ~3;
  const rest = v128.and(v128.load(x + (<usize>whole << 2)), laneMask(width - whole));
  let even = f32x4.mul(rest, rest), odd = f32x4.splat(0);
  let i = 0;
  for (; i + 8 <= whole; i += 8) {
    const a = v128.load(x + (<usize>i << 2)), b = v128.load(x + (<usize>i << 2), 16);
    even = madd(a, a, even);
    odd = madd(b, b, odd);
  }
  if (i < whole) {
    const a = v128.load(x + (<usize>i << 2));
    even = madd(a, a, even);
  }
  return sumLanes(f32x4.add(even, odd));
}

/** Rows that a unit of about 4096 elements has. */
// @ts-ignore: decorator
@inline
function unitRows(width: i32): i32 {
  return max(1, 4096 / width);
}

export function rmsNorm(scratch: usize, x: usize, w: usize, y: usize, rows: i32, width: i32, eps: f32): void {
  const step = unitRows(width);
  const units = blocks(rows, step);
  for (let unit = takeUnit(); unit < units; unit = takeUnit()) {
    for (let r = unit * step; r < min(rows, (unit + 1) * step); r++) {
      const row = (<usize>r * width) << 2;
      const scale = f32x4.splat(1 / sqrt<f32>(sumSquaresRow(x + row, width) / <f32>width + eps));
      for (let i = 0; i < width; i += 4) {
        const at = row + (<usize>i << 2);
        storeLanes(y + at, f32x4.mul(f32x4.mul(v128.load(x + at), scale), v128.load(w + (<usize>i << 2))), width - i);
      }
    }
  }
}

/** x[i..i+4) · w[i..i+4) · dy[i..i+4). */
// @ts-ignore: decorator
@inline
function weighted(x: usize, w: usize, dy: usize, i: i32): v128 {
  const at = <usize>i << 2;
  return f32x4.mul(f32x4.mul(v128.load(x + at), v128.load(w + at)), v128.load(dy + at));
}

/**
 * dx = s·w·dy − x·s³·mean(x·w·dy) (+ dx). A unit is `unitSize` rows; where `partials` is given, unit u writes its
 * Σ dy·x·s to partials[u, 0..width), rows padded to a multiple of 4.
 */
export function rmsNormBackward(
  scratch: usize, x: usize, w: usize, dy: usize, dx: usize, partials: usize, rows: i32, width: i32, unitSize: i32, eps: f32, accumulate: bool,
): void {
  const units = blocks(rows, unitSize);
  const padded = (width + 3) & ~3;
  for (let unit = takeUnit(); unit < units; unit = takeUnit()) {
    const partial = partials + ((<usize>unit * padded) << 2);
    if (partials) memory.fill(partial, 0, <usize>padded << 2);
    for (let r = unit * unitSize; r < min(rows, (unit + 1) * unitSize); r++) {
      const row = (<usize>r * width) << 2;
      const s: f32 = 1 / sqrt<f32>(sumSquaresRow(x + row, width) / <f32>width + eps);
      const whole = width & ~3;
      let dot = v128.and(weighted(x + row, w, dy + row, whole), laneMask(width - whole));
      for (let i = 0; i < whole; i += 4) dot = f32x4.add(dot, weighted(x + row, w, dy + row, i));
      const scale = f32x4.splat(s);
      const pull = f32x4.splat((-s * s * s * sumLanes(dot)) / <f32>width);
      for (let i = 0; i < width; i += 4) {
        const at = row + (<usize>i << 2);
        const xi = v128.load(x + at);
        const scaled = f32x4.mul(v128.load(dy + at), scale);
        if (partials) {
          const sum = partial + (<usize>i << 2);
          v128.store(sum, madd(scaled, xi, v128.load(sum)));
        }
        let result = madd(xi, pull, f32x4.mul(scaled, v128.load(w + (<usize>i << 2))));
        if (accumulate) result = f32x4.add(result, v128.load(dx + at));
        storeLanes(dx + at, result, width - i);
      }
    }
  }
}

/** to[0..width) += Σ partials[u, 0..width) in ascending u; rows of partials padded to a multiple of 4. */
export function addPartials(scratch: usize, partials: usize, count: i32, width: i32, to: usize): void {
  const padded = (width + 3) & ~3;
  const units = blocks(width, 64);
  for (let unit = takeUnit(); unit < units; unit = takeUnit()) {
    for (let i = unit * 64; i < min(width, (unit + 1) * 64); i += 4) {
      let sum = f32x4.splat(0);
      for (let u = 0; u < count; u++) sum = f32x4.add(sum, v128.load(partials + ((<usize>u * padded + i) << 2)));
      const at = to + (<usize>i << 2);
      storeLanes(at, f32x4.add(v128.load(at), sum), width - i);
    }
  }
}
