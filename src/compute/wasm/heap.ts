import { OutOfMemoryError } from "../kernels.ts";

const PAGE = 65536;
const ALIGN = 64;
/** Kernels may read a little past the end of a tensor, so the last bytes of the memory are never handed out. */
const MARGIN = 256;

/** Memory of a heap that begins at `start`: first fit over an address-ordered list of free blocks. */
export class Heap {
  private free: { at: number; size: number }[];
  private end: number;

  constructor(private readonly memory: WebAssembly.Memory, start: number, private readonly maxBytes: number) {
    this.end = memory.buffer.byteLength - MARGIN;
    this.free = [{ at: start, size: this.end - start }];
  }

  /** Address of `bytes` zeroed bytes on a 64-byte boundary. Throws `OutOfMemoryError`. */
  alloc(bytes: number): number {
    const size = roundUp(bytes, ALIGN);
    let index = this.free.findIndex((block) => block.size >= size);
    if (index < 0) {
      this.grow(size);
      index = this.free.length - 1;
    }
    const block = this.free[index];
    const at = block.at;
    if (block.size === size) this.free.splice(index, 1);
    else this.free[index] = { at: at + size, size: block.size - size };
    new Uint8Array(this.memory.buffer, at, size).fill(0);
    return at;
  }

  release(at: number, bytes: number): void {
    const size = roundUp(bytes, ALIGN);
    let low = 0;
    let high = this.free.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.free[middle].at < at) low = middle + 1;
      else high = middle;
    }
    const before = this.free[low - 1];
    const after = this.free[low];
    const joinsBefore = before !== undefined && before.at + before.size === at;
    const joinsAfter = after !== undefined && at + size === after.at;
    const start = joinsBefore ? low - 1 : low;
    this.free.splice(start, Number(joinsBefore) + Number(joinsAfter), {
      at: joinsBefore ? before.at : at,
      size: size + (joinsBefore ? before.size : 0) + (joinsAfter ? after.size : 0),
    });
  }

  /** Makes the last free block at least `size` bytes long. */
  private grow(size: number): void {
    const last = this.free.at(-1);
    const tail = last !== undefined && last.at + last.size === this.end ? last.size : 0;
    const missing = roundUp(size - tail, PAGE);
    const now = this.memory.buffer.byteLength;
    // A quarter more than now saves many small steps; where that does not fit, exactly what is missing.
    const generous = Math.min(roundUp(Math.max(missing, now / 4), PAGE), this.maxBytes - now);
    const step = this.tryGrow(generous, missing) || this.tryGrow(missing, missing);
    if (step === 0) {
      throw new OutOfMemoryError(
        `no room for ${size} bytes: the device holds ${now} of at most ${this.maxBytes} bytes; free tensors or use a smaller batch`,
      );
    }
    if (tail > 0 && last) last.size += step;
    else this.free.push({ at: this.end, size: step });
    this.end += step;
  }

  private tryGrow(bytes: number, needed: number): number {
    if (bytes < needed || this.memory.buffer.byteLength + bytes > this.maxBytes) return 0;
    try {
      this.memory.grow(bytes / PAGE);
      return bytes;
    } catch {
      return 0;
    }
  }
}

function roundUp(value: number, unit: number): number {
  return Math.ceil(value / unit) * unit;
}
