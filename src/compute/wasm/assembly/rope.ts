/**
 * Rotary position embedding in place, half-split form: x [N, heads, E]; channels (i, i + pairs) turn by
 * positions[n] · invFreq[i], back where `inverse`.
 */
import { madd, storeLanes } from "./simd";
import { blocks, takeUnit } from "./units";

const ROWS = 16;

/** Two angles a · b in f64, reduced to [−π/4, π/4]; `quadrant` receives the two multiples of π/2 (as f64). */
// @ts-ignore: decorator
@inline
function quadrants(angle: v128): v128 {
  return f64x2.nearest(f64x2.mul(angle, f64x2.splat(0.6366197723675814)));
}

// @ts-ignore: decorator
@inline
function reduce(angle: v128, quadrant: v128): v128 {
  // π/2 in two parts: the first has 33 bits, so its product with a quadrant below 2^20 is exact.
  const high = f64x2.sub(angle, f64x2.mul(quadrant, f64x2.splat(1.5707963267341256)));
  return f64x2.sub(high, f64x2.mul(quadrant, f64x2.splat(6.077100506506192e-11)));
}

/** cos and sin of position · invFreq[i], f32 [pairs] each, rows padded to 4. Polynomials of Cephes' sinf and cosf. */
function angles(position: i32, invFreq: usize, pairs: i32, cosines: usize, sines: usize, inverse: bool): void {
  const p = f64x2.splat(<f64>position);
  for (let i = 0; i < pairs; i += 4) {
    const f = v128.load(invFreq + (<usize>i << 2));
    const a = f64x2.mul(f64x2.promote_low_f32x4(f), p);
    const b = f64x2.mul(f64x2.promote_low_f32x4(v128.shuffle<f32>(f, f, 2, 3, 2, 3)), p);
    const qa = quadrants(a), qb = quadrants(b);
    const r = v128.shuffle<f32>(f32x4.demote_f64x2_zero(reduce(a, qa)), f32x4.demote_f64x2_zero(reduce(b, qb)), 0, 1, 4, 5);
    const q = v128.shuffle<i32>(i32x4.trunc_sat_f64x2_s_zero(qa), i32x4.trunc_sat_f64x2_s_zero(qb), 0, 1, 4, 5);

    const z = f32x4.mul(r, r);
    let s = madd(f32x4.splat(-1.9515295891e-4), z, f32x4.splat(8.3321608736e-3));
    s = madd(s, z, f32x4.splat(-1.6666654611e-1));
    s = madd(f32x4.mul(s, z), r, r);
    let c = madd(f32x4.splat(2.443315711809948e-5), z, f32x4.splat(-1.388731625493765e-3));
    c = madd(c, z, f32x4.splat(4.166664568298827e-2));
    c = madd(f32x4.mul(c, z), z, madd(f32x4.splat(-0.5), z, f32x4.splat(1)));

    const odd = i32x4.ne(v128.and(q, i32x4.splat(1)), i32x4.splat(0));
    const sine = v128.bitselect(c, s, odd);
    const cosine = v128.bitselect(s, c, odd);
    let sineSign = i32x4.shl(v128.and(q, i32x4.splat(2)), 30);
    const cosineSign = i32x4.shl(v128.and(i32x4.add(q, i32x4.splat(1)), i32x4.splat(2)), 30);
    if (inverse) sineSign = v128.xor(sineSign, i32x4.splat(0x80000000));
    v128.store(cosines + (<usize>i << 2), v128.xor(cosine, cosineSign));
    v128.store(sines + (<usize>i << 2), v128.xor(sine, sineSign));
  }
}

/** Scratch: 2 · (pairs + 4) floats. */
export function rope(scratch: usize, x: usize, positions: usize, invFreq: usize, N: i32, heads: i32, E: i32, pairs: i32, inverse: bool): void {
  const units = blocks(N, ROWS);
  const sines = scratch + ((<usize>pairs + 4) << 2);
  const half = <usize>pairs << 2;
  for (let unit = takeUnit(); unit < units; unit = takeUnit()) {
    for (let n = unit * ROWS; n < min(N, (unit + 1) * ROWS); n++) {
      angles(load<i32>(positions + (<usize>n << 2)), invFreq, pairs, scratch, sines, inverse);
      for (let h = 0; h < heads; h++) {
        const row = x + (((<usize>n * heads + h) * E) << 2);
        for (let i = 0; i < pairs; i += 4) {
          const at = <usize>i << 2;
          const first = row + at;
          const a = v128.load(first), b = v128.load(first + half);
          const c = v128.load(scratch + at), s = v128.load(sines + at);
          storeLanes(first, f32x4.sub(f32x4.mul(a, c), f32x4.mul(b, s)), pairs - i);
          storeLanes(first + half, f32x4.add(f32x4.mul(b, c), f32x4.mul(a, s)), pairs - i);
        }
      }
    }
  }
}
