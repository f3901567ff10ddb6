/** A small Buffer: a Uint8Array with the usual encodings. */
type Encoding = "utf8" | "utf-8" | "hex" | "base64" | "base64url" | "latin1" | "binary" | "ascii";
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function encode(text: string, encoding: Encoding = "utf8"): Uint8Array {
  switch (String(encoding).toLowerCase()) {
    case "hex":
      return Uint8Array.from((text.match(/^(?:[0-9a-f]{2})*/i)?.[0].match(/../g) ?? []).map((h) => parseInt(h, 16)));
    case "base64":
    case "base64url":
      return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/").replace(/[^A-Za-z0-9+/]/g, "")), (c) => c.charCodeAt(0));
    case "latin1":
    case "binary":
    case "ascii":
      return Uint8Array.from(text, (c) => c.charCodeAt(0) & 255);
    default:
      return encoder.encode(text);
  }
}

export class Buffer extends Uint8Array {
  static override from(value: any, second?: any, length?: any): any {
    if (typeof value === "string") return wrap(encode(value, second));
    if (value instanceof ArrayBuffer) return new Buffer(value, second, length);
    if (value?.type === "Buffer" && Array.isArray(value.data)) value = value.data;
    return wrap(Uint8Array.from(value));
  }
  static alloc(size: number, fill: any = 0): Buffer {
    return new Buffer(size).fill(fill);
  }
  static allocUnsafe(size: number): Buffer {
    return new Buffer(size);
  }
  static concat(list: Uint8Array[], total = list.reduce((n, b) => n + b.length, 0)): Buffer {
    const out = new Buffer(total);
    let at = 0;
    for (const part of list) {
      out.set(part.subarray(0, total - at), at);
      at += part.length;
    }
    return out;
  }
  static isBuffer(value: unknown): boolean {
    return value instanceof Buffer;
  }
  static byteLength(value: string | Uint8Array, encoding?: Encoding): number {
    return typeof value === "string" ? encode(value, encoding).length : value.byteLength;
  }
  static compare(a: Uint8Array, b: Uint8Array): number {
    for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
    return Math.sign(a.length - b.length);
  }
  static isEncoding(name: string): boolean {
    return /^(utf-?8|hex|base64(url)?|latin1|binary|ascii)$/i.test(name);
  }
  override toString(encoding: Encoding = "utf8", start = 0, end = this.length): string {
    const bytes = this.subarray(start, end);
    const binary = () => Array.prototype.map.call(bytes, (b: number) => String.fromCharCode(b)).join("");
    switch (String(encoding).toLowerCase()) {
      case "hex":
        return Array.prototype.map.call(bytes, (b: number) => b.toString(16).padStart(2, "0")).join("");
      case "base64":
        return btoa(binary());
      case "base64url":
        return btoa(binary()).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
      case "latin1":
      case "binary":
        return binary();
      case "ascii":
        return Array.prototype.map.call(bytes, (b: number) => String.fromCharCode(b & 127)).join("");
      default:
        return decoder.decode(bytes);
    }
  }
  toJSON(): { type: "Buffer"; data: number[] } {
    return { type: "Buffer", data: Array.from(this) };
  }
  equals(other: Uint8Array): boolean {
    return Buffer.compare(this, other) === 0;
  }
  compare(other: Uint8Array): number {
    return Buffer.compare(this, other);
  }
  write(text: string, offset = 0): number {
    const bytes = encode(text).subarray(0, this.length - offset);
    this.set(bytes, offset);
    return bytes.length;
  }
  override fill(value: any, start?: number, end?: number): this {
    if (typeof value !== "string") return super.fill(value, start, end);
    const bytes = encode(value);
    for (let i = start ?? 0, j = 0; i < (end ?? this.length); i++, j++) this[i] = bytes[j % bytes.length];
    return this;
  }
  copy(target: Uint8Array, targetStart = 0, start = 0, end = this.length): number {
    const part = this.subarray(start, Math.min(end, start + target.length - targetStart));
    target.set(part, targetStart);
    return part.length;
  }
  readUInt8(offset = 0): number {
    return this[offset];
  }
  writeUInt8(value: number, offset = 0): number {
    this[offset] = value;
    return offset + 1;
  }
  #view(): DataView {
    return new DataView(this.buffer, this.byteOffset, this.byteLength);
  }
  readUInt16BE(offset = 0): number { return this.#view().getUint16(offset); }
  readUInt16LE(offset = 0): number { return this.#view().getUint16(offset, true); }
  readUInt32BE(offset = 0): number { return this.#view().getUint32(offset); }
  readUInt32LE(offset = 0): number { return this.#view().getUint32(offset, true); }
  readInt32BE(offset = 0): number { return this.#view().getInt32(offset); }
  readInt32LE(offset = 0): number { return this.#view().getInt32(offset, true); }
  writeUInt16BE(value: number, offset = 0): number { this.#view().setUint16(offset, value); return offset + 2; }
  writeUInt16LE(value: number, offset = 0): number { this.#view().setUint16(offset, value, true); return offset + 2; }
  writeUInt32BE(value: number, offset = 0): number { this.#view().setUint32(offset, value); return offset + 4; }
  writeUInt32LE(value: number, offset = 0): number { this.#view().setUint32(offset, value, true); return offset + 4; }
  writeInt32BE(value: number, offset = 0): number { this.#view().setInt32(offset, value); return offset + 4; }
  writeInt32LE(value: number, offset = 0): number { this.#view().setInt32(offset, value, true); return offset + 4; }
}

function wrap(bytes: Uint8Array): Buffer {
  return new Buffer(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
}
