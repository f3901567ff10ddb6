/**
 * Log-probability head: z = h · wᵀ with h [N, D], w [V, D] (f32 or f16), a tile of the vocabulary at a time, so that no
 * [N, V] tensor exists.
 */
import { project, weightRows } from "./dot";
import { exp4, laneMask, logOf, madd, max4, maxLanes, storeLanes, sumLanes } from "./simd";
import { blocks, takeUnit } from "./units";

const ROWS = 32;
/** Vocabulary entries that are reduced at a time; the sampler uses the same, so both get the same log Z. */
export const TILE_V = 256;

/**
 * Takes the tile z[0..count) into the running statistics of a row, three f64: largest logit M, Σ e^(z − M),
 * Σ e^(z − M) · (z − M). They begin as −∞, 0, 0.
 */
export function accumulateTile(state: usize, z: usize, count: i32): void {
  const whole = count & ~3;
  const end = z + (<usize>whole << 2);
  const mask = laneMask(count - whole);
  // What lies beyond the tile's end counts as −∞.
  const tail = v128.bitselect(v128.load(end), f32x4.splat(-Infinity), mask);
  let top = tail;
  for (let at = z; at < end; at += 16) top = max4(top, v128.load(at));
  const before = load<f64>(state);
  const largest = max(before, <f64>maxLanes(top));
  const shift = f32x4.splat(<f32>largest);
  let sum = f32x4.splat(0), weighted = f32x4.splat(0);
  for (let at = z; at < end; at += 16) {
    const difference = f32x4.sub(v128.load(at), shift);
    const p = exp4(difference);
    sum = f32x4.add(sum, p);
    // An impossible entry (−∞) adds 0, not 0 · ∞.
    weighted = madd(p, max4(difference, f32x4.splat(-1e4)), weighted);
  }
  if (whole < count) {
    const difference = f32x4.sub(tail, shift);
    const p = exp4(difference);
    sum = f32x4.add(sum, p);
    weighted = madd(p, max4(difference, f32x4.splat(-1e4)), weighted);
  }
  let oldSum = load<f64>(state, 8), oldWeighted = load<f64>(state, 16);
  if (oldSum > 0 && before < largest) {
    const factor = <f64>f32x4.extract_lane(exp4(f32x4.splat(<f32>(before - largest))), 0);
    oldWeighted = factor * (oldWeighted + (before - largest) * oldSum);
    oldSum *= factor;
  }
  store<f64>(state, largest);
  store<f64>(state, oldSum + <f64>sumLanes(sum), 8);
  store<f64>(state, oldWeighted + <f64>sumLanes(weighted), 16);
}

// @ts-ignore: decorator
@inline
export function resetState(state: usize): void {
  store<f64>(state, -Infinity);
  store<f64>(state, 0, 8);
  store<f64>(state, 0, 16);
}

// @ts-ignore: decorator
@inline
export function stateLogZ(state: usize): f64 {
  return load<f64>(state) + logOf(load<f64>(state, 8));
}

/** Scratch: 8 · ROWS + ROWS · (TILE_V + 4) + weightRows(D) · (D + 4) floats. */
export function targetLogprobs(
  scratch: usize, h: usize, w: usize, half: bool, targets: usize, logprob: usize, entropy: usize, logZ: usize, N: i32, D: i32, V: i32,
): void {
  const units = blocks(N, ROWS);
  const zStride: usize = (TILE_V + 4) * 4;
  const tile = scratch + 32 * ROWS;
  const widened = tile + <usize>ROWS * zStride;
  for (let unit = takeUnit(); unit < units; unit = takeUnit()) {
    const first = unit * ROWS;
    const rows = min(ROWS, N - first);
    for (let r = 0; r < rows; r++) resetState(scratch + (<usize>r << 5));
    for (let v = 0; v < V; v += TILE_V) {
      const count = min(TILE_V, V - v);
      const wTile = w + ((<usize>v * D) << (half ? 1 : 2));
      project(h + ((<usize>first * D) << 2), <usize>D << 2, rows, wTile, half, count, D, tile, zStride, 1, 0, false, widened);
      for (let r = 0; r < rows; r++) {
        const state = scratch + (<usize>r << 5);
        const z = tile + <usize>r * zStride;
        accumulateTile(state, z, count);
        const target = load<i32>(targets + (<usize>(first + r) << 2)) - v;
        if (target >= 0 && target < count) store<f64>(state, <f64>load<f32>(z + (<usize>target << 2)), 24);
      }
    }
    for (let r = 0; r < rows; r++) {
      const state = scratch + (<usize>r << 5);
      const at = <usize>(first + r) << 2;
      const lse = stateLogZ(state);
      store<f32>(logZ + at, <f32>lse);
      store<f32>(logprob + at, <f32>(load<f64>(state, 24) - lse));
      store<f32>(entropy + at, <f32>(lse - load<f64>(state) - load<f64>(state, 16) / load<f64>(state, 8)));
    }
  }
}

/**
 * dz[n, v] = weight[n] · ([firstV + v = target] − e^(z − logZ)) for `rows` rows and the `count` entries of w that begin
 * at `firstV` (w points at them); dz [rows, count]. Scratch: weightRows(D) · (D + 4) floats.
 */
export function headGradient(
  scratch: usize, h: usize, w: usize, half: bool, targets: usize, logZ: usize, weight: usize, dz: usize, rows: i32, D: i32, firstV: i32, count: i32,
): void {
  const colStep = max(1, 128 / weightRows(D)) * weightRows(D);
  const colBlocks = blocks(count, colStep);
  const units = blocks(rows, ROWS) * colBlocks;
  for (let unit = takeUnit(); unit < units; unit = takeUnit()) {
    const first = (unit / colBlocks) * ROWS;
    const col = (unit % colBlocks) * colStep;
    const cols = min(colStep, count - col);
    const end = min(rows, first + ROWS);
    const out = dz + ((<usize>first * count + col) << 2);
    const wTile = w + ((<usize>col * D) << (half ? 1 : 2));
    project(h + ((<usize>first * D) << 2), <usize>D << 2, end - first, wTile, half, cols, D, out, <usize>count << 2, 1, 0, false, scratch);
    for (let n = first; n < end; n++) {
      const z = out + ((<usize>(n - first) * count) << 2);
      const lse = f32x4.splat(load<f32>(logZ + (<usize>n << 2)));
      const factor = load<f32>(weight + (<usize>n << 2));
      for (let j = 0; j < cols; j += 4) {
        const at = z + (<usize>j << 2);
        storeLanes(at, f32x4.mul(exp4(f32x4.sub(v128.load(at), lse)), f32x4.splat(-factor)), cols - j);
      }
      const target = load<i32>(targets + (<usize>n << 2)) - firstV - col;
      if (target >= 0 && target < cols) {
        const at = z + (<usize>target << 2);
        store<f32>(at, load<f32>(at) + factor);
      }
    }
  }
}
