/**
 * Vector helpers shared by the kernels.
 *
 * Memory past a tensor's end may be read (the allocator keeps a margin) but never written, so row tails are loaded
 * whole and masked, and stored lane by lane.
 */

/** a · b + c: fused where the engine has relaxed SIMD. Every kernel multiplies and adds through this one function. */
// @ts-ignore: decorator
@inline
export function madd(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(a, b, c);
  return f32x4.add(f32x4.mul(a, b), c);
}

/** (a0 + a2) + (a1 + a3). */
// @ts-ignore: decorator
@inline
export function sumLanes(a: v128): f32 {
  return f32x4.extract_lane(a, 0) + f32x4.extract_lane(a, 2) + (f32x4.extract_lane(a, 1) + f32x4.extract_lane(a, 3));
}

/** The four lane sums, each added in the order of `sumLanes`. */
// @ts-ignore: decorator
@inline
export function sumLanes4(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.add(v128.shuffle<f32>(a, b, 0, 4, 1, 5), v128.shuffle<f32>(a, b, 2, 6, 3, 7));
  const cd = f32x4.add(v128.shuffle<f32>(c, d, 0, 4, 1, 5), v128.shuffle<f32>(c, d, 2, 6, 3, 7));
  return f32x4.add(v128.shuffle<f32>(ab, cd, 0, 1, 4, 5), v128.shuffle<f32>(ab, cd, 2, 3, 6, 7));
}

// @ts-ignore: decorator
@inline
export function maxLanes(a: v128): f32 {
  return max(max(f32x4.extract_lane(a, 0), f32x4.extract_lane(a, 1)), max(f32x4.extract_lane(a, 2), f32x4.extract_lane(a, 3)));
}

/** The larger of each lane, without the care for NaN and signed zeros that costs f32x4.max several instructions. */
// @ts-ignore: decorator
@inline
export function max4(a: v128, b: v128): v128 {
  return f32x4.pmax(a, b);
}

/** All ones in the first `count` lanes (any count; 4 and more fill all). */
// @ts-ignore: decorator
@inline
export function laneMask(count: i32): v128 {
  return i32x4.lt_s(i32x4(0, 1, 2, 3), i32x4.splat(count));
}

/** Stores the first `count` lanes, 1 to 4. */
// @ts-ignore: decorator
@inline
export function storeLanes(at: usize, v: v128, count: i32): void {
  if (count >= 4) {
    v128.store(at, v);
    return;
  }
  if (count >= 2) {
    v128.store64_lane(at, v, 0);
    if (count == 3) v128.store32_lane(at, v, 2, 8);
  } else {
    v128.store32_lane(at, v, 0);
  }
}

/** Four f16 numbers, in the low 16 bits of each lane, as f32. */
// @ts-ignore: decorator
@inline
function widen(halves: v128): v128 {
  const magnitude = v128.and(halves, i32x4.splat(0x7fff));
  // Multiplying by 2^112 moves the exponent bias from 15 to 127 and is exact for subnormal numbers too.
  const finite = f32x4.mul(i32x4.shl(magnitude, 13), f32x4.splat(reinterpret<f32>(0x77800000)));
  const special = v128.or(i32x4.shl(magnitude, 13), i32x4.splat(0x7f800000));
  const value = v128.bitselect(special, finite, i32x4.gt_s(magnitude, i32x4.splat(0x7bff)));
  return v128.or(value, i32x4.shl(v128.and(halves, i32x4.splat(0x8000)), 16));
}

/** Four f16 numbers at `at` as f32. */
// @ts-ignore: decorator
@inline
export function loadHalf4(at: usize): v128 {
  return widen(i32x4.extend_low_i16x8_u(v128.load64_zero(at)));
}

/** to[0 .. count) = from[0 .. count) widened from f16; writes up to 3 elements more. */
export function widenRow(from: usize, to: usize, count: i32): void {
  for (let i = 0; i < count; i += 4) v128.store(to + (<usize>i << 2), loadHalf4(from + (<usize>i << 1)));
}

/** e^x is 0 below this: results there would be near the smallest normal number. */
const EXP_ZERO: f32 = -86.6;
/** Adding 1.5 · 2^23 rounds to an integer, which then stands in the low bits. */
const ROUND: f32 = 12582912;

/**
 * e^x for x ≤ 88 with a relative error near 1e-7. Argument reduction and polynomial of Cephes' expf (S. Moshier).
 */
// @ts-ignore: decorator
@inline
export function exp4(x: v128): v128 {
  const shifted = madd(x, f32x4.splat(1.44269504), f32x4.splat(ROUND));
  const n = f32x4.sub(shifted, f32x4.splat(ROUND));
  let r = madd(n, f32x4.splat(-0.693359375), x);
  r = madd(n, f32x4.splat(2.12194440e-4), r);
  let p = madd(f32x4.splat(1.9875691500e-4), r, f32x4.splat(1.3981999507e-3));
  p = madd(p, r, f32x4.splat(8.3334519073e-3));
  p = madd(p, r, f32x4.splat(4.1665795894e-2));
  p = madd(p, r, f32x4.splat(1.6666665459e-1));
  p = madd(p, r, f32x4.splat(5.0000001201e-1));
  p = madd(f32x4.mul(p, r), r, f32x4.add(r, f32x4.splat(1)));
  // Times 2^n: n is added to the exponent.
  const result = i32x4.add(p, i32x4.shl(shifted, 23));
  return v128.andnot(result, f32x4.lt(x, f32x4.splat(EXP_ZERO)));
}

/** Natural logarithm of a positive normal number. log m = 2 artanh((m − 1) / (m + 1)) with m in [√½, √2). */
export function logOf(x: f64): f64 {
  const bits = reinterpret<u64>(x);
  let exponent = <i32>((bits >> 52) & 0x7ff) - 1023;
  let m = reinterpret<f64>((bits & 0x000fffffffffffff) | 0x3ff0000000000000);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    exponent++;
  }
  const t = (m - 1) / (m + 1);
  const s = t * t;
  let series: f64 = 0;
  for (let k: f64 = 19; k >= 1; k -= 2) series = series * s + 1 / k;
  return 2 * t * series + <f64>exponent * 0.6931471805599453;
}
