/**
 * Causal grouped-query attention. q, y [N, H, E]; k, v [N, G, E] or paged caches [pages, pageSize, G, E]; head h reads
 * key/value head g = h / (H / G).
 *
 * Packed and cached attention share one routine, so that a token sampled from the cache and scored again in a packed
 * batch gives the same bits: scores by `scoreBlock`, the whole row's softmax, then Σ_j p_j · v_j as one chain in
 * ascending j. A work unit is a tile of rows of one sequence, for one key/value head; tiles i32 [T, 4] come from the
 * host: first row, rows, first row of the sequence (packed) or sequence (cached), keys of the tile's last row.
 */
import { scoreBlock } from "./dot";
import { CHAIN, outerRows, STORE } from "./outer";
import { exp4, laneMask, logOf, max4, maxLanes, storeLanes, sumLanes } from "./simd";
import { takeUnit } from "./units";

/** Rows of a tile at most; also the number of floats in the per-row statistics at the start of the scratch memory. */
const TILE = 24;
/** Keys that are scored at a time. */
const CHUNK = 64;

/** s[0..length) = e^(s − max), zero up to `padded`; returns max and, at `inverse`, 1 / Σ. */
function softmaxRow(s: usize, length: i32, padded: i32, inverse: usize): f32 {
  const whole = length & ~3;
  const tail = s + (<usize>whole << 2);
  const mask = laneMask(length - whole);
  // The tail becomes a whole vector: −∞ does not count in the maximum, and its exponential is 0.
  if (whole < length) v128.store(tail, v128.bitselect(v128.load(tail), f32x4.splat(-Infinity), mask));
  const end = s + (<usize>((length + 3) & ~3) << 2);
  let top = v128.load(s);
  for (let at = s + 16; at < end; at += 16) top = max4(top, v128.load(at));
  const largest = maxLanes(top);
  const shift = f32x4.splat(largest);
  let sum = f32x4.splat(0);
  for (let at = s; at < end; at += 16) {
    const p = exp4(f32x4.sub(v128.load(at), shift));
    sum = f32x4.add(sum, p);
    v128.store(at, p);
  }
  for (let j = (length + 3) & ~3; j < padded; j += 4) v128.store(s + (<usize>j << 2), f32x4.splat(0));
  const total = sumLanes(sum);
  store<f32>(inverse, 1 / total);
  return largest + <f32>logOf(<f64>total);
}

/** y[r, 0..E) *= factor. */
// @ts-ignore: decorator
@inline
function scaleRow(y: usize, E: i32, factor: f32): void {
  for (let e = 0; e < E; e += 4) {
    const at = y + (<usize>e << 2);
    storeLanes(at, f32x4.mul(v128.load(at), f32x4.splat(factor)), E - e);
  }
}

/** Scratch: TILE + TILE · (context + 8) floats. Log-sum-exps go to lse [N, H]. */
export function attention(
  scratch: usize, q: usize, k: usize, v: usize, tiles: usize, tileCount: i32, y: usize, lse: usize, H: i32, G: i32, E: i32,
): void {
  const share = H / G;
  const scale: f32 = 1 / sqrt<f32>(<f32>E);
  const qStride = <usize>(H * E) << 2;
  const kStride = <usize>(G * E) << 2;
  for (let unit = takeUnit(); unit < tileCount * G; unit = takeUnit()) {
    const tile = tiles + (<usize>(unit / G) << 4);
    const g = unit % G;
    const first = load<i32>(tile);
    const rows = load<i32>(tile, 4);
    const start = load<i32>(tile, 8);
    const keys = load<i32>(tile, 12);
    const scores = scratch + TILE * 4;
    const sStride = <usize>((keys + 7) & ~3) << 2;
    const kv = ((<usize>start * G + g) * E) << 2;
    for (let h = g * share; h < (g + 1) * share; h++) {
      const at = ((<usize>first * H + h) * E) << 2;
      for (let j = 0; j < keys; j += CHUNK) {
        scoreBlock(q + at, qStride, rows, k + kv + <usize>j * kStride, kStride, min(CHUNK, keys - j), E, scores + (<usize>j << 2), sStride, scale);
      }
      for (let r = 0; r < rows; r++) {
        const value = softmaxRow(scores + <usize>r * sStride, first + r - start + 1, keys, scratch + (<usize>r << 2));
        store<f32>(lse + ((<usize>(first + r) * H + h) << 2), value);
      }
      for (let j = 0; j < keys; j += CHUNK) {
        outerRows(
          scores + (<usize>j << 2), sStride, rows, v + kv + <usize>j * kStride, kStride, 32, E, min(CHUNK, keys - j),
          y + at, qStride, 1, j > 0 ? CHAIN : STORE,
        );
      }
      for (let r = 0; r < rows; r++) scaleRow(y + at + <usize>r * qStride, E, load<f32>(scratch + (<usize>r << 2)));
    }
  }
}

