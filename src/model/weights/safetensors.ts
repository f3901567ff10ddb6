/**
 * The safetensors format: u64 little-endian length of the header, the header (JSON: name → dtype, shape, data_offsets),
 * then the data, which the tensors cover without gaps.
 */
import { bf16ToF32, f16ToF32, f32ToBf16, f32ToF16 } from "./half.ts";

export type FloatFormat = "F32" | "F16" | "BF16";

/** A tensor on the host. */
export interface HostTensor {
  shape: readonly number[];
  data: Float32Array;
}

/** A weights file is missing, truncated, malformed, or does not fit the model. Names the file and the tensor. */
export class WeightsError extends Error {
  override name = "WeightsError";
}

const BYTES: Record<string, number> = { F64: 8, F32: 4, F16: 2, BF16: 2, I64: 8, U64: 8, I32: 4, U32: 4, I16: 2, U16: 2, I8: 1, U8: 1, BOOL: 1, F8_E4M3: 1, F8_E5M2: 1 };
const MAX_HEADER = 100_000_000;

interface Entry {
  dtype: string;
  shape: number[];
  begin: number;
  end: number;
}

export class Safetensors {
  private constructor(
    /** Name of the file, for messages. */
    readonly file: string,
    private readonly entries: Map<string, Entry>,
    private readonly data: Uint8Array,
    readonly metadata: Record<string, string>,
  ) {}

  /** Reads and checks the header; tensor data is converted only when asked for. Throws `WeightsError`. */
  static parse(bytes: Uint8Array, file: string): Safetensors {
    const { header, data } = splitHeader(bytes, file);
    const entries = new Map<string, Entry>();
    let metadata: Record<string, string> = {};
    for (const [name, raw] of Object.entries(header)) {
      if (name === "__metadata__") metadata = raw as Record<string, string>;
      else entries.set(name, parseEntry(raw, name, file));
    }
    checkCoverage(entries, data.length, file);
    return new Safetensors(file, entries, data, metadata);
  }

  get names(): string[] {
    return [...this.entries.keys()];
  }

  has(name: string): boolean {
    return this.entries.has(name);
  }

  shape(name: string): readonly number[] {
    return this.entry(name).shape;
  }

  dtype(name: string): string {
    return this.entry(name).dtype;
  }

  /** The tensor widened to f32 (exact for F16 and BF16). Throws `WeightsError` for a missing tensor or another dtype. */
  float32(name: string): Float32Array {
    const { dtype, begin, end } = this.entry(name);
    const bytes = this.copy(begin, end);
    if (dtype === "F32") return new Float32Array(bytes.buffer);
    if (dtype === "F16") return f16ToF32(new Uint16Array(bytes.buffer));
    if (dtype === "BF16") return bf16ToF32(new Uint16Array(bytes.buffer));
    throw new WeightsError(`${this.file}: tensor ${name} is stored as ${dtype}; only F32, F16 and BF16 are read`);
  }

  /** The bits of a tensor that is stored as F16. */
  float16(name: string): Uint16Array {
    const { dtype, begin, end } = this.entry(name);
    if (dtype !== "F16") throw new WeightsError(`${this.file}: tensor ${name} is stored as ${dtype}, not as F16`);
    return new Uint16Array(this.copy(begin, end).buffer);
  }

  /** Tensors may lie unaligned in the file. (Not `slice`, which does not copy if the bytes are a Node Buffer.) */
  private copy(begin: number, end: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.data.subarray(begin, end));
  }

  private entry(name: string): Entry {
    const entry = this.entries.get(name);
    if (entry === undefined) throw new WeightsError(`${this.file}: tensor ${name} is missing`);
    return entry;
  }
}

