/**
 * The kernel interface: every operation the decoder, its backward pass, the sampler and the optimizer need.
 *
 * Rules that hold on every device:
 * - Operations are enqueued in program order and return at once. Only `read` waits. A device may run an operation
 *   immediately (wasm) or record it (webgpu); `submit` marks a good place to hand recorded work over.
 * - Tensors are row-major and dense. Whoever allocates a tensor frees it; a view never owns memory.
 * - Outputs are passed in. `accumulate: true` adds to what the output holds, otherwise it is overwritten.
 * - A batch is packed: sequences of different lengths follow one another as rows, without padding.
 * - A row's result depends on that row's inputs alone, never on which rows share the call, so that scheduling
 *   cannot change a number.
 * - Arithmetic is f32 (weights may be stored as f16). Shapes are checked; a mismatch throws a `ShapeError`.
 *
 * Notation: N packed rows, D model width, K input and M output features, V vocabulary, H query heads, G key/value
 * heads (H is a multiple of G), E head size, S sequences.
 */
export type DType = "f32" | "f16" | "i32";
export type Shape = readonly number[];
export type HostArray = Float32Array | Uint16Array | Int32Array;

export interface Tensor {
  readonly shape: Shape;
  readonly dtype: DType;
  /** Number of elements. */
  readonly size: number;
  readonly freed: boolean;
  /** Gives the memory back (a view only detaches). Freeing twice throws. */
  free(): void;
}

/** Sequences packed one after another, for training: sequence s owns rows offsets[s] .. offsets[s+1]. */
export interface PackedSequences {
  /** i32 [S + 1], ascending, offsets[S] = N. */
  readonly offsets: Tensor;
  /** Rows of the longest sequence, so that a device can size its launch. */
  readonly maxLength: number;
}

/**
 * Where the rows of an inference step stand in a paged key/value cache. A page holds `pageSize` consecutive positions
 * of one sequence; pages may be shared by several sequences (a common prompt).
 */
export interface PagedRows {
  /** i32 [N]: row of `pages` (the sequence) that each query row belongs to. */
  readonly sequence: Tensor;
  /** i32 [N]: position of the row in its sequence; it attends to positions 0..position. */
  readonly position: Tensor;
  /** i32 [S, maxPages]: page index of each block of `pageSize` positions. */
  readonly pages: Tensor;
  readonly pageSize: number;
  /** Largest position + 1 over the rows. */
  readonly maxContext: number;
}

export interface LinearOptions {
  /** f32 [M], added to each row. */
  bias?: Tensor;
  /** Factor on the product (LoRA's alpha / r). Default 1. */
  scale?: number;
  accumulate?: boolean;
}

export interface AdamWOptions {
  lr: number;
  beta1: number;
  beta2: number;
  eps: number;
  weightDecay: number;
  /** 1 for the first step (bias correction). */
  step: number;
  /** Gradient is multiplied by min(1, maxNorm / (sqrt(sumSquares) + 1e-6)); sumSquares is f32 [1]. */
  clip?: { sumSquares: Tensor; maxNorm: number };
}

export interface SampleParams {
  /** f32 [N] in [0, 1): one uniform random number per row. */
  uniform: Tensor;
  /** f32 [N]: 0 means greedy. */
  temperature: Tensor;
  /** i32 [N]: 0 means off. */
  topK: Tensor;
  /** f32 [N]: 1 means off. */
  topP: Tensor;
}

export interface Device {
  readonly name: "reference" | "wasm" | "webgpu";
  /** One line for people: engine, threads or adapter, features in use. */
  readonly description: string;
  /** Bytes of all tensors that are allocated and not freed (views count nothing). */
  readonly liveBytes: number;
  /** Kernels launched so far, on devices where each launch has a cost of its own. */
  readonly dispatches?: number;

  // ---- memory
  /** A zero-filled tensor. Throws `OutOfMemoryError` when the device has no room. */
  alloc(shape: Shape, dtype?: DType): Tensor;
  /** A tensor with the given contents; dtype follows the array (Uint16Array holds f16 bits). */
  upload(data: HostArray, shape: Shape): Tensor;
  /** Overwrites elements from `offset` (in elements) on. */
  write(t: Tensor, data: HostArray, offset?: number): void;
  /** Copies `count` elements from `offset` on back to the host, after all work enqueued before. */
  read(t: Tensor, offset?: number, count?: number): Promise<Float32Array | Int32Array | Uint16Array>;
  /** The elements [offset, offset + product(shape)) of `t` under another shape, without copying. */
  view(t: Tensor, shape: Shape, offset?: number): Tensor;
  copy(from: Tensor, to: Tensor): void;
  fill(t: Tensor, value: number): void;
  submit(): void;
  /** Frees everything, ends threads. The device cannot be used afterwards. */
  destroy(): void;

  // ---- elementwise
  /** y += scale · x (same size). */
  add(x: Tensor, y: Tensor, scale?: number): void;

  // ---- rows
  /** y[n, :] = table[ids[n], :]; table f32 or f16 [V, D]; ids i32 [N]. Also gathers any rows by index. */
  embedding(ids: Tensor, table: Tensor, y: Tensor): void;
  /** dTable[ids[n], :] += dy[n, :], rows in ascending n, so that repeated ids add in a fixed order. */
  embeddingBackward(ids: Tensor, dy: Tensor, dTable: Tensor): void;

