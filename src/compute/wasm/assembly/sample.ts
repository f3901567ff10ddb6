/**
 * Sampling: one token per row of logits [N, V]. Tokens are ranked by logit, equal logits by token. Top-k keeps the k
 * best; top-p keeps the shortest prefix of the ranking whose share of what top-k kept reaches topP; then the first
 * token, in ascending order, whose cumulative share exceeds `uniform`. A work unit is a row.
 */
import { accumulateTile, resetState, stateLogZ, TILE_V } from "./head";
import { exp4, laneMask, logOf, max4, maxLanes, sumLanes } from "./simd";
import { takeUnit } from "./units";

/** An integer that orders f32 numbers as they are ordered (NaN aside). */
// @ts-ignore: decorator
@inline
function order4(x: v128): v128 {
  return v128.xor(x, v128.and(i32x4.shr_s(x, 31), i32x4.splat(0x7fffffff)));
}

// @ts-ignore: decorator
@inline
function order(at: usize): i32 {
  const bits = load<i32>(at);
  return bits ^ ((bits >> 31) & 0x7fffffff);
}

/** How many of the logits are at or above `key` in that order. */
function countFrom(logits: usize, V: i32, key: i32): i32 {
  let count = i32x4.splat(0);
  for (let v = 0; v < V; v += 4) {
    const above = i32x4.ge_s(order4(v128.load(logits + (<usize>v << 2))), i32x4.splat(key));
    count = i32x4.sub(count, v128.and(above, laneMask(V - v)));
  }
  return i32x4.extract_lane(count, 0) + i32x4.extract_lane(count, 1) + i32x4.extract_lane(count, 2) + i32x4.extract_lane(count, 3);
}

/** Σ of the masses whose logits are at or above `key`. */
function massFrom(logits: usize, mass: usize, V: i32, key: i32): f64 {
  let sum: f64 = 0;
  for (let start = 0; start < V; start += TILE_V) {
    let part = f32x4.splat(0);
    for (let v = start; v < min(V, start + TILE_V); v += 4) {
      const above = i32x4.ge_s(order4(v128.load(logits + (<usize>v << 2))), i32x4.splat(key));
      part = f32x4.add(part, v128.and(v128.and(v128.load(mass + (<usize>v << 2)), above), laneMask(V - v)));
    }
    sum += <f64>sumLanes(part);
  }
  return sum;
}

/** Sets the mass of every token beyond the `k` best to 0. */
function keepTopK(logits: usize, mass: usize, V: i32, k: i32): void {
  // The largest key that at least k logits reach is that of the k-th best.
  let low: i64 = i32.MIN_VALUE, high: i64 = i32.MAX_VALUE;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (countFrom(logits, V, <i32>middle) >= k) low = middle;
    else high = middle - 1;
  }
  let ties = k - (low == i32.MAX_VALUE ? 0 : countFrom(logits, V, <i32>low + 1));
  for (let v = 0; v < V; v++) {
    const key = order(logits + (<usize>v << 2));
    if (key == <i32>low && ties > 0) ties--;
    else if (key <= <i32>low) store<f32>(mass + (<usize>v << 2), 0);
  }
}

/** Sets the mass of every token beyond the shortest prefix of the ranking with at least `wanted` mass to 0. */
function keepTopP(logits: usize, mass: usize, V: i32, wanted: f64): void {
  let low: i64 = i32.MIN_VALUE, high: i64 = i32.MAX_VALUE;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (massFrom(logits, mass, V, <i32>middle) >= wanted) low = middle;
    else high = middle - 1;
  }
  let reached = low == i32.MAX_VALUE ? 0 : massFrom(logits, mass, V, <i32>low + 1);
  for (let v = 0; v < V; v++) {
    const at = mass + (<usize>v << 2);
    const key = order(logits + (<usize>v << 2));
    if (key > <i32>low) continue;
    if (key == <i32>low && reached < wanted) reached += <f64>load<f32>(at);
    else store<f32>(at, 0);
  }
}

