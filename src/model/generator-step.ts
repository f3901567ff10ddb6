/**
 * One step of the generator on the device. Host arrays and device buffers are kept from step to step, and everything
 * that describes the rows goes over in two writes: with a small model, overhead is what a step costs.
 */
import type { Device, Random, Tensor } from "../compute/index.ts";
import type { Decoder, KvCache } from "./decoder.ts";

export interface Sampling {
  /** 0 means greedy. */
  temperature: number;
  /** 0 means off. */
  topK: number;
  /** 1 means off. */
  topP: number;
}

/** What one sequence contributes to a step: the rows ids[from, from + count). */
export interface StepRows {
  readonly ids: readonly number[];
  readonly from: number;
  readonly count: number;
  readonly pages: readonly number[];
  /** The last row's logits are wanted: a token is drawn. */
  readonly draws: boolean;
  readonly random: Random;
  readonly sampling: Sampling;
}

/** Elements between the starts of packed arrays: GPUs bind parts of a buffer at multiples of 256 bytes. */
const ALIGNMENT = 64;

/** Several small arrays of one type in one device buffer that grows as needed; rewritten every step. */
class Packed<A extends Int32Array | Float32Array> {
  private host: A;
  private buffer: Tensor;
  private end = 0;

  constructor(private readonly device: Device, private readonly make: (size: number) => A) {
    this.host = make(4096);
    this.buffer = device.upload(this.host, [this.host.length]);
  }

  /** Forgets the arrays and makes room for `sizes` elements in each of the next ones; returns them. */
  layout(sizes: readonly number[]): { arrays: A[]; starts: number[] } {
    const starts: number[] = [];
    let end = 0;
    for (const size of sizes) {
      starts.push(end);
      end += Math.ceil(size / ALIGNMENT) * ALIGNMENT;
    }
    if (end > this.host.length) {
      this.buffer.free();
      this.host = this.make(2 * end);
      this.buffer = this.device.upload(this.host, [this.host.length]);
    }
    this.end = end;
    return { arrays: sizes.map((size, n) => this.host.subarray(starts[n], starts[n] + size) as A), starts };
  }

  write(): void {
    this.device.write(this.buffer, this.host.subarray(0, this.end));
  }

  view(start: number, shape: readonly number[]): Tensor {
    return this.device.view(this.buffer, shape, start);
  }

  free(): void {
    this.buffer.free();
  }
}

export class StepBuffers {
  private readonly integers: Packed<Int32Array>;
  private readonly floats: Packed<Float32Array>;
  private readonly ids: Int32Array;
  private readonly logitRows: Int32Array;
  private readonly tokens: Tensor;
  private readonly logprobs: Tensor;

  constructor(private readonly decoder: Decoder, private readonly cache: KvCache, private readonly pageSize: number, rowsPerStep: number) {
    const { device } = decoder;
    this.integers = new Packed(device, (size) => new Int32Array(size));
    this.floats = new Packed(device, (size) => new Float32Array(size));
    this.ids = new Int32Array(rowsPerStep);
    this.logitRows = new Int32Array(rowsPerStep);
    this.tokens = device.alloc([rowsPerStep], "i32");
    this.logprobs = device.alloc([rowsPerStep]);
  }

  /** Computes the rows and draws a token for each entry that draws, in their order: tokens i32 [D], logprobs f32 [D]. */
  async run(rows: readonly StepRows[]): Promise<{ tokens: Int32Array; logprobs: Float32Array }> {
    const { device } = this.decoder;
    let n = 0;
    let draws = 0;
    let maxPages = 0;
    for (const row of rows) {
      n += row.count;
      if (row.draws) draws++;
      maxPages = Math.max(maxPages, row.pages.length);
    }
    const { arrays: [sequence, position, pages, topK], starts } = this.integers.layout([n, n, rows.length * maxPages, draws]);
    const { arrays: [uniform, temperature, topP], starts: floatStarts } = this.floats.layout([draws, draws, draws]);
    let at = 0;
    let drawn = 0;
    let maxContext = 0;
    for (let s = 0; s < rows.length; s++) {
      const row = rows[s];
      for (let i = 0; i < row.count; i++) {
        this.ids[at] = row.ids[row.from + i];
        sequence[at] = s;
        position[at++] = row.from + i;
      }
      for (let p = 0; p < maxPages; p++) pages[s * maxPages + p] = row.pages[p] ?? 0;
      maxContext = Math.max(maxContext, row.from + row.count);
      if (!row.draws) continue;
      this.logitRows[drawn] = at - 1;
      uniform[drawn] = row.random.uniform();
      temperature[drawn] = row.sampling.temperature;
      topK[drawn] = row.sampling.topK;
      topP[drawn++] = row.sampling.topP;
    }
    this.integers.write();
    this.floats.write();
    const paged = {
      sequence: this.integers.view(starts[0], [n]),
      position: this.integers.view(starts[1], [n]),
      pages: this.integers.view(starts[2], [rows.length, maxPages]),
      pageSize: this.pageSize,
      maxContext,
    };
    const logits = this.decoder.forwardCached(this.ids.subarray(0, n), paged, this.cache, this.logitRows.subarray(0, draws));
    if (!logits) {
      // Nothing to draw yet, but wait for the device, so that the loop cannot run ahead of it.
      await device.read(this.tokens, 0, 1);
      return { tokens: new Int32Array(0), logprobs: new Float32Array(0) };
    }
    try {
      const params = {
        uniform: this.floats.view(floatStarts[0], [draws]),
        temperature: this.floats.view(floatStarts[1], [draws]),
        topK: this.integers.view(starts[3], [draws]),
        topP: this.floats.view(floatStarts[2], [draws]),
      };
      device.sample(logits, params, device.view(this.tokens, [draws]), device.view(this.logprobs, [draws]));
      const [tokens, logprobs] = await Promise.all([device.read(this.tokens, 0, draws), device.read(this.logprobs, 0, draws)]);
      return { tokens: tokens as Int32Array, logprobs: logprobs as Float32Array };
    } finally {
      logits.free();
    }
  }

  free(): void {
    for (const each of [this.integers, this.floats, this.tokens, this.logprobs]) each.free();
  }
}
