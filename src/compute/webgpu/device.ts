/**
 * The WebGPU device: kernels in WGSL (kernels/), recorded in program order and submitted in batches. Plain WebGPU within
 * its default limits: no f16 or subgroup feature, no atomics, so that results are the same on every run. What index
 * tensors hold is not checked, because it lies in the GPU's memory; the bounds checks of WGSL keep a bad index harmless.
 */
import type {
  AdamWOptions, Device, DType, HostArray, LinearOptions, PackedSequences, PagedRows, SampleParams, Shape, Tensor,
} from "../kernels.ts";
import { OutOfMemoryError } from "../kernels.ts";
import * as shapes from "../shapes.ts";
import { BYTES_PER_ELEMENT, checkRange, checkWrite, DeviceTensor, dtypeOf, ownTensor, shapeSize, type TensorOwner } from "../tensor.ts";
import { type Block, BufferPool, type Slice } from "./buffers.ts";
import { type Argument, Launcher } from "./launcher.ts";
import { Recorder } from "./recorder.ts";
import type { KernelSources } from "./sources.ts";

type Accumulate = { accumulate?: boolean };
type Scaled = Accumulate & { scale?: number };

/** Elements of scratch (16 MiB) that attention's scores and the head's logits are cut to fit. */
const SCRATCH = 4 * 2 ** 20;
/** Vocabulary entries whose logits exist at a time; whole blocks. */
const HEAD_COLS = 2048;
/** Tokens per block of logit statistics (kernels/head.wgsl). */
const BLOCK = 256;
/** Elements per partial sum (kernels/elements.wgsl). */
const SUM_BLOCK = 256;

/** Operands of a product c[i, j] = scale · Σ_k a[i, k] · b[j, k]: where they lie, and elements between rows and between k. */
interface Product {
  a: Argument;
  b: Argument;
  c: Argument;
  rows: number;
  cols: number;
  depth: number;
  aRow: number;
  aStep: number;
  bRow: number;
  bStep: number;
  bias?: Argument;
  scale?: number;
  accumulate?: boolean;
}

export class WebGpuDevice implements Device, TensorOwner<Slice> {
  readonly name = "webgpu";
  private readonly recorder: Recorder;
  private readonly pool: BufferPool;
  private readonly launcher: Launcher;
  private readonly live = new Set<DeviceTensor<Slice>>();
  liveBytes = 0;

  /** Takes over the GPU device; live tensors may hold at most `maxBytes`. */
  constructor(readonly description: string, gpu: GPUDevice, sources: KernelSources, private readonly maxBytes: number) {
    this.recorder = new Recorder(gpu);
    this.pool = new BufferPool(this.recorder, maxBytes);
    this.launcher = new Launcher(this.recorder, this.pool, sources);
  }

  get dispatches(): number {
    return this.recorder.dispatches;
  }

  // ---- memory

  /** Beyond the interface: a GPU may find out only later that its memory was too small; the next `read` then throws. */
  alloc(shape: Shape, dtype: DType = "f32"): Tensor {
    this.recorder.check();
    const bytes = shapeSize(shape) * BYTES_PER_ELEMENT[dtype];
    if (this.liveBytes + bytes > this.maxBytes) {
      throw new OutOfMemoryError(`no room for ${bytes} bytes: tensors hold ${this.liveBytes} of at most ${this.maxBytes} bytes; free tensors or use a smaller batch`);
    }
    const t = new DeviceTensor<Slice>(this, shape.slice(), dtype, { block: this.pool.take(bytes), offset: 0 }, null);
    this.live.add(t);
    this.liveBytes += t.bytes;
    return t;
  }

  release(t: DeviceTensor<Slice>): void {
    this.live.delete(t);
    this.liveBytes -= t.bytes;
    this.pool.give(t.storage.block);
  }