/**
 * As `attention`, keys and values in pages: pages i32 [S, maxPages]; positions i32 [N]. Where a tile is a single row,
 * as in decoding, the heads that share g are its rows.
 */
export function attentionCached(
  scratch: usize, q: usize, kCache: usize, vCache: usize, tiles: usize, tileCount: i32, positions: usize, pages: usize,
  maxPages: i32, pageSize: i32, y: usize, H: i32, G: i32, E: i32,
): void {
  const share = H / G;
  const scale: f32 = 1 / sqrt<f32>(<f32>E);
  const kStride = <usize>(G * E) << 2;
  const headBytes = <usize>E << 2;
  for (let unit = takeUnit(); unit < tileCount * G; unit = takeUnit()) {
    const tile = tiles + (<usize>(unit / G) << 4);
    const g = unit % G;
    const first = load<i32>(tile);
    const count = load<i32>(tile, 4);
    const table = pages + (<usize>(load<i32>(tile, 8) * maxPages) << 2);
    const keys = load<i32>(tile, 12);
    const scores = scratch + TILE * 4;
    const sStride = <usize>((keys + 7) & ~3) << 2;
    const byHead = count == 1 && share <= TILE;
    const rows = byHead ? share : count;
    const qStride = byHead ? headBytes : <usize>H * headBytes;
    for (let h = g * share; h < (g + 1) * share; h += byHead ? share : 1) {
      const at = (<usize>first * H + h) * headBytes;
      for (let j = 0, block = 0; j < keys; j += pageSize, block++) {
        const kv = (<usize>load<i32>(table + (<usize>block << 2)) * pageSize * G + g) * headBytes;
        scoreBlock(q + at, qStride, rows, kCache + kv, kStride, min(pageSize, keys - j), E, scores + (<usize>j << 2), sStride, scale);
      }
      for (let r = 0; r < rows; r++) {
        const position = load<i32>(positions + (<usize>(byHead ? first : first + r) << 2));
        softmaxRow(scores + <usize>r * sStride, position + 1, keys, scratch + (<usize>r << 2));
      }
      for (let j = 0, block = 0; j < keys; j += pageSize, block++) {
        const kv = (<usize>load<i32>(table + (<usize>block << 2)) * pageSize * G + g) * headBytes;
        outerRows(
          scores + (<usize>j << 2), sStride, rows, vCache + kv, kStride, 32, E, min(pageSize, keys - j),
          y + at, qStride, 1, j > 0 ? CHAIN : STORE,
        );
      }
      for (let r = 0; r < rows; r++) scaleRow(y + at + <usize>r * qStride, E, load<f32>(scratch + (<usize>r << 2)));
    }
  }
}

/** cache[page, slot] = x[n], rows of `width` elements, for keys and values alike. */
export function cacheWrite(
  scratch: usize, k: usize, v: usize, kCache: usize, vCache: usize, sequences: usize, positions: usize, pages: usize,
  maxPages: i32, pageSize: i32, N: i32, width: i32,
): void {
  const bytes = <usize>width << 2;
  for (let n = takeUnit(); n < N; n = takeUnit()) {
    const position = load<i32>(positions + (<usize>n << 2));
    const entry = load<i32>(sequences + (<usize>n << 2)) * maxPages + position / pageSize;
    const row = <usize>load<i32>(pages + (<usize>entry << 2)) * pageSize + (position % pageSize);
    memory.copy(kCache + row * bytes, k + <usize>n * bytes, bytes);
    memory.copy(vCache + row * bytes, v + <usize>n * bytes, bytes);
  }
}
