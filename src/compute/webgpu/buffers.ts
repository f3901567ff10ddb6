/** GPU buffers, used again by size: creating one is slow, and a training step needs the same sizes over and over. */
import { OutOfMemoryError } from "../kernels.ts";
import type { Recorder } from "./recorder.ts";

/** A buffer on loan. */
export interface Block {
  readonly buffer: GPUBuffer;
  /** The batch that last used it (Recorder.batch): later ones may write it without waiting for that batch. */
  usedIn: number;
}

/** Part of a buffer, as a kernel sees a tensor. */
export interface Slice {
  readonly block: Block;
  /** In bytes. */
  readonly offset: number;
}

/** Idle buffers are kept up to this many bytes. */
const IDLE_BYTES = 256 * 2 ** 20;

export class BufferPool {
  private readonly idle = new Map<number, Block[]>();
  private idleBytes = 0;

  constructor(private readonly recorder: Recorder, private readonly maxBytes: number) {}

  /** A buffer of at least `bytes`, zero-filled unless it is scratch. Throws `OutOfMemoryError`. */
  take(bytes: number, scratch = false): Block {
    const size = roundedSize(bytes);
    const { limits } = this.recorder.gpu;
    const limit = Math.min(limits.maxBufferSize, limits.maxStorageBufferBindingSize);
    if (size > limit) throw new OutOfMemoryError(`no tensor of ${bytes} bytes fits: this GPU binds at most ${limit} bytes at a time; split it or use a smaller batch`);
    const kept = this.idle.get(size)?.pop();
    if (kept) {
      this.idleBytes -= size;
      if (!scratch) this.recorder.clear(kept.buffer);
      kept.usedIn = this.recorder.batch;
      return kept;
    }
    const buffer = this.recorder.gpu.createBuffer({ size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST });
    return { buffer, usedIn: -1 };
  }

  /** Commands recorded so far may go on using it: whoever gets it next comes after them. */
  give(block: Block): void {
    const { size } = block.buffer;
    if (this.idleBytes + size > Math.min(IDLE_BYTES, this.maxBytes)) {
      this.recorder.destroyLater(block.buffer);
      return;
    }
    const list = this.idle.get(size);
    if (list) list.push(block);
    else this.idle.set(size, [block]);
    this.idleBytes += size;
  }
}

/** At most a quarter more than asked for, so that similar sizes share buffers. */
function roundedSize(bytes: number): number {
  const step = Math.max(256, 2 ** Math.floor(Math.log2(bytes)) / 4);
  return Math.ceil(bytes / step) * step;
}
