/** 16-bit floating-point formats as bit patterns. Narrowing rounds to nearest, ties to even. */
const word = new Uint32Array(1);
const real = new Float32Array(word.buffer);

/** 2^(e-24) scaled integers are exact in f32, so subnormals need no special tables. */
function widenOne(h: number): number {
  const exponent = (h >>> 10) & 31;
  const fraction = h & 1023;
  const magnitude = exponent === 0 ? fraction * 2 ** -24 : exponent === 31 ? (fraction === 0 ? Infinity : NaN) : (1024 + fraction) * 2 ** (exponent - 25);
  return h & 0x8000 ? -magnitude : magnitude;
}

let table: Float32Array | null = null;

export function f16ToF32(bits: Uint16Array): Float32Array {
  table ??= Float32Array.from({ length: 0x10000 }, (_, h) => widenOne(h));
  const out = new Float32Array(bits.length);
  for (let i = 0; i < bits.length; i++) out[i] = table[bits[i]];
  return out;
}

export function f32ToF16(values: Float32Array): Uint16Array {
  const out = new Uint16Array(values.length);
  for (let i = 0; i < values.length; i++) {
    real[0] = values[i];
    const sign = (word[0] >>> 16) & 0x8000;
    const magnitude = word[0] & 0x7fffffff;
    if (magnitude > 0x7f800000) out[i] = sign | 0x7e00;
    else if (magnitude >= 0x477ff000) out[i] = sign | 0x7c00;
    else if (magnitude < 0x38800000) {
      // Below 2^-14: count units of 2^-24, which is what a subnormal's fraction (and its carry) means.
      const units = Math.abs(values[i]) * 2 ** 24;
      const floor = Math.floor(units);
      const rest = units - floor;
      out[i] = sign | (floor + (rest > 0.5 || (rest === 0.5 && floor & 1) ? 1 : 0));
    } else {
      const rounded = magnitude + 0xfff + ((magnitude >>> 13) & 1);
      out[i] = sign | ((rounded - 0x38000000) >>> 13);
    }
  }
  return out;
}

export function bf16ToF32(bits: Uint16Array): Float32Array {
  const words = new Uint32Array(bits.length);
  for (let i = 0; i < bits.length; i++) words[i] = bits[i] << 16;
  return new Float32Array(words.buffer);
}

export function f32ToBf16(values: Float32Array): Uint16Array {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const out = new Uint16Array(values.length);
  for (let i = 0; i < words.length; i++) {
    const w = words[i];
    // A NaN must not round up to infinity.
    out[i] = (w & 0x7fffffff) > 0x7f800000 ? (w >>> 16) | 0x40 : (w + 0x7fff + ((w >>> 16) & 1)) >>> 16;
  }
  return out;
}
