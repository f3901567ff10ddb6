/** Random inputs for the tests of the devices. */
import type { Device, PagedRows, Tensor } from "../../src/compute/kernels.ts";
import { Random } from "../../src/compute/random.ts";

/** Makes tensors on one device from one random stream and frees them all at the end. */
export class Inputs {
  private made: Tensor[] = [];
  private readonly random: Random;

  constructor(readonly device: Device, seed: number) {
    this.random = Random.stream("inputs", seed);
  }

  keep(t: Tensor): Tensor {
    this.made.push(t);
    return t;
  }

  free(): void {
    for (const t of this.made) t.free();
    this.made = [];
  }

  f32(...shape: number[]): Tensor {
    const data = Float32Array.from({ length: size(shape) }, () => this.random.normal());
    return this.keep(this.device.upload(data, shape));
  }

  /** f16, subnormal numbers among them. */
  f16(...shape: number[]): Tensor {
    const data = Uint16Array.from({ length: size(shape) }, () => (this.random.int(0, 1) << 15) | this.random.int(0, 0x43ff));
    return this.keep(this.device.upload(data, shape));
  }

  weight(half: boolean, ...shape: number[]): Tensor {
    return half ? this.f16(...shape) : this.f32(...shape);
  }

  floats(values: number[], ...shape: number[]): Tensor {
    return this.keep(this.device.upload(Float32Array.from(values), shape.length > 0 ? shape : [values.length]));
  }

  ints(values: number[], ...shape: number[]): Tensor {
    return this.keep(this.device.upload(Int32Array.from(values), shape.length > 0 ? shape : [values.length]));
  }

  /** i32 [n] in [0, limit). */
  indices(n: number, limit: number): Tensor {
    return this.ints(Array.from({ length: n }, () => this.random.int(0, limit - 1)));
  }

  uniform(n: number): number[] {
    return Array.from({ length: n }, () => this.random.uniform());
  }

  int(low: number, high: number): number {
    return this.random.int(low, high);
  }

  out(...shape: number[]): Tensor {
    return this.keep(this.device.alloc(shape));
  }

  outInt(...shape: number[]): Tensor {
    return this.keep(this.device.alloc(shape, "i32"));
  }

  /** Sequences of the given lengths, packed. */
  packed(lengths: number[]) {
    const offsets = [0];
    for (const length of lengths) offsets.push(offsets[offsets.length - 1] + length);
    return { offsets: this.ints(offsets), maxLength: Math.max(...lengths) };
  }

  /** Rows at the given positions of sequences; every sequence has shuffled pages of its own behind a shared first page. */
  paged(rows: { sequence: number; position: number }[], sequences: number, maxPages: number, pageSize: number): PagedRows & { pageCount: number } {
    const pages: number[] = [];
    const own = this.random.shuffle(Array.from({ length: sequences * maxPages }, (_, i) => i + 1));
    for (let s = 0; s < sequences; s++) for (let p = 0; p < maxPages; p++) pages.push(p === 0 ? 0 : own[s * maxPages + p]);
    return {
      sequence: this.ints(rows.map((row) => row.sequence)),
      position: this.ints(rows.map((row) => row.position)),
      pages: this.ints(pages, sequences, maxPages),
      pageSize,
      maxContext: Math.max(...rows.map((row) => row.position)) + 1,
      pageCount: sequences * maxPages + 1,
    };
  }
}

function size(shape: number[]): number {
  return shape.reduce((a, b) => a * b, 1);
}
