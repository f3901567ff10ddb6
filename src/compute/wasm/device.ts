/**
 * The WASM device: kernels in AssemblyScript (assembly/) on one linear memory that all its threads share. Operations
 * run at once, so only their order in the program matters; work is cut into units whose results do not depend on which
 * thread takes them, so the number of threads changes no bit.
 */
import type {
  AdamWOptions, Device, DType, HostArray, LinearOptions, PackedSequences, PagedRows, SampleParams, Shape, Tensor,
} from "../kernels.ts";
import * as shapes from "../shapes.ts";
import { checkRange, checkWrite, DeviceTensor, dtypeOf, ownTensor, shapeSize, type TensorOwner } from "../tensor.ts";
import { Heap } from "./heap.ts";
import type { Pool } from "./pool.ts";
import { cachedTiles, packedTiles, sequenceSpans } from "./tiles.ts";
import { CONTROL_BYTES } from "./thread.ts";

type Accumulate = { accumulate?: boolean };
type Scaled = Accumulate & { scale?: number };

/** Rows and vocabulary entries of the head's backward pass whose logit gradients exist at a time (2 MiB). */
const HEAD_ROWS = 512;
const HEAD_COLS = 1024;
/** Elements that one f64 partial sum of squares covers (assembly/elements.ts). */
const SUM_BLOCK = 4096;

export class WasmDevice implements Device, TensorOwner<number> {
  readonly name = "wasm";
  private readonly heap: Heap;
  private readonly live = new Set<DeviceTensor<number>>();
  private scratch = 0;
  private scratchBytes = 0;
  private shared = 0;
  private sharedBytes = 0;
  liveBytes = 0;

  constructor(readonly description: string, private readonly memory: WebAssembly.Memory, private readonly pool: Pool, maxBytes: number) {
    this.heap = new Heap(memory, CONTROL_BYTES, maxBytes);
    this.needScratch(1 << 18);
  }

  // ---- memory

  alloc(shape: Shape, dtype: DType = "f32"): Tensor {
    this.pool.check();
    const size = shapeSize(shape);
    const at = this.heap.alloc(size * (dtype === "f16" ? 2 : 4));
    const t = new DeviceTensor<number>(this, shape.slice(), dtype, at, null);
    this.live.add(t);
    this.liveBytes += t.bytes;
    return t;
  }

  release(t: DeviceTensor<number>): void {
    this.live.delete(t);
    this.liveBytes -= t.bytes;
    this.heap.release(t.storage, t.bytes);
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
    this.host(t).set(data, offset);
  }

  async read(t: Tensor, offset = 0, count = t.size - offset): Promise<Float32Array | Int32Array | Uint16Array> {
    checkRange("read", t, offset, count);
    return this.host(t).slice(offset, offset + count);
  }

  view(t: Tensor, shape: Shape, offset = 0): Tensor {
    const base = ownTensor(this, t);
    checkRange("view", t, offset, shapeSize(shape));
    return new DeviceTensor<number>(this, shape.slice(), t.dtype, base.storage + offset * (t.dtype === "f16" ? 2 : 4), base);
  }

  copy(from: Tensor, to: Tensor): void {
    shapes.copyShape(from, to);
    this.host(to).set(this.host(from));
  }

  fill(t: Tensor, value: number): void {
    shapes.fillShape(t);
    this.host(t).fill(value);
  }

  submit(): void {}

  get threads(): number {
    return this.pool.size;
  }

  destroy(): void {
    for (const t of this.live) t.free();
    this.pool.end();
  }

  /** The register-only multiply-add loop: `units` times `iterations` times 96 flop, over all threads. */
  peak(units: number, iterations: number): void {
    this.run("peak", Infinity, units, iterations);
  }

  // ---- elements and rows

  add(x: Tensor, y: Tensor, scale = 1): void {
    const size = shapes.sameSize("add", { x, y });
    this.run("add", size * 0.3, this.at(x), this.at(y), size, scale);
  }

  embedding(ids: Tensor, table: Tensor, y: Tensor): void {
    const { N, D, V } = shapes.embeddingShape("embedding", ids, table, y);
    shapes.checkIndices("embedding", "ids", this.i32(ids), V);
    this.run("embedding", N * D * 0.2, this.at(ids), this.at(table), half(table), this.at(y), N, D);
  }

  embeddingBackward(ids: Tensor, dy: Tensor, dTable: Tensor): void {
    const { N, D, V } = shapes.embeddingShape("embeddingBackward", ids, dTable, dy, true);
    shapes.checkIndices("embeddingBackward", "ids", this.i32(ids), V);
    this.run("embeddingBackward", N * D * 0.4, this.at(ids), this.at(dy), this.at(dTable), N, D);
  }