function argmax(logits: usize, V: i32): i32 {
  let top = f32x4.splat(-Infinity);
  for (let v = 0; v < V; v += 4) top = max4(top, v128.bitselect(v128.load(logits + (<usize>v << 2)), f32x4.splat(-Infinity), laneMask(V - v)));
  const largest = maxLanes(top);
  for (let v = 0; v < V; v++) if (load<f32>(logits + (<usize>v << 2)) == largest) return v;
  return 0;
}

/** The first token in ascending order whose cumulative mass exceeds `threshold`, else the last with any mass. */
function invert(mass: usize, V: i32, threshold: f64, fallback: i32): i32 {
  let cumulative: f64 = 0;
  let token = fallback;
  for (let start = 0; start < V; start += TILE_V) {
    const part = massOf(mass, start, min(V, start + TILE_V));
    if (cumulative + part <= threshold && start + TILE_V < V) {
      cumulative += part;
      continue;
    }
    for (let v = start; v < min(V, start + TILE_V); v++) {
      const m = load<f32>(mass + (<usize>v << 2));
      if (m == 0) continue;
      token = v;
      cumulative += <f64>m;
      if (cumulative > threshold) return token;
    }
  }
  return token;
}

function massOf(mass: usize, start: i32, end: i32): f64 {
  let sum = f32x4.splat(0);
  for (let v = start; v < end; v += 4) sum = f32x4.add(sum, v128.and(v128.load(mass + (<usize>v << 2)), laneMask(end - v)));
  return <f64>sumLanes(sum);
}

/** log Z of the row, tile by tile as in head.ts, so that an unfiltered sample's log-probability has the same bits. */
function rowLogZ(state: usize, z: usize, V: i32): f64 {
  resetState(state);
  for (let v = 0; v < V; v += TILE_V) accumulateTile(state, z + (<usize>v << 2), min(TILE_V, V - v));
  return stateLogZ(state);
}

/** Scratch: 8 + 2 · (V + 4) floats. */
export function sample(
  scratch: usize, logits: usize, uniform: usize, temperature: usize, topK: usize, topP: usize, tokens: usize, logprobs: usize, N: i32, V: i32,
): void {
  const scaled = scratch + 32;
  const mass = scaled + ((<usize>V + 4) << 2);
  for (let n = takeUnit(); n < N; n = takeUnit()) {
    const at = <usize>n << 2;
    const row = logits + ((<usize>n * V) << 2);
    const T = load<f32>(temperature + at);
    const k = load<i32>(topK + at);
    const p = load<f32>(topP + at);
    const best = argmax(row, V);
    let token = best;
    let logprob: f64;
    if (T == 0) {
      logprob = <f64>load<f32>(row + (<usize>best << 2)) - rowLogZ(scratch, row, V);
    } else {
      const inverse = f32x4.splat(1 / T);
      for (let v = 0; v < V; v += 4) v128.store(scaled + (<usize>v << 2), f32x4.mul(v128.load(row + (<usize>v << 2)), inverse));
      const top = load<f32>(scaled + (<usize>best << 2));
      for (let v = 0; v < V; v += 4) {
        v128.store(mass + (<usize>v << 2), exp4(f32x4.sub(v128.load(scaled + (<usize>v << 2)), f32x4.splat(top))));
      }
      const filtered = (k > 0 && k < V) || p < 1;
      if (k > 0 && k < V) keepTopK(row, mass, V, k);
      if (p < 1) keepTopP(row, mass, V, <f64>p * massFrom(row, mass, V, i32.MIN_VALUE));
      const total = massFrom(row, mass, V, i32.MIN_VALUE);
      token = invert(mass, V, <f64>load<f32>(uniform + at) * total, best);
      const z = <f64>load<f32>(scaled + (<usize>token << 2));
      logprob = filtered ? z - <f64>top - logOf(total) : z - rowLogZ(scratch, scaled, V);
    }
    store<i32>(tokens + at, token);
    store<f32>(logprobs + at, <f32>logprob);
  }
}
