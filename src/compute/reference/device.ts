/**
 * The reference device: plain loops in float64 that are obviously right and slow. Other devices are tested against it.
 * f32 tensors are held in float64 and rounded when read.
 */
import {
  type AdamWOptions, type Device, DeviceLostError, type DType, type HostArray, type LinearOptions, type PackedSequences, type PagedRows,
  type SampleParams, type Shape, type Tensor,
} from "../kernels.ts";
import * as shapes from "../shapes.ts";
import { checkRange, checkWrite, DeviceTensor, dtypeOf, ownTensor, shapeSize, type TensorOwner } from "../tensor.ts";
import * as attention from "./attention.ts";
import { halfToNumber } from "./half.ts";
import * as head from "./head.ts";
import * as linear from "./linear.ts";
import * as optimizer from "./optimizer.ts";
import * as rows from "./rows.ts";

type Storage = Float64Array | Uint16Array | Int32Array;
type Accumulate = { accumulate?: boolean };

export class ReferenceDevice implements Device, TensorOwner<Storage> {
  readonly name = "reference";
  readonly description = "float64 loops in JavaScript";
  private destroyed = false;
  private live = new Set<DeviceTensor<Storage>>();

  get liveBytes(): number {
    let bytes = 0;
    for (const t of this.live) bytes += t.bytes;
    return bytes;
  }

  /** The f32 tensor's numbers themselves, in float64. */
  f64(t: Tensor): Float64Array {
    return ownTensor(this, t).storage as Float64Array;
  }

  /** Numbers of a weight, f32 or f16. */
  private weight(t: Tensor): Float64Array {
    const { storage } = ownTensor(this, t);
    return storage instanceof Uint16Array ? Float64Array.from(storage, halfToNumber) : (storage as Float64Array);
  }

  private i32(t: Tensor): Int32Array {
    return ownTensor(this, t).storage as Int32Array;
  }

  // ---- memory

  alloc(shape: Shape, dtype: DType = "f32"): Tensor {
    if (this.destroyed) throw new DeviceLostError("the device was destroyed");
    const size = shapeSize(shape);
    const storage = dtype === "f32" ? new Float64Array(size) : dtype === "f16" ? new Uint16Array(size) : new Int32Array(size);
    const t = new DeviceTensor<Storage>(this, shape.slice(), dtype, storage, null);
    this.live.add(t);
    return t;
  }

  release(t: DeviceTensor<Storage>): void {
    this.live.delete(t);
  }

  upload(data: HostArray, shape: Shape): Tensor {
    const t = this.alloc(shape, dtypeOf(data));
    this.write(t, data);
    return t;
  }

  write(t: Tensor, data: HostArray, offset = 0): void {
    checkWrite(t, data, offset);
    ownTensor(this, t).storage.set(data, offset);
  }

  async read(t: Tensor, offset = 0, count = t.size - offset): Promise<Float32Array | Int32Array | Uint16Array> {
    checkRange("read", t, offset, count);
    const part = ownTensor(this, t).storage.slice(offset, offset + count);
    return part instanceof Float64Array ? Float32Array.from(part) : part;
  }

  view(t: Tensor, shape: Shape, offset = 0): Tensor {
    const base = ownTensor(this, t);
    const size = shapeSize(shape);
    checkRange("view", t, offset, size);
    return new DeviceTensor<Storage>(this, shape.slice(), t.dtype, base.storage.subarray(offset, offset + size), base);
  }

  copy(from: Tensor, to: Tensor): void {
    shapes.copyShape(from, to);
    ownTensor(this, to).storage.set(ownTensor(this, from).storage);
  }

  fill(t: Tensor, value: number): void {
    shapes.fillShape(t);
    ownTensor(this, t).storage.fill(value);
  }

  submit(): void {}

  destroy(): void {
    this.destroyed = true;
    for (const t of this.live) t.free();
  }

  // ---- elements and rows

  add(x: Tensor, y: Tensor, scale = 1): void {
    shapes.sameSize("add", { x, y });
    const from = this.f64(x);
    const to = this.f64(y);
    for (let i = 0; i < to.length; i++) to[i] += scale * from[i];
  }

  embedding(ids: Tensor, table: Tensor, y: Tensor): void {
    const { D, V } = shapes.embeddingShape("embedding", ids, table, y);
    shapes.checkIndices("embedding", "ids", this.i32(ids), V);
    rows.embedding(this.i32(ids), this.weight(table), this.f64(y), D);
  }