  rmsNorm(x: Tensor, w: Tensor, y: Tensor, eps: number): void {
    const { rows, width } = shapes.normShape("rmsNorm", x, w, { y });
    this.run("rmsNorm", x.size * 0.3, this.at(x), this.at(w), this.at(y), rows, width, eps);
  }

  rmsNormBackward(x: Tensor, w: Tensor, dy: Tensor, dx: Tensor, dw: Tensor | null, eps: number, { accumulate = false }: Accumulate = {}): void {
    const { rows, width } = shapes.normShape("rmsNormBackward", x, w, { dy, dx }, dw);
    const unitRows = Math.max(Math.ceil(4096 / width), Math.ceil(rows / 256));
    const units = Math.ceil(rows / unitRows);
    const partials = dw ? this.needShared(units * (width + 4) * 4) : 0;
    this.run("rmsNormBackward", x.size * 0.8, this.at(x), this.at(w), this.at(dy), this.at(dx), partials, rows, width, unitRows, eps, Number(accumulate));
    if (dw) this.run("addPartials", units * width * 0.2, partials, units, width, this.at(dw));
  }

  rope(x: Tensor, positions: Tensor, invFreq: Tensor, inverse = false): void {
    const { N, heads, E, pairs } = shapes.ropeShape(x, positions, invFreq);
    this.needScratch(8 * (pairs + 8));
    this.run("rope", N * pairs * (2 + heads * 0.5), this.at(x), this.at(positions), this.at(invFreq), N, heads, E, pairs, Number(inverse));
  }

  swiglu(gate: Tensor, up: Tensor, y: Tensor): void {
    const size = shapes.sameSize("swiglu", { gate, up, y });
    this.run("swiglu", size, this.at(gate), this.at(up), this.at(y), size);
  }

  swigluBackward(gate: Tensor, up: Tensor, dy: Tensor, dGate: Tensor, dUp: Tensor): void {
    const size = shapes.sameSize("swigluBackward", { gate, up, dy, dGate, dUp });
    this.run("swigluBackward", size * 1.5, this.at(gate), this.at(up), this.at(dy), this.at(dGate), this.at(dUp), size);
  }

  // ---- linear

  linear(x: Tensor, w: Tensor, y: Tensor, { bias, scale = 1, accumulate = false }: LinearOptions = {}): void {
    const { N, K, M } = shapes.linearShape(x, w, y, bias);
    this.needScratch(widenBytes(K));
    const biasAt = bias ? this.at(bias) : 0;
    this.run("linear", product(N, K, M), this.at(x), this.at(w), half(w), this.at(y), N, K, M, biasAt, scale, Number(accumulate));
  }

  linearBackwardInput(dy: Tensor, w: Tensor, dx: Tensor, { scale = 1, accumulate = false }: Scaled = {}): void {
    const { N, K, M } = shapes.linearInputShape(dy, w, dx);
    this.runInput(this.at(dy), this.at(w), half(w), this.at(dx), N, K, M, scale, accumulate);
  }

  private runInput(dy: number, w: number, isHalf: number, dx: number, N: number, K: number, M: number, scale: number, accumulate: boolean): void {
    this.needScratch(32 * M);
    this.run("linearBackwardInput", product(N, K, M), dy, w, isHalf, dx, N, K, M, scale, Number(accumulate));
  }

  linearBackwardWeight(dy: Tensor, x: Tensor, dw: Tensor, { scale = 1, accumulate = false }: Scaled = {}): void {
    const { N, K, M } = shapes.linearWeightShape(dy, x, dw);
    this.run("linearBackwardWeight", product(N, K, M), this.at(dy), this.at(x), this.at(dw), N, K, M, scale, Number(accumulate));
  }

  biasBackward(dy: Tensor, db: Tensor, { accumulate = false }: Accumulate = {}): void {
    const { N, M } = shapes.biasShape(dy, db);
    this.run("biasBackward", N * M * 0.2, this.at(dy), this.at(db), N, M, Number(accumulate));
  }

  // ---- attention

  attention(q: Tensor, k: Tensor, v: Tensor, sequences: PackedSequences, y: Tensor, lse: Tensor): void {
    const { N, H, G, E } = shapes.attentionShape(q, k, v, sequences, y, lse);
    const offsets = this.i32(sequences.offsets);
    shapes.checkOffsets("attention", offsets, N, sequences.maxLength);
    const tiles = packedTiles(offsets);
    this.needScratch(tiles.scratchBytes);
    this.run("attention", tiles.pairs * H * E * 0.1, this.at(q), this.at(k), this.at(v), this.put(tiles.table), tiles.count, this.at(y), this.at(lse), H, G, E);
  }