  upload(data: HostArray, shape: Shape): Tensor {
    const t = this.alloc(shape, dtypeOf(data));
    try {
      this.write(t, data);
    } catch (error) {
      t.free();
      throw error;
    }
    return t;
  }

  write(t: Tensor, data: HostArray, offset = 0): void {
    checkWrite(t, data, offset);
    this.recorder.check();
    if (data.length === 0) return;
    const { block, offset: start, bytesPerElement } = this.of(t);
    const at = start + offset * bytesPerElement;
    // Whole words go straight into place, after recorded commands that use the buffer.
    if (at % 4 === 0 && data.byteLength % 4 === 0) {
      if (block.usedIn === this.recorder.batch) this.recorder.submit();
      this.put(block, at, data);
      return;
    }
    const padded = new Uint16Array(data.length + 1);
    padded.set(data);
    const staged = this.pool.take(padded.byteLength, true);
    this.recorder.submit();
    this.put(staged, 0, padded.subarray(0, data.length + (data.length % 2)));
    const argument = (place: Block, from: number): Argument => ({ block: place, offset: from, bytes: data.byteLength, bytesPerElement });
    this.copyHalf(argument(staged, 0), argument(block, at), data.length);
    this.pool.give(staged);
  }

  private put(block: Block, at: number, data: HostArray): void {
    this.recorder.gpu.queue.writeBuffer(block.buffer, at, data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
  }

  async read(t: Tensor, offset = 0, count = t.size - offset): Promise<Float32Array | Int32Array | Uint16Array> {
    checkRange("read", t, offset, count);
    const { block, offset: start, bytesPerElement } = this.of(t);
    this.recorder.check();
    const kind = t.dtype === "f32" ? Float32Array : t.dtype === "f16" ? Uint16Array : Int32Array;
    if (count === 0) return new kind(0);
    const at = start + offset * bytesPerElement;
    const from = Math.floor(at / 4) * 4;
    const bytes = Math.ceil((at + count * bytesPerElement) / 4) * 4 - from;
    const target = this.recorder.gpu.createBuffer({ size: bytes, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    try {
      this.recorder.copy(block.buffer, from, target, 0, bytes);
      this.recorder.submit();
      await this.recorder.settle(target.mapAsync(GPUMapMode.READ));
      const result = new kind(target.getMappedRange(), at - from, count).slice();
      target.unmap();
      return result;
    } finally {
      target.destroy();
    }
  }

  view(t: Tensor, shape: Shape, offset = 0): Tensor {
    const base = ownTensor(this, t);
    checkRange("view", t, offset, shapeSize(shape));
    const { block, offset: start } = base.storage;
    return new DeviceTensor<Slice>(this, shape.slice(), t.dtype, { block, offset: start + offset * BYTES_PER_ELEMENT[t.dtype] }, base);
  }

  copy(from: Tensor, to: Tensor): void {
    shapes.copyShape(from, to);
    const [a, b] = [this.of(from), this.of(to)];
    if (a.block === b.block || (a.offset | b.offset | a.bytes) % 4 !== 0) {
      if (from.dtype === "f16") this.copyHalf(a, b, from.size);
      else this.copyWithin(a, b);
      return;
    }
    this.copyWords(a, b, a.bytes);
  }

  private copyWords(a: Slice, b: Slice, bytes: number): void {
    a.block.usedIn = b.block.usedIn = this.recorder.batch;
    this.recorder.copy(a.block.buffer, a.offset, b.block.buffer, b.offset, bytes);
  }

  private copyHalf(a: Argument, b: Argument, size: number): void {
    this.launcher.launch("elements", "copyHalf", size / 2 + 1, { reads: [a], writes: [b], ints: [size] });
  }

  /** Between parts of one buffer, which WebGPU's own copy refuses. */
  private copyWithin(a: Argument, b: Argument): void {
    this.withScratch(a.bytes / 4, (scratch) => {
      this.copyWords(a, scratch, a.bytes);
      this.copyWords(scratch, b, a.bytes);
    });
  }

  fill(t: Tensor, value: number): void {
    shapes.fillShape(t);
    const bits = t.dtype === "f32" ? new Uint32Array(Float32Array.of(value).buffer)[0] : value;
    this.launcher.launch("elements", "fill", t.size, { reads: [], writes: [this.of(t)], ints: [t.size, bits] });
  }

  submit(): void {
    this.recorder.check();
    this.recorder.submit();
  }

  destroy(): void {
    for (const t of this.live) t.free();
    this.recorder.destroy();
  }

  // ---- elements and rows

  add(x: Tensor, y: Tensor, scale = 1): void {
    const size = shapes.sameSize("add", { x, y });
    this.launcher.launch("elements", "add", size, { reads: [this.of(x)], writes: [this.of(y)], ints: [size], floats: [scale] });
  }

  embedding(ids: Tensor, table: Tensor, y: Tensor): void {
    const { N, D } = shapes.embeddingShape("embedding", ids, table, y);
    this.launcher.launch("rows", "embedding", N * D, { reads: [this.of(ids), this.of(table)], writes: [this.of(y)], ints: [N, D], constants: half(table) });
  }

  embeddingBackward(ids: Tensor, dy: Tensor, dTable: Tensor): void {
    const { N, D } = shapes.embeddingShape("embeddingBackward", ids, dTable, dy, true);
    this.withScratch(2 * N, (links) => {
      this.launcher.launch("rows", "chain", N, { reads: [this.of(ids)], writes: [links], ints: [N] });
      this.launcher.launch("rows", "embeddingBackward", N * D, { reads: [this.of(ids), links, this.of(dy)], writes: [this.of(dTable)], ints: [N, D] });
    });
  }

  rmsNorm(x: Tensor, w: Tensor, y: Tensor, eps: number): void {
    const { rows, width } = shapes.normShape("rmsNorm", x, w, { y });
    const blocks = rows * Math.ceil(width / 64);
    this.withScratch(blocks, (partials) => {
      this.launcher.launch("rows", "normSquares", blocks, { reads: [this.of(x)], writes: [partials], ints: [rows, width] });
      this.launcher.launch("rows", "rmsNorm", x.size, { reads: [this.of(x), this.of(w), partials], writes: [this.of(y)], ints: [rows, width], floats: [eps] });
    });
  }

  rmsNormBackward(x: Tensor, w: Tensor, dy: Tensor, dx: Tensor, dw: Tensor | null, eps: number, { accumulate = false }: Accumulate = {}): void {
    const { rows, width } = shapes.normShape("rmsNormBackward", x, w, { dy, dx }, dw);
    const [xs, ws, dys] = [this.of(x), this.of(w), this.of(dy)];
    this.withScratch(2 * rows, (statistics) => {
      this.launcher.launch("rows", "normStatistics", rows, { reads: [xs, ws, dys], writes: [statistics], ints: [rows, width], floats: [eps] });
      if (dw) this.launcher.launch("rows", "normWeightBackward", width, { reads: [xs, dys, statistics], writes: [this.of(dw)], ints: [rows, width] });
      this.launcher.launch("rows", "rmsNormBackward", x.size, { reads: [xs, ws, dys, statistics], writes: [this.of(dx)], ints: [rows, width, Number(accumulate)] });
    });
  }

  rope(x: Tensor, positions: Tensor, invFreq: Tensor, inverse = false): void {
    const { N, heads, E, pairs } = shapes.ropeShape(x, positions, invFreq);
    this.launcher.launch("rope", "rope", N * pairs, { reads: [this.of(positions), this.of(invFreq)], writes: [this.of(x)], ints: [N, heads, E, pairs, Number(inverse)] });
  }

  swiglu(gate: Tensor, up: Tensor, y: Tensor): void {
    const size = shapes.sameSize("swiglu", { gate, up, y });
    this.launcher.launch("elements", "swiglu", size, { reads: [this.of(gate), this.of(up)], writes: [this.of(y)], ints: [size] });
  }

  swigluBackward(gate: Tensor, up: Tensor, dy: Tensor, dGate: Tensor, dUp: Tensor): void {
    const size = shapes.sameSize("swigluBackward", { gate, up, dy, dGate, dUp });
    if (gate === dGate && up === dUp) {
      this.launcher.launch("elements", "swigluInPlace", size, { reads: [this.of(dy)], writes: [this.of(gate), this.of(up)], ints: [size] });
      return;
    }
    this.launcher.launch("elements", "swigluBackward", size, { reads: [this.of(gate), this.of(up), this.of(dy)], writes: [this.of(dGate), this.of(dUp)], ints: [size] });
  }

  // ---- linear

  linear(x: Tensor, w: Tensor, y: Tensor, { bias, scale = 1, accumulate = false }: LinearOptions = {}): void {
    const { N, K, M } = shapes.linearShape(x, w, y, bias);
    this.product({
      a: this.of(x), b: this.of(w), c: this.of(y), rows: N, cols: M, depth: K, aRow: K, aStep: 1, bRow: K, bStep: 1, scale, accumulate,
      ...(bias ? { bias: this.of(bias) } : {}),
    });
  }

  linearBackwardInput(dy: Tensor, w: Tensor, dx: Tensor, { scale = 1, accumulate = false }: Scaled = {}): void {
    const { N, K, M } = shapes.linearInputShape(dy, w, dx);
    this.product({ a: this.of(dy), b: this.of(w), c: this.of(dx), rows: N, cols: K, depth: M, aRow: M, aStep: 1, bRow: 1, bStep: K, scale, accumulate });
  }

  linearBackwardWeight(dy: Tensor, x: Tensor, dw: Tensor, { scale = 1, accumulate = false }: Scaled = {}): void {
    const { N, K, M } = shapes.linearWeightShape(dy, x, dw);
    this.product({ a: this.of(dy), b: this.of(x), c: this.of(dw), rows: M, cols: K, depth: N, aRow: 1, aStep: M, bRow: 1, bStep: K, scale, accumulate });
  }

  private product({ a, b, c, rows, cols, depth, aRow, aStep, bRow, bStep, bias, scale = 1, accumulate = false }: Product): void {
    const half = b.bytesPerElement === 2;
    // Few rows: one per thread. Otherwise tiles of 4 × 4, with loads of four where everything comes in whole fours. The
    // sums are the same. Of an operand, one stride is 1 and the other the length of its rows.
    const inFours = (x: Argument, along: boolean, across: number, step: number) =>
      (x.offset / x.bytesPerElement) % 4 === 0 && (along ? depth % 4 === 0 && across % 4 === 0 : step % 4 === 0);
    const [aAlong, bAlong] = [aStep === 1, bStep === 1];
    const fours = inFours(a, aAlong, aRow, aStep) && inFours(b, bAlong, bRow, bStep) && (!half || depth % 4 === 0) && (aAlong || rows % 4 === 0) && (bAlong || cols % 4 === 0);
    const entry = rows < 4 ? "row" : fours ? (half ? "foursHalf" : "fours") : "tile";
    this.launcher.launch("product", entry, Math.ceil(rows / (entry === "row" ? 1 : 4)) * Math.ceil(cols / 4), {
      reads: [a, b, bias ?? a],
      writes: [c],
      ints: [rows, cols, depth, aRow, aStep, bRow, bStep, Number(bias !== undefined), Number(accumulate)],
      floats: [scale],
      constants: rows >= 4 && fours ? { A_ALONG_K: Number(aAlong), B_ALONG_K: Number(bAlong) } : half ? { HALF: 1 } : {},
    });
  }

  biasBackward(dy: Tensor, db: Tensor, { accumulate = false }: Accumulate = {}): void {
    const { N, M } = shapes.biasShape(dy, db);
    this.launcher.launch("rows", "biasBackward", M, { reads: [this.of(dy)], writes: [this.of(db)], ints: [N, M, Number(accumulate)] });
  }

  // ---- attention

  attention(q: Tensor, k: Tensor, v: Tensor, sequences: PackedSequences, y: Tensor, lse: Tensor): void {
    const { N, H, G, E } = shapes.attentionShape(q, k, v, sequences, y, lse);
    const offsets = this.of(sequences.offsets);
    const dims = { N, H, G, E, span: sequences.maxLength, entries: sequences.offsets.size - 1, pageSize: 1 };
    this.attend([offsets, offsets, offsets], this.of(q), this.of(k), this.of(v), this.of(y), this.of(lse), dims, {});
  }

  attentionCached(q: Tensor, kCache: Tensor, vCache: Tensor, rows: PagedRows, y: Tensor): void {
    const { N, H, G, E, maxPages, pageSize } = shapes.attentionCachedShape(q, kCache, vCache, rows, y);
    const places = [rows.sequence, rows.position, rows.pages].map((t) => this.of(t));
    const dims = { N, H, G, E, span: Math.min(rows.maxContext, maxPages * pageSize), entries: maxPages, pageSize };
    this.withScratch(N * H, (lse) => this.attend(places, this.of(q), this.of(kCache), this.of(vCache), this.of(y), lse, dims, { PAGED: 1 }));
  }

  private attend(
    places: Argument[], q: Argument, k: Argument, v: Argument, y: Argument, lse: Argument,
    { N, H, G, E, span, entries, pageSize }: { N: number; H: number; G: number; E: number; span: number; entries: number; pageSize: number },
    constants: Record<string, number>,
  ): void {
    const perRow = H * span;
    this.inRanges(N, perRow, 1, (first, rows, scores) => {
      const shared = { ints: [first, rows, H, G, E, span, entries, pageSize], floats: [1 / Math.sqrt(E)], constants };
      this.launcher.launch("attention", "score", rows * perRow, { ...shared, reads: [...places, q, k], writes: [scores] });
      this.launcher.launch("attention", "softmax", rows * H, { ...shared, reads: places, writes: [scores, lse] });
      this.launcher.launch("attention", "mix", rows * H * E, { ...shared, reads: [...places, scores, v], writes: [y] });
    });
  }

  attentionBackward(
    q: Tensor, k: Tensor, v: Tensor, y: Tensor, lse: Tensor, dy: Tensor, sequences: PackedSequences, dq: Tensor, dk: Tensor, dv: Tensor,
  ): void {
    const { N, H, G, E } = shapes.attentionBackwardShape(q, { k, v, dk, dv }, { y, dy, dq }, lse, sequences);
    const offsets = this.of(sequences.offsets);
    const [qs, ks, vs, dys] = [q, k, v, dy].map((t) => this.of(t));
    const span = sequences.maxLength, count = sequences.offsets.size - 1;
    const file = "attention-backward";
    this.withScratch(N * H, (delta) => {
      this.launcher.launch(file, "delta", N * H, { reads: [this.of(y), dys], writes: [delta], ints: [N * H, E] });
      this.inRanges(N, H * span, 2, (first, rows, pairs) => {
        const ints = [first, rows, N, H, G, E, span, count];
        this.launcher.launch(file, "pairs", rows * H * span, {
          reads: [offsets, qs, ks, vs, dys, this.of(lse), delta], writes: [pairs], ints, floats: [1 / Math.sqrt(E)],
        });
        this.launcher.launch(file, "queryGradient", rows * H * E, { reads: [offsets, ks, pairs], writes: [this.of(dq)], ints });
        this.launcher.launch(file, "keyGradient", N * G * E, { reads: [offsets, qs, dys, pairs], writes: [this.of(dk), this.of(dv)], ints });
      });
    });
  }

  cacheWrite(k: Tensor, v: Tensor, kCache: Tensor, vCache: Tensor, rows: PagedRows): void {
    const { N, G, E, maxPages, pageSize } = shapes.cacheWriteShape(k, v, kCache, vCache, rows);
    const places = [rows.sequence, rows.position, rows.pages].map((t) => this.of(t));
    for (const [from, to] of [[k, kCache], [v, vCache]]) {
      this.launcher.launch("attention", "cacheWrite", N * G * E, { reads: [...places, this.of(from)], writes: [this.of(to)], ints: [N, G * E, maxPages, pageSize] });
    }
  }

  // ---- head and sampling

  targetLogprobs(h: Tensor, w: Tensor, targets: Tensor, logprob: Tensor, entropy: Tensor, logZ: Tensor): void {
    const { N, D, V } = shapes.logprobsShape("targetLogprobs", h, w, targets, { logprob, entropy, logZ });
    const blocks = Math.ceil(V / BLOCK);
    this.withScratch(4 * N * blocks, (partials) => {
      this.inTiles(h, w, N, D, V, (z, first, rows, col, cols) => {
        this.launcher.launch("head", "targetStatistics", rows * Math.ceil(cols / BLOCK), {
          reads: [z, this.of(targets)], writes: [partials, this.of(logprob)], ints: [rows, cols, col / BLOCK, blocks, first],
        });
      });
      this.launcher.launch("head", "combine", N, { reads: [partials], writes: [this.of(logprob), this.of(entropy), this.of(logZ)], ints: [N, blocks] });
    });
  }

  targetLogprobsBackward(h: Tensor, w: Tensor, targets: Tensor, logZ: Tensor, weight: Tensor, dh: Tensor, dw: Tensor | null): void {
    const { N, D, V } = shapes.logprobsShape("targetLogprobsBackward", h, w, targets, { logZ, weight }, { dh, dw });
    this.inTiles(h, w, N, D, V, (dz, first, rows, col, cols) => {
      this.launcher.launch("head", "headGradient", rows * cols, {
        reads: [this.of(targets), this.of(logZ), this.of(weight)], writes: [dz], ints: [rows, cols, first, col],
      });
      this.product({
        a: dz, b: part(this.of(w), col * D, cols * D), c: part(this.of(dh), first * D, rows * D), rows, cols: D, depth: cols,
        aRow: cols, aStep: 1, bRow: 1, bStep: D, accumulate: col > 0,
      });
      if (dw) {
        this.product({
          a: dz, b: part(this.of(h), first * D, rows * D), c: part(this.of(dw), col * D, cols * D), rows: cols, cols: D, depth: rows,
          aRow: 1, aStep: cols, bRow: 1, bStep: D, accumulate: true,
        });
      }
    });
  }

  /** The logits z = h · wᵀ tile by tile: rows [first, first + rows), tokens [col, col + cols). */
  private inTiles(h: Tensor, w: Tensor, N: number, D: number, V: number, each: (z: Argument, first: number, rows: number, col: number, cols: number) => void): void {
    const width = Math.min(V, HEAD_COLS);
    this.inRanges(N, width, 1, (first, rows, z) => {
      for (let col = 0; col < V; col += HEAD_COLS) {
        const cols = Math.min(HEAD_COLS, V - col);
        const [a, b] = [part(this.of(h), first * D, rows * D), part(this.of(w), col * D, cols * D)];
        this.product({ a, b, c: z, rows, cols, depth: D, aRow: D, aStep: 1, bRow: D, bStep: 1 });
        each(z, first, rows, col, cols);
      }
    });
  }

  sample(logits: Tensor, params: SampleParams, tokens: Tensor, logprobs: Tensor): void {
    const { N, V } = shapes.sampleShape(logits, params, tokens, logprobs);
    const blocks = Math.ceil(V / BLOCK);
    const { uniform, temperature, topK, topP } = params;
    this.withScratch(4 * N * blocks, (partials) => {
      this.launcher.launch("head", "sampleStatistics", N * blocks, { reads: [this.of(logits), this.of(temperature)], writes: [partials], ints: [N, V] });
      this.withScratch(N * V, (mass) => {
        this.withScratch(2 * N, (drawn) => {
          const reads = [this.of(logits), partials, ...[uniform, temperature, topK, topP].map((t) => this.of(t))];
          this.launcher.launch("sample", "sample", N, { reads, writes: [mass, drawn], ints: [N, V] });
          this.copyWords(drawn, this.of(tokens), 4 * N);
          this.copyWords(part(drawn, N, N), this.of(logprobs), 4 * N);
        });
      });
    });
  }

  // ---- optimizer

  sumSquares(t: Tensor, out: Tensor, { accumulate = false }: Accumulate = {}): void {
    const size = shapes.sameSize("sumSquares", { t });
    shapes.scalarShape("sumSquares", "out", out);
    const reduce = (from: Argument, count: number, square: boolean): void => {
      const blocks = Math.ceil(count / SUM_BLOCK);
      const step = (to: Argument, adds: boolean) =>
        this.launcher.launch("elements", "sumBlocks", blocks, { reads: [from], writes: [to], ints: [count, Number(square), Number(adds)] });
      if (blocks === 1) {
        step(this.of(out), accumulate);
        return;
      }
      this.withScratch(blocks, (partials) => {
        step(partials, false);
        reduce(partials, blocks, false);
      });
    };
    reduce(this.of(t), size, true);
  }

  adamw(param: Tensor, grad: Tensor, m: Tensor, v: Tensor, o: AdamWOptions): void {
    const size = shapes.sameSize("adamw", { param, grad, m, v });
    if (o.clip) shapes.scalarShape("adamw", "clip.sumSquares", o.clip.sumSquares);
    this.launcher.launch("elements", "adamw", size, {
      reads: [this.of(grad), this.of(o.clip?.sumSquares ?? grad)],
      writes: [this.of(param), this.of(m), this.of(v)],
      ints: [size],
      floats: [
        o.clip?.maxNorm ?? -1, o.beta1, 1 - o.beta1, o.beta2, 1 - o.beta2, 1 - o.lr * o.weightDecay, o.lr / (1 - o.beta1 ** o.step),
        1 / Math.sqrt(1 - o.beta2 ** o.step), o.eps,
      ],
    });
  }

  // ---- inside

  private of(t: Tensor): Argument {
    const { storage, bytes, dtype } = ownTensor(this, t);
    return { block: storage.block, offset: storage.offset, bytes, bytesPerElement: BYTES_PER_ELEMENT[dtype] };
  }

  /** Lends `body` scratch of `size` elements of 4 bytes, contents undefined. Commands run in order, so it may be lent on at once. */
  private withScratch(size: number, body: (scratch: Argument) => void): void {
    const block = this.pool.take(4 * size, true);
    body({ block, offset: 0, bytes: 4 * size, bytesPerElement: 4 });
    this.pool.give(block);
  }

  /** Calls `body` for ranges of N rows that share scratch of `planes` · `perRow` elements per row. */
  private inRanges(N: number, perRow: number, planes: number, body: (first: number, rows: number, scratch: Argument) => void): void {
    const most = Math.min(N, Math.max(1, Math.floor(SCRATCH / (planes * perRow))));
    this.withScratch(most * planes * perRow, (scratch) => {
      for (let first = 0; first < N; first += most) body(first, Math.min(most, N - first), scratch);
    });
  }
}

function half(t: Tensor): Record<string, number> {
  return t.dtype === "f16" ? { HALF: 1 } : {};
}

/** `count` elements of an argument from element `from` on. */
function part(argument: Argument, from: number, count: number): Argument {
  const { offset, bytesPerElement } = argument;
  return { ...argument, offset: offset + from * bytesPerElement, bytes: count * bytesPerElement };
}