  embeddingBackward(ids: Tensor, dy: Tensor, dTable: Tensor): void {
    const { D, V } = shapes.embeddingShape("embeddingBackward", ids, dTable, dy, true);
    shapes.checkIndices("embeddingBackward", "ids", this.i32(ids), V);
    rows.embeddingBackward(this.i32(ids), this.f64(dy), this.f64(dTable), D);
  }

  rmsNorm(x: Tensor, w: Tensor, y: Tensor, eps: number): void {
    const dims = shapes.normShape("rmsNorm", x, w, { y });
    rows.rmsNorm(this.f64(x), this.f64(w), this.f64(y), dims.rows, dims.width, eps);
  }

  rmsNormBackward(x: Tensor, w: Tensor, dy: Tensor, dx: Tensor, dw: Tensor | null, eps: number, options: Accumulate = {}): void {
    const dims = shapes.normShape("rmsNormBackward", x, w, { dy, dx }, dw);
    const dwData = dw && this.f64(dw);
    rows.rmsNormBackward(this.f64(x), this.f64(w), this.f64(dy), this.f64(dx), dwData, dims.rows, dims.width, eps, options.accumulate ?? false);
  }

  rope(x: Tensor, positions: Tensor, invFreq: Tensor, inverse = false): void {
    const { heads, E } = shapes.ropeShape(x, positions, invFreq);
    rows.rope(this.f64(x), this.i32(positions), this.f64(invFreq), heads, E, inverse);
  }

  swiglu(gate: Tensor, up: Tensor, y: Tensor): void {
    shapes.sameSize("swiglu", { gate, up, y });
    rows.swiglu(this.f64(gate), this.f64(up), this.f64(y));
  }

  swigluBackward(gate: Tensor, up: Tensor, dy: Tensor, dGate: Tensor, dUp: Tensor): void {
    shapes.sameSize("swigluBackward", { gate, up, dy, dGate, dUp });
    rows.swigluBackward(this.f64(gate), this.f64(up), this.f64(dy), this.f64(dGate), this.f64(dUp));
  }

  // ---- linear

  linear(x: Tensor, w: Tensor, y: Tensor, { bias, scale = 1, accumulate = false }: LinearOptions = {}): void {
    const { N, K, M } = shapes.linearShape(x, w, y, bias);
    linear.linear(this.f64(x), this.weight(w), this.f64(y), N, K, M, bias ? this.f64(bias) : null, scale, accumulate);
  }

  linearBackwardInput(dy: Tensor, w: Tensor, dx: Tensor, { scale = 1, accumulate = false }: { scale?: number } & Accumulate = {}): void {
    const { N, K, M } = shapes.linearInputShape(dy, w, dx);
    linear.linearBackwardInput(this.f64(dy), this.weight(w), this.f64(dx), N, K, M, scale, accumulate);
  }

  linearBackwardWeight(dy: Tensor, x: Tensor, dw: Tensor, { scale = 1, accumulate = false }: { scale?: number } & Accumulate = {}): void {
    const { N, K, M } = shapes.linearWeightShape(dy, x, dw);
    linear.linearBackwardWeight(this.f64(dy), this.f64(x), this.f64(dw), N, K, M, scale, accumulate);
  }

  biasBackward(dy: Tensor, db: Tensor, { accumulate = false }: Accumulate = {}): void {
    const { N, M } = shapes.biasShape(dy, db);
    linear.biasBackward(this.f64(dy), this.f64(db), N, M, accumulate);
  }

  // ---- attention

  attention(q: Tensor, k: Tensor, v: Tensor, sequences: PackedSequences, y: Tensor, lse: Tensor): void {
    const { N, H, G, E } = shapes.attentionShape(q, k, v, sequences, y, lse);
    const offsets = this.i32(sequences.offsets);
    shapes.checkOffsets("attention", offsets, N, sequences.maxLength);
    attention.attention(this.f64(q), this.f64(k), this.f64(v), offsets, this.f64(y), this.f64(lse), H, G, E);
  }

  attentionBackward(
    q: Tensor, k: Tensor, v: Tensor, y: Tensor, lse: Tensor, dy: Tensor, sequences: PackedSequences, dq: Tensor, dk: Tensor, dv: Tensor,
  ): void {
    const { N, H, G, E } = shapes.attentionBackwardShape(q, { k, v, dk, dv }, { y, dy, dq }, lse, sequences);
    const offsets = this.i32(sequences.offsets);
    shapes.checkOffsets("attentionBackward", offsets, N, sequences.maxLength);
    attention.attentionBackward(
      this.f64(q), this.f64(k), this.f64(v), this.f64(y), this.f64(lse), this.f64(dy), offsets, this.f64(dq), this.f64(dk), this.f64(dv), H, G, E,
    );
  }