function splitHeader(bytes: Uint8Array, file: string): { header: Record<string, unknown>; data: Uint8Array } {
  if (bytes.length < 8) throw new WeightsError(`${file}: truncated: ${bytes.length} bytes are too few for a safetensors header`);
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true));
  if (length > MAX_HEADER) throw new WeightsError(`${file}: not a safetensors file: it announces a header of ${length} bytes`);
  if (8 + length > bytes.length) throw new WeightsError(`${file}: truncated: the header needs ${length} bytes, the file has ${bytes.length - 8} after its length field`);
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(8, 8 + length)));
  } catch (error) {
    throw new WeightsError(`${file}: the safetensors header is not JSON: ${(error as Error).message}`);
  }
  if (typeof header !== "object" || header === null || Array.isArray(header)) throw new WeightsError(`${file}: the safetensors header is not an object`);
  return { header: header as Record<string, unknown>, data: bytes.subarray(8 + length) };
}

function parseEntry(raw: unknown, name: string, file: string): Entry {
  const { dtype, shape, data_offsets: offsets } = (raw ?? {}) as { dtype?: unknown; shape?: unknown; data_offsets?: unknown };
  const bad = (what: string) => new WeightsError(`${file}: tensor ${name}: ${what}`);
  if (typeof dtype !== "string" || !Object.hasOwn(BYTES, dtype)) throw bad(`unknown dtype ${JSON.stringify(dtype ?? null)}`);
  if (!counts(shape)) throw bad(`malformed shape ${JSON.stringify(shape ?? null)}`);
  if (!counts(offsets) || offsets.length !== 2 || offsets[0] > offsets[1]) throw bad(`malformed data_offsets ${JSON.stringify(offsets ?? null)}`);
  const [begin, end] = offsets;
  const expected = shape.reduce((a, b) => a * b, 1) * BYTES[dtype];
  if (end - begin !== expected) throw bad(`${dtype} [${shape}] needs ${expected} bytes, its data_offsets span ${end - begin}`);
  return { dtype, shape, begin, end };
}

function counts(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((n) => Number.isSafeInteger(n) && n >= 0);
}

function checkCoverage(entries: Map<string, Entry>, size: number, file: string): void {
  let end = 0;
  let previous = "the header";
  for (const [name, entry] of [...entries].toSorted((a, b) => a[1].begin - b[1].begin || a[1].end - b[1].end)) {
    if (entry.begin < end) throw new WeightsError(`${file}: tensor ${name} overlaps tensor ${previous}`);
    if (entry.begin > end) throw new WeightsError(`${file}: ${entry.begin - end} unused bytes before tensor ${name}`);
    if (entry.end > size) throw new WeightsError(`${file}: truncated: tensor ${name} ends at byte ${entry.end} of the data, the file has ${size}`);
    end = entry.end;
    previous = name;
  }
  if (end !== size) throw new WeightsError(`${file}: ${size - end} unused bytes after the last tensor`);
}

/** Bytes of a safetensors file with the tensors in the given order, all stored as `format`. */
export function writeSafetensors(tensors: Iterable<readonly [string, HostTensor]>, format: FloatFormat = "F32", metadata: Record<string, string> = {}): Uint8Array {
  const header: Record<string, unknown> = Object.keys(metadata).length > 0 ? { __metadata__: metadata } : {};
  const parts: Uint8Array[] = [];
  let offset = 0;
  for (const [name, { shape, data }] of tensors) {
    if (shape.reduce((a, b) => a * b, 1) !== data.length) throw new WeightsError(`tensor ${name}: shape [${shape}] does not hold ${data.length} values`);
    const narrowed = format === "F32" ? data : format === "F16" ? f32ToF16(data) : f32ToBf16(data);
    const bytes = new Uint8Array(narrowed.buffer, narrowed.byteOffset, narrowed.byteLength);
    header[name] = { dtype: format, shape, data_offsets: [offset, offset + bytes.length] };
    offset += bytes.length;
    parts.push(bytes);
  }
  const json = new TextEncoder().encode(JSON.stringify(header));
  const padded = Math.ceil(json.length / 8) * 8;
  const out = new Uint8Array(8 + padded + offset).fill(0x20, 8, 8 + padded);
  new DataView(out.buffer).setBigUint64(0, BigInt(padded), true);
  out.set(json, 8);
  let at = 8 + padded;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