  attentionBackward(
    q: Tensor, k: Tensor, v: Tensor, y: Tensor, lse: Tensor, dy: Tensor, sequences: PackedSequences, dq: Tensor, dk: Tensor, dv: Tensor,
  ): void {
    const { N, H, G, E } = shapes.attentionBackwardShape(q, { k, v, dk, dv }, { y, dy, dq }, lse, sequences);
    const offsets = this.i32(sequences.offsets);
    shapes.checkOffsets("attentionBackward", offsets, N, sequences.maxLength);
    const spans = sequenceSpans(offsets);
    this.needScratch(spans.scratchBytes);
    this.run(
      "attentionBackward", spans.pairs * H * E * 0.2, this.at(q), this.at(k), this.at(v), this.at(y), this.at(lse), this.at(dy),
      this.put(spans.table), spans.count, this.at(dq), this.at(dk), this.at(dv), H, G, E,
    );
  }

  cacheWrite(k: Tensor, v: Tensor, kCache: Tensor, vCache: Tensor, rows: PagedRows): void {
    const dims = shapes.cacheWriteShape(k, v, kCache, vCache, rows);
    shapes.checkPagedRows("cacheWrite", dims, this.i32(rows.sequence), this.i32(rows.position), this.i32(rows.pages), rows.maxContext, true);
    const width = dims.G * dims.E;
    this.run(
      "cacheWrite", dims.N * (20 + width * 0.1), this.at(k), this.at(v), this.at(kCache), this.at(vCache),
      this.at(rows.sequence), this.at(rows.position), this.at(rows.pages), dims.maxPages, dims.pageSize, dims.N, width,
    );
  }

  attentionCached(q: Tensor, kCache: Tensor, vCache: Tensor, rows: PagedRows, y: Tensor): void {
    const dims = shapes.attentionCachedShape(q, kCache, vCache, rows, y);
    const position = this.i32(rows.position);
    shapes.checkPagedRows("attentionCached", dims, this.i32(rows.sequence), position, this.i32(rows.pages), rows.maxContext, false);
    const tiles = cachedTiles(this.i32(rows.sequence), position);
    this.needScratch(tiles.scratchBytes);
    this.run(
      "attentionCached", tiles.pairs * dims.H * dims.E * 0.16, this.at(q), this.at(kCache), this.at(vCache), this.put(tiles.table), tiles.count,
      this.at(rows.position), this.at(rows.pages), dims.maxPages, dims.pageSize, this.at(y), dims.H, dims.G, dims.E,
    );
  }

  // ---- head and sampling

  targetLogprobs(h: Tensor, w: Tensor, targets: Tensor, logprob: Tensor, entropy: Tensor, logZ: Tensor): void {
    const { N, D, V } = shapes.logprobsShape("targetLogprobs", h, w, targets, { logprob, entropy, logZ });
    shapes.checkIndices("targetLogprobs", "targets", this.i32(targets), V);
    this.needScratch(40_000 + widenBytes(D));
    this.run(
      "targetLogprobs", product(N, D, V), this.at(h), this.at(w), half(w), this.at(targets), this.at(logprob), this.at(entropy), this.at(logZ), N, D, V,
    );
  }

  targetLogprobsBackward(h: Tensor, w: Tensor, targets: Tensor, logZ: Tensor, weight: Tensor, dh: Tensor, dw: Tensor | null): void {
    const { N, D, V } = shapes.logprobsShape("targetLogprobsBackward", h, w, targets, { logZ, weight }, { dh, dw });
    shapes.checkIndices("targetLogprobsBackward", "targets", this.i32(targets), V);
    this.needScratch(widenBytes(D));
    const dz = this.needShared(4 * Math.min(N, HEAD_ROWS) * Math.min(V, HEAD_COLS));
    for (let n = 0; n < N; n += HEAD_ROWS) {
      const rows = Math.min(HEAD_ROWS, N - n);
      const hAt = this.at(h) + 4 * n * D;
      for (let v = 0; v < V; v += HEAD_COLS) {
        const cols = Math.min(HEAD_COLS, V - v);
        const wAt = this.at(w) + (w.dtype === "f16" ? 2 : 4) * v * D;
        const cost = product(rows, D, cols);
        this.run(
          "headGradient", cost + rows * cols * 0.5, hAt, wAt, half(w), this.at(targets) + 4 * n, this.at(logZ) + 4 * n, this.at(weight) + 4 * n,
          dz, rows, D, v, cols,
        );
        this.runInput(dz, wAt, half(w), this.at(dh) + 4 * n * D, rows, D, cols, 1, v > 0);
        if (dw) this.run("linearBackwardWeight", cost, dz, hAt, this.at(dw) + 4 * v * D, rows, D, cols, 1, 1);
      }
    }
  }

