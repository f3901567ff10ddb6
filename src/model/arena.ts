/** Memory for activations. */
import type { Device, DType, Shape, Tensor } from "../compute/index.ts";

interface Taken {
  tensor: Tensor;
  /** What `tensor` views and where that goes back to; null for plain views of other tensors. */
  buffer: { key: string; base: Tensor } | null;
}

/**
 * A stack of tensors whose buffers are used again. `mark` and `release` bracket a scope, such as one block of the
 * decoder. Operations run in program order, so a buffer may be handed out again before its reader has run.
 */
export class Arena {
  private readonly idle = new Map<string, Tensor[]>();
  private readonly stack: Taken[] = [];

  /**
   * "exact" suits a training step, in which sizes repeat; "powers of two" suits decoding, where the number of rows
   * changes from call to call.
   */
  constructor(private readonly device: Device, private readonly rounding: "exact" | "powers of two") {}

  /** Contents are undefined. */
  take(shape: Shape, dtype: DType = "f32"): Tensor {
    let size = 1;
    for (const dim of shape) size *= dim;
    const capacity = this.rounding === "exact" ? size : 2 ** Math.ceil(Math.log2(size));
    const key = dtype + capacity;
    const base = this.idle.get(key)?.pop() ?? this.device.alloc([capacity], dtype);
    const tensor = this.device.view(base, shape);
    this.stack.push({ tensor, buffer: { key, base } });
    return tensor;
  }

  /** Another shape over a tensor, or part of it, until the enclosing scope is released. */
  view(of: Tensor, shape: Shape, offset = 0): Tensor {
    const tensor = this.device.view(of, shape, offset);
    this.stack.push({ tensor, buffer: null });
    return tensor;
  }

  mark(): number {
    return this.stack.length;
  }

  /** Bytes taken since `mark`. */
  bytesSince(mark: number): number {
    let bytes = 0;
    for (let i = mark; i < this.stack.length; i++) if (this.stack[i].buffer) bytes += 4 * this.stack[i].tensor.size;
    return bytes;
  }

  /** Gives back everything taken since `mark`. */
  release(mark: number): void {
    while (this.stack.length > mark) {
      const { tensor, buffer } = this.stack.pop()!;
      tensor.free();
      if (buffer === null) continue;
      const list = this.idle.get(buffer.key);
      if (list) list.push(buffer.base);
      else this.idle.set(buffer.key, [buffer.base]);
    }
  }

  /** Frees all buffers. */
  dispose(): void {
    this.release(0);
    for (const list of this.idle.values()) for (const base of list) base.free();
    this.idle.clear();
  }
}
