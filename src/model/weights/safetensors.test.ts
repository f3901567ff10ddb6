import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bf16ToF32, f16ToF32, f32ToBf16, f32ToF16 } from "./half.ts";
import { type FloatFormat, type HostTensor, Safetensors, WeightsError, writeSafetensors } from "./safetensors.ts";

/** A file with the given header, as JSON text or object, and `size` bytes of data. */
function file(header: object | string, size: number): Uint8Array {
  const json = new TextEncoder().encode(typeof header === "string" ? header : JSON.stringify(header));
  const out = new Uint8Array(8 + json.length + size);
  new DataView(out.buffer).setBigUint64(0, BigInt(json.length), true);
  out.set(json, 8);
  return out;
}

describe("16-bit formats", () => {
  test("every f16 pattern survives f32 and back", () => {
    const all = Uint16Array.from({ length: 0x10000 }, (_, i) => i);
    const back = f32ToF16(f16ToF32(all));
    for (let i = 0; i < all.length; i++) {
      const nan = (i & 0x7c00) === 0x7c00 && (i & 0x3ff) !== 0;
      if (nan ? (back[i] & 0x7fff) <= 0x7c00 : back[i] !== i) expect.fail(`pattern ${i.toString(16)} became ${back[i].toString(16)}`);
    }
  });

  test("every bf16 pattern survives f32 and back", () => {
    const all = Uint16Array.from({ length: 0x10000 }, (_, i) => i);
    const back = f32ToBf16(bf16ToF32(all));
    for (let i = 0; i < all.length; i++) {
      const nan = (i & 0x7f80) === 0x7f80 && (i & 0x7f) !== 0;
      if (nan ? (back[i] & 0x7fff) <= 0x7f80 : back[i] !== i) expect.fail(`pattern ${i.toString(16)} became ${back[i].toString(16)}`);
    }
  });

  test("narrowing rounds to nearest, ties to even", () => {
    const values = Float32Array.of(1 + 2 ** -11, 1 + 3 * 2 ** -11, 65519.99, 65520, 2 ** -25, 1.5 * 2 ** -24, -(2 ** -14 - 2 ** -26));
    expect([...f16ToF32(f32ToF16(values))]).toEqual([1, 1 + 2 ** -9, 65504, Infinity, 0, 2 ** -23, -(2 ** -14)]);
    expect([...bf16ToF32(f32ToBf16(Float32Array.of(1 + 2 ** -8, 1 + 3 * 2 ** -8, 3.4e38)))]).toEqual([1, 1 + 2 ** -6, Infinity]);
  });

  test("narrowing picks the nearest f16 of its neighbours", () => {
    fc.assert(fc.property(fc.float({ noNaN: true, min: -65000, max: 65000 }), (x) => {
      const [bits] = f32ToF16(Float32Array.of(x));
      const error = Math.abs(f16ToF32(Uint16Array.of(bits))[0] - x);
      for (const other of [bits - 1, bits + 1]) {
        const [neighbour] = f16ToF32(Uint16Array.of(other & 0xffff));
        if (!Number.isNaN(neighbour)) expect(error).toBeLessThanOrEqual(Math.abs(neighbour - x));
      }
    }));
  });
});

const f32 = (shape: number[], begin: number, end: number) => ({ dtype: "F32", shape, data_offsets: [begin, end] });

test.each<FloatFormat>(["F32", "F16", "BF16"])("writes and reads %s", (format) => {
  const tensors: [string, HostTensor][] = [
    ["b", { shape: [3], data: Float32Array.of(1, -2.5, 0.125) }],
    ["a", { shape: [2, 2], data: Float32Array.of(0, 1, 2, 3) }],
    ["scalar", { shape: [], data: Float32Array.of(7) }],
    ["none", { shape: [0, 4], data: new Float32Array(0) }],
  ];
  const bytes = writeSafetensors(tensors, format, { format: "pt" });
  // As Node hands out file contents: a Buffer inside a larger one, at an odd offset.
  const shared = Buffer.alloc(bytes.length + 3);
  shared.set(bytes, 3);
  const read = Safetensors.parse(shared.subarray(3), "x.safetensors");
  expect(read.names).toEqual(["b", "a", "scalar", "none"]);
  expect(read.metadata).toEqual({ format: "pt" });
  for (const [name, { shape, data }] of tensors) {
    expect(read.shape(name)).toEqual(shape);
    expect(read.dtype(name)).toBe(format);
    expect(read.float32(name)).toEqual(data);
  }
  if (format === "F16") expect([...read.float16("b")]).toEqual([0x3c00, 0xc100, 0x3000]);
  else expect(() => read.float16("b")).toThrow(`tensor b is stored as ${format}, not as F16`);
});

test("refuses to write a tensor of the wrong size", () => {
  expect(() => writeSafetensors([["w", { shape: [2, 2], data: new Float32Array(3) }]])).toThrow(WeightsError);
});

describe("bad files give one error with the file and the tensor", () => {
  const whole = writeSafetensors([["w", { shape: [4], data: new Float32Array(4) }]]);
  test.each<[string, Uint8Array]>([
    ["m: truncated: 3 bytes", new Uint8Array(3)],
    ["m: truncated: the header needs", whole.subarray(0, 20)],
    ["m: truncated: tensor w ends at byte 16 of the data, the file has 12", whole.subarray(0, whole.length - 4)],
    ["m: 4 unused bytes after the last tensor", file({ w: f32([1], 0, 4) }, 8)],
    ["m: not a safetensors file", new TextEncoder().encode("<!DOCTYPE html><html></html>")],
    ["m: the safetensors header is not JSON", file("{\"w\":", 0)],
    ["m: the safetensors header is not an object", file("[]", 0)],
    ["m: tensor w: unknown dtype \"F4\"", file({ w: { ...f32([1], 0, 4), dtype: "F4" } }, 4)],
    ["m: tensor w: F32 [3] needs 12 bytes, its data_offsets span 4", file({ w: f32([3], 0, 4) }, 4)],
    ["m: tensor w: malformed shape [-1]", file({ w: f32([-1], 0, 4) }, 4)],
    ["m: tensor w: malformed data_offsets [4,0]", file({ w: f32([1], 4, 0) }, 4)],
    ["m: tensor w: unknown dtype null", file({ w: null }, 0)],
    ["m: tensor b overlaps tensor a", file({ a: f32([2], 0, 8), b: f32([1], 4, 8) }, 8)],
    ["m: 4 unused bytes before tensor b", file({ a: f32([1], 0, 4), b: f32([1], 8, 12) }, 12)],
  ])("%s", (message, bytes) => {
    expect(() => Safetensors.parse(bytes, "m")).toThrow(WeightsError);
    expect(() => Safetensors.parse(bytes, "m")).toThrow(message);
  });

  test("a missing tensor, and a dtype that is no float", () => {
    const read = Safetensors.parse(file({ ids: { dtype: "I64", shape: [1], data_offsets: [0, 8] } }, 8), "m");
    expect(() => read.float32("w")).toThrow("m: tensor w is missing");
    expect(() => read.float32("ids")).toThrow("m: tensor ids is stored as I64");
  });

  test("no bytes at all crash the reader", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (noise, keepLength) => {
      const bytes = whole.slice();
      bytes.set(noise.subarray(0, bytes.length - 8), keepLength ? 8 : 0);
      try {
        Safetensors.parse(bytes, "m");
      } catch (error) {
        expect(error).toBeInstanceOf(WeightsError);
      }
    }));
  });
});
