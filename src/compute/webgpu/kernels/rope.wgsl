// Rotary positions, half-split form, in place: channels (i, i + pairs) of each head turn by positions[n] · invFreq[i].
// x [N, heads, E]. GPUs' own sine and cosine are too coarse for large angles, and so is the f32 product: the angle is
// computed in integers, in fractions of a turn.
struct Rope { rows: u32, heads: u32, size: u32, pairs: u32, inverse: u32, positionsAt: u32, invFreqAt: u32, xAt: u32 }
@group(0) @binding(0) var<uniform> p: Rope;
@group(0) @binding(1) var<storage, read> positions: array<i32>;
@group(0) @binding(2) var<storage, read> invFreq: array<u32>;
@group(0) @binding(3) var<storage, read_write> x: array<f32>;

/** (low, high) words of a · b. */
fn multiply(a: u32, b: u32) -> vec2u {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let middle1 = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let middle2 = (a & 0xffffu) * (b >> 16u) + (middle1 & 0xffffu);
  return vec2u((middle2 << 16u) | (low & 0xffffu), (a >> 16u) * (b >> 16u) + (middle1 >> 16u) + (middle2 >> 16u));
}

/** frac(position · f / 2π) in units of 2⁻³² turns, f the positive f32 number with the given bits (below 2²³). */
fn turns(position: u32, bits: u32) -> u32 {
  let exponent = bits >> 23u;
  if (exponent == 0u) { return 0u; }
  let mantissa = (bits & 0x7fffffu) | 0x800000u;
  // mantissa · (1 / 2π), the latter in units of 2⁻⁹⁶.
  let p0 = multiply(mantissa, 0x7f09d5f4u);
  let p1 = multiply(mantissa, 0x9391054au);
  let p2 = multiply(mantissa, 0x28be60dbu);
  var words: array<u32, 8>;
  words[0] = p0.x;
  words[1] = p0.y + p1.x;
  let carry1 = select(0u, 1u, words[1] < p0.y);
  // High words of these products are below 2²⁴: the first sum cannot overflow.
  let middle = p1.y + carry1;
  words[2] = middle + p2.x;
  words[3] = p2.y + select(0u, 1u, words[2] < middle);
  // f = mantissa · 2^(exponent − 150), so that this shift gives units of 2⁻⁶⁴ turns.
  let shift = 182u - exponent;
  let source = min(shift / 32u, 5u);
  let bit = shift % 32u;
  var low = words[source] >> bit;
  var high = words[source + 1u] >> bit;
  if (bit != 0u) {
    low |= words[source + 1u] << (32u - bit);
    high |= words[source + 2u] << (32u - bit);
  }
  return position * high + multiply(position, low).y;
}

/** (cosine, sine) of an angle in units of 2⁻³² turns: to the nearest quarter, then the series within π/4 of it. */
fn cosSin(turn: u32) -> vec2f {
  let quarter = (turn + 0x20000000u) >> 30u;
  let angle = f32(bitcast<i32>(turn - (quarter << 30u))) * 1.4629180792671596e-9;
  let a2 = angle * angle;
  let c = 1.0 + a2 * (-0.5 + a2 * (4.16666667e-2 + a2 * (-1.38888889e-3 + a2 * (2.48015873e-5 - a2 * 2.75573192e-7))));
  let s = angle + angle * a2 * (-1.66666667e-1 + a2 * (8.33333333e-3 + a2 * (-1.98412698e-4 + a2 * 2.75573192e-6)));
  switch (quarter & 3u) {
    case 0u: { return vec2f(c, s); }
    case 1u: { return vec2f(-s, c); }
    case 2u: { return vec2f(-c, -s); }
    default: { return vec2f(s, -c); }
  }
}

@compute @workgroup_size(64)
fn rope(t: Thread) {
  let i = threadIndex(t);
  if (i >= p.rows * p.pairs) { return; }
  let n = i / p.pairs;
  let pair = i % p.pairs;
  let position = positions[p.positionsAt + n];
  let bits = invFreq[p.invFreqAt + pair];
  let rotation = cosSin(turns(u32(abs(position)), bits & 0x7fffffffu));
  let flips = (p.inverse + (bits >> 31u) + select(0u, 1u, position < 0)) & 1u;
  let c = rotation.x;
  let s = select(rotation.y, -rotation.y, flips != 0u);
  for (var h = 0u; h < p.heads; h++) {
    let at = p.xAt + (n * p.heads + h) * p.size + pair;
    let first = x[at];
    let second = x[at + p.pairs];
    x[at] = first * c - second * s;
    x[at + p.pairs] = second * c + first * s;
  }
}