  // ---- linear: w is f32 or f16 [M, K], as checkpoints store it
  /** y[N, M] = scale · x[N, K] · wᵀ + bias (+ y). */
  linear(x: Tensor, w: Tensor, y: Tensor, options?: LinearOptions): void;
  /** dx[N, K] = scale · dy[N, M] · w (+ dx). */
  linearBackwardInput(dy: Tensor, w: Tensor, dx: Tensor, options?: { scale?: number; accumulate?: boolean }): void;
  /** dw[M, K] = scale · dyᵀ · x (+ dw). */
  linearBackwardWeight(dy: Tensor, x: Tensor, dw: Tensor, options?: { scale?: number; accumulate?: boolean }): void;
  /** db[M] = Σ_n dy[n, :] (+ db). */
  biasBackward(dy: Tensor, db: Tensor, options?: { accumulate?: boolean }): void;

  // ---- normalisation: x is read as rows of w.size elements, so [N, D] and per-head [N·H, E] are one operation
  /** y = x / sqrt(mean(x²) + eps) · w. */
  rmsNorm(x: Tensor, w: Tensor, y: Tensor, eps: number): void;
  /** dx (+=) and, if given, dw += . The reciprocal norm is recomputed from x. */
  rmsNormBackward(x: Tensor, w: Tensor, dy: Tensor, dx: Tensor, dw: Tensor | null, eps: number, options?: { accumulate?: boolean }): void;

  // ---- rotary position embedding, half-split form, in place
  /**
   * x [N, heads, E]; positions i32 [N]; invFreq f32 [R/2] rotates channel pairs (i, i + R/2) of the first R channels
   * by positions · invFreq. `inverse` rotates back: that is the backward pass.
   */
  rope(x: Tensor, positions: Tensor, invFreq: Tensor, inverse?: boolean): void;

  // ---- attention, scale 1/sqrt(E)
  /** Causal grouped-query attention inside each packed sequence. q, y [N, H, E]; k, v [N, G, E]; lse f32 [N, H] is the log-sum-exp of each row's scores, kept for the backward pass. */
  attention(q: Tensor, k: Tensor, v: Tensor, sequences: PackedSequences, y: Tensor, lse: Tensor): void;
  /** Overwrites dq, dk, dv; probabilities are recomputed from lse. */
  attentionBackward(q: Tensor, k: Tensor, v: Tensor, y: Tensor, lse: Tensor, dy: Tensor, sequences: PackedSequences, dq: Tensor, dk: Tensor, dv: Tensor): void;
  /** Stores k, v [N, G, E] at the rows' positions in the caches [pages, pageSize, G, E]. */
  cacheWrite(k: Tensor, v: Tensor, kCache: Tensor, vCache: Tensor, rows: PagedRows): void;
  /** y[N, H, E]: each query row attends to positions 0..position of its sequence in the cache. */
  attentionCached(q: Tensor, kCache: Tensor, vCache: Tensor, rows: PagedRows, y: Tensor): void;

  // ---- gated feed-forward
  /** y = silu(gate) · up. */
  swiglu(gate: Tensor, up: Tensor, y: Tensor): void;
  /** Overwrites dGate and dUp (either may be the same tensor as gate or up). */
  swigluBackward(gate: Tensor, up: Tensor, dy: Tensor, dGate: Tensor, dUp: Tensor): void;

  // ---- head: log-probability of given tokens, streamed over vocabulary tiles; no [N, V] tensor exists
  /** With z = h · wᵀ: logprob[n] = z[n, target] − logZ[n]; entropy[n] = −Σ p log p (nats). h [N, D], w [V, D], targets i32 [N]. */
  targetLogprobs(h: Tensor, w: Tensor, targets: Tensor, logprob: Tensor, entropy: Tensor, logZ: Tensor): void;
  /** Gradient of Σ_n weight[n] · logprob[n]: dh overwritten; dw, if given, accumulated. */
  targetLogprobsBackward(h: Tensor, w: Tensor, targets: Tensor, logZ: Tensor, weight: Tensor, dh: Tensor, dw: Tensor | null): void;

  // ---- sampling
  /**
   * Draws one token per row of logits [N, V] into tokens i32 [N]. Order of filters: temperature, top-k, top-p, then
   * inversion of the cumulative distribution in ascending token order at `uniform`. logprobs f32 [N] is the
   * log-probability under the very distribution drawn from (temperature and filters applied); for greedy rows it is
   * that of the full softmax at temperature 1.
   */
  sample(logits: Tensor, params: SampleParams, tokens: Tensor, logprobs: Tensor): void;

  // ---- optimizer
  /** out f32 [1] = Σ t² (+ out). */
  sumSquares(t: Tensor, out: Tensor, options?: { accumulate?: boolean }): void;
  /** AdamW with decoupled weight decay and bias correction; updates param, m, v (f32, same size). */
  adamw(param: Tensor, grad: Tensor, m: Tensor, v: Tensor, options: AdamWOptions): void;
}

export class ShapeError extends Error {
  override name = "ShapeError";
}
export class OutOfMemoryError extends Error {
  override name = "OutOfMemoryError";
}
/** The device stopped working (GPU lost, a compute thread died); a new one must be created. */
export class DeviceLostError extends Error {
  override name = "DeviceLostError";
}