  sample(logits: Tensor, params: SampleParams, tokens: Tensor, logprobs: Tensor): void {
    const { N, V } = shapes.sampleShape(logits, params, tokens, logprobs);
    this.needScratch(64 + 8 * (V + 4));
    this.run(
      "sample", N * V * 2, this.at(logits), this.at(params.uniform), this.at(params.temperature), this.at(params.topK), this.at(params.topP),
      this.at(tokens), this.at(logprobs), N, V,
    );
  }

  // ---- optimizer

  sumSquares(t: Tensor, out: Tensor, { accumulate = false }: Accumulate = {}): void {
    const size = shapes.sameSize("sumSquares", { t });
    shapes.scalarShape("sumSquares", "out", out);
    const count = Math.ceil(size / SUM_BLOCK);
    const partials = this.needShared(8 * count);
    this.run("sumSquares", size * 0.2, this.at(t), size, partials);
    const sum = new Float64Array(this.memory.buffer, partials, count).reduce((a, b) => a + b, 0);
    const to = this.host(out);
    to[0] = sum + (accumulate ? to[0] : 0);
  }

  adamw(param: Tensor, grad: Tensor, m: Tensor, v: Tensor, o: AdamWOptions): void {
    const size = shapes.sameSize("adamw", { param, grad, m, v });
    let gradScale = 1;
    if (o.clip) {
      shapes.scalarShape("adamw", "clip.sumSquares", o.clip.sumSquares);
      gradScale = Math.min(1, o.clip.maxNorm / (Math.sqrt(this.host(o.clip.sumSquares)[0]) + 1e-6));
    }
    this.run(
      "adamw", size, this.at(param), this.at(grad), this.at(m), this.at(v), size, gradScale, o.beta1, 1 - o.beta1, o.beta2, 1 - o.beta2,
      1 - o.lr * o.weightDecay, o.lr / (1 - o.beta1 ** o.step), 1 / Math.sqrt(1 - o.beta2 ** o.step), o.eps,
    );
  }

  // ---- inside

  private run(kernel: string, nanoseconds: number, ...parameters: number[]): void {
    this.pool.run(kernel, nanoseconds, this.scratch, this.scratchBytes, parameters);
  }

  private at(t: Tensor): number {
    return ownTensor(this, t).storage;
  }

  /** The tensor's elements in the device's memory; valid until the next allocation. */
  private host(t: Tensor): Float32Array | Int32Array | Uint16Array {
    const kind = t.dtype === "f32" ? Float32Array : t.dtype === "f16" ? Uint16Array : Int32Array;
    return new kind(this.memory.buffer, this.at(t), t.size);
  }

  private i32(t: Tensor): Int32Array {
    return this.host(t) as Int32Array;
  }

  /** Makes each thread's scratch memory at least `bytes` long. */
  private needScratch(bytes: number): void {
    if (bytes <= this.scratchBytes) return;
    const size = Math.ceil((bytes * 1.25) / 64) * 64;
    // The old one goes last, so that a failure leaves the device as it was.
    const at = this.heap.alloc(size * this.pool.size);
    if (this.scratchBytes > 0) this.heap.release(this.scratch, this.scratchBytes * this.pool.size);
    this.scratch = at;
    this.scratchBytes = size;
  }

  /** Address of scratch memory for the running operation that all threads see. */
  private needShared(bytes: number): number {
    if (bytes > this.sharedBytes) {
      const at = this.heap.alloc(bytes);
      if (this.sharedBytes > 0) this.heap.release(this.shared, this.sharedBytes);
      this.shared = at;
      this.sharedBytes = bytes;
    }
    return this.shared;
  }

  /** Address of a copy of a work table. */
  private put(table: Int32Array): number {
    const at = this.needShared(table.byteLength);
    new Int32Array(this.memory.buffer, at, table.length).set(table);
    return at;
  }
}

function half(t: Tensor): number {
  return t.dtype === "f16" ? 1 : 0;
}

/** Estimated nanoseconds of a matrix product on one thread. */
function product(N: number, K: number, M: number): number {
  return (2 * N * K * M) / 60;
}

/** Scratch for widened f16 weights: `weightRows(K)` rows of K + 4 floats (assembly/dot.ts). */
function widenBytes(K: number): number {
  return 4 * (6400 + 4 * (K + 4));
}