  private pageTable(op: string, rows: PagedRows, dims: { pageCount: number; pageSize: number; maxPages: number }, writes: boolean): attention.PageTable {
    const table = { sequence: this.i32(rows.sequence), position: this.i32(rows.position), pages: this.i32(rows.pages) };
    shapes.checkPagedRows(op, dims, table.sequence, table.position, table.pages, rows.maxContext, writes);
    return { ...table, maxPages: dims.maxPages, pageSize: dims.pageSize };
  }

  cacheWrite(k: Tensor, v: Tensor, kCache: Tensor, vCache: Tensor, rows: PagedRows): void {
    const dims = shapes.cacheWriteShape(k, v, kCache, vCache, rows);
    const table = this.pageTable("cacheWrite", rows, dims, true);
    attention.cacheWrite(this.f64(k), this.f64(kCache), table, dims.G * dims.E);
    attention.cacheWrite(this.f64(v), this.f64(vCache), table, dims.G * dims.E);
  }

  attentionCached(q: Tensor, kCache: Tensor, vCache: Tensor, rows: PagedRows, y: Tensor): void {
    const dims = shapes.attentionCachedShape(q, kCache, vCache, rows, y);
    const table = this.pageTable("attentionCached", rows, dims, false);
    attention.attentionCached(this.f64(q), this.f64(kCache), this.f64(vCache), table, this.f64(y), dims.H, dims.G, dims.E);
  }

  // ---- head and sampling

  targetLogprobs(h: Tensor, w: Tensor, targets: Tensor, logprob: Tensor, entropy: Tensor, logZ: Tensor): void {
    const { D, V } = shapes.logprobsShape("targetLogprobs", h, w, targets, { logprob, entropy, logZ });
    shapes.checkIndices("targetLogprobs", "targets", this.i32(targets), V);
    head.targetLogprobs(this.f64(h), this.weight(w), this.i32(targets), this.f64(logprob), this.f64(entropy), this.f64(logZ), D, V);
  }

  targetLogprobsBackward(h: Tensor, w: Tensor, targets: Tensor, logZ: Tensor, weight: Tensor, dh: Tensor, dw: Tensor | null): void {
    const { D, V } = shapes.logprobsShape("targetLogprobsBackward", h, w, targets, { logZ, weight }, { dh, dw });
    shapes.checkIndices("targetLogprobsBackward", "targets", this.i32(targets), V);
    head.targetLogprobsBackward(
      this.f64(h), this.weight(w), this.i32(targets), this.f64(logZ), this.f64(weight), this.f64(dh), dw && this.f64(dw), D, V,
    );
  }

  sample(logits: Tensor, params: SampleParams, tokens: Tensor, logprobs: Tensor): void {
    const { N, V } = shapes.sampleShape(logits, params, tokens, logprobs);
    for (let n = 0; n < N; n++) {
      const row = this.f64(logits).subarray(n * V, (n + 1) * V);
      const drawn = head.sampleRow(
        row, this.f64(params.uniform)[n], this.f64(params.temperature)[n], this.i32(params.topK)[n], this.f64(params.topP)[n],
      );
      this.i32(tokens)[n] = drawn.token;
      this.f64(logprobs)[n] = drawn.logprob;
    }
  }

  // ---- optimizer

  sumSquares(t: Tensor, out: Tensor, { accumulate = false }: Accumulate = {}): void {
    shapes.sameSize("sumSquares", { t });
    shapes.scalarShape("sumSquares", "out", out);
    this.f64(out)[0] = optimizer.sumSquares(this.f64(t)) + (accumulate ? this.f64(out)[0] : 0);
  }

  adamw(param: Tensor, grad: Tensor, m: Tensor, v: Tensor, options: AdamWOptions): void {
    shapes.sameSize("adamw", { param, grad, m, v });
    let gradScale = 1;
    if (options.clip) {
      shapes.scalarShape("adamw", "clip.sumSquares", options.clip.sumSquares);
      gradScale = Math.min(1, options.clip.maxNorm / (Math.sqrt(this.f64(options.clip.sumSquares)[0]) + 1e-6));
    }
    optimizer.adamw(this.f64(param), this.f64(grad), this.f64(m), this.f64(v), gradScale, options);
  }
}

/** A device that computes in float64 on the host: exact, slow, for tests and comparisons. */
export function createReferenceDevice(): Device {
  return new ReferenceDevice();
}
