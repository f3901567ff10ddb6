/**
 * Shape and index checks of every operation, shared by the devices. Each function returns the dimensions that the
 * kernels need, in the notation of kernels.ts, or throws a `ShapeError` naming the operation and the argument.
 */
import { type DType, type PackedSequences, type PagedRows, type SampleParams, ShapeError, type Tensor } from "./kernels.ts";
import { describe } from "./tensor.ts";

/** A required length, or `null` where any will do. */
type Dim = number | null;
const F32: readonly DType[] = ["f32"];
const I32: readonly DType[] = ["i32"];
const WEIGHT: readonly DType[] = ["f32", "f16"];

function check(op: string, name: string, t: Tensor, dims: readonly Dim[], dtypes = F32): void {
  const fits = t.shape.length === dims.length && dims.every((d, i) => d === null || d === t.shape[i]);
  if (!fits || !dtypes.includes(t.dtype)) {
    const wanted = `[${dims.map((d) => d ?? "any").join(", ")}] ${dtypes.join(" or ")}`;
    throw new ShapeError(`${op}: ${name} is ${describe(t)}, expected ${wanted}`);
  }
}

function checkSize(op: string, name: string, t: Tensor, size: number, dtypes = F32): void {
  if (t.size !== size || !dtypes.includes(t.dtype)) {
    throw new ShapeError(`${op}: ${name} is ${describe(t)}, expected ${size} elements of ${dtypes.join(" or ")}`);
  }
}

export function copyShape(from: Tensor, to: Tensor): void {
  checkSize("copy", "to", to, from.size, [from.dtype]);
}

export function fillShape(t: Tensor): void {
  checkSize("fill", "t", t, t.size, ["f32", "i32"]);
}

/** All tensors f32 and of the same size, which is returned. */
export function sameSize(op: string, tensors: Record<string, Tensor>): number {
  const size = Object.values(tensors)[0].size;
  for (const [name, t] of Object.entries(tensors)) checkSize(op, name, t, size);
  return size;
}

export function scalarShape(op: string, name: string, t: Tensor): void {
  checkSize(op, name, t, 1);
}

export function embeddingShape(op: string, ids: Tensor, table: Tensor, y: Tensor, gradient = false) {
  check(op, "table", table, [null, null], gradient ? F32 : WEIGHT);
  check(op, "ids", ids, [null], I32);
  const [V, D] = table.shape;
  const N = ids.shape[0];
  check(op, gradient ? "dy" : "y", y, [N, D]);
  return { N, D, V };
}

export function linearShape(x: Tensor, w: Tensor, y: Tensor, bias?: Tensor) {
  check("linear", "w", w, [null, null], WEIGHT);
  const [M, K] = w.shape;
  check("linear", "x", x, [null, K]);
  const N = x.shape[0];
  check("linear", "y", y, [N, M]);
  if (bias) check("linear", "bias", bias, [M]);
  return { N, K, M };
}

export function linearInputShape(dy: Tensor, w: Tensor, dx: Tensor) {
  const op = "linearBackwardInput";
  check(op, "w", w, [null, null], WEIGHT);
  const [M, K] = w.shape;
  check(op, "dy", dy, [null, M]);
  const N = dy.shape[0];
  check(op, "dx", dx, [N, K]);
  return { N, K, M };
}

export function linearWeightShape(dy: Tensor, x: Tensor, dw: Tensor) {
  const op = "linearBackwardWeight";
  check(op, "dw", dw, [null, null]);
  const [M, K] = dw.shape;
  check(op, "x", x, [null, K]);
  const N = x.shape[0];
  check(op, "dy", dy, [N, M]);
  return { N, K, M };
}

export function biasShape(dy: Tensor, db: Tensor) {
  check("biasBackward", "dy", dy, [null, null]);
  const [N, M] = dy.shape;
  check("biasBackward", "db", db, [M]);
  return { N, M };
}

/** x and the other tensors are `rows` rows of `width` = w.size elements. */
export function normShape(op: string, x: Tensor, w: Tensor, like: Record<string, Tensor>, dw: Tensor | null = null) {
  checkSize(op, "w", w, w.size);
  const width = w.size;
  if (x.size % width !== 0) throw new ShapeError(`${op}: x ${describe(x)} does not consist of rows of ${width} elements`);
  sameSize(op, { x, ...like });
  if (dw) checkSize(op, "dw", dw, width);
  return { rows: x.size / width, width };
}

export function ropeShape(x: Tensor, positions: Tensor, invFreq: Tensor) {
  check("rope", "x", x, [null, null, null]);
  const [N, heads, E] = x.shape;
  check("rope", "positions", positions, [N], I32);
  check("rope", "invFreq", invFreq, [null]);
  const pairs = invFreq.size;
  if (2 * pairs > E) throw new ShapeError(`rope: ${pairs} channel pairs do not fit into heads of ${E} elements`);
  return { N, heads, E, pairs };
}

function headShape(op: string, q: Tensor, kv: Record<string, Tensor>, like: Record<string, Tensor>) {
  check(op, "q", q, [null, null, null]);
  const [N, H, E] = q.shape;
  const G = Object.values(kv)[0].shape[1];
  for (const [name, t] of Object.entries(kv)) check(op, name, t, [N, G, E]);
  if (H % G !== 0) throw new ShapeError(`${op}: ${H} query heads are no multiple of ${G} key/value heads`);
  for (const [name, t] of Object.entries(like)) check(op, name, t, [N, H, E]);
  return { N, H, G, E };
}

export function attentionShape(q: Tensor, k: Tensor, v: Tensor, sequences: PackedSequences, y: Tensor, lse: Tensor) {
  const dims = headShape("attention", q, { k, v }, { y });
  check("attention", "lse", lse, [dims.N, dims.H]);
  check("attention", "offsets", sequences.offsets, [null], I32);
  return dims;
}

export function attentionBackwardShape(q: Tensor, kv: Record<string, Tensor>, like: Record<string, Tensor>, lse: Tensor, sequences: PackedSequences) {
  const op = "attentionBackward";
  const dims = headShape(op, q, kv, like);
  check(op, "lse", lse, [dims.N, dims.H]);
  check(op, "offsets", sequences.offsets, [null], I32);
  return dims;
}

function pagedShape(op: string, N: number, kCache: Tensor, vCache: Tensor, rows: PagedRows) {
  check(op, "kCache", kCache, [null, rows.pageSize, null, null]);
  check(op, "vCache", vCache, kCache.shape);
  check(op, "rows.sequence", rows.sequence, [N], I32);
  check(op, "rows.position", rows.position, [N], I32);
  check(op, "rows.pages", rows.pages, [null, null], I32);
  const [pageCount, pageSize, G, E] = kCache.shape;
  return { N, G, E, pageCount, pageSize, maxPages: rows.pages.shape[1] };
}

export function cacheWriteShape(k: Tensor, v: Tensor, kCache: Tensor, vCache: Tensor, rows: PagedRows) {
  check("cacheWrite", "k", k, [null, null, null]);
  const dims = pagedShape("cacheWrite", k.shape[0], kCache, vCache, rows);
  check("cacheWrite", "k", k, [dims.N, dims.G, dims.E]);
  check("cacheWrite", "v", v, k.shape);
  return dims;
}

export function attentionCachedShape(q: Tensor, kCache: Tensor, vCache: Tensor, rows: PagedRows, y: Tensor) {
  const op = "attentionCached";
  check(op, "q", q, [null, null, null]);
  const dims = pagedShape(op, q.shape[0], kCache, vCache, rows);
  const H = q.shape[1];
  check(op, "q", q, [dims.N, H, dims.E]);
  check(op, "y", y, q.shape);
  if (H % dims.G !== 0) throw new ShapeError(`${op}: ${H} query heads are no multiple of ${dims.G} key/value heads`);
  return { ...dims, H };
}

export function logprobsShape(op: string, h: Tensor, w: Tensor, targets: Tensor, rows: Record<string, Tensor>, gradients: { dh?: Tensor; dw?: Tensor | null } = {}) {
  check(op, "h", h, [null, null]);
  const [N, D] = h.shape;
  check(op, "w", w, [null, D], WEIGHT);
  const V = w.shape[0];
  check(op, "targets", targets, [N], I32);
  for (const [name, t] of Object.entries(rows)) check(op, name, t, [N]);
  if (gradients.dh) check(op, "dh", gradients.dh, [N, D]);
  if (gradients.dw) check(op, "dw", gradients.dw, [V, D]);
  return { N, D, V };
}

export function sampleShape(logits: Tensor, params: SampleParams, tokens: Tensor, logprobs: Tensor) {
  check("sample", "logits", logits, [null, null]);
  const [N, V] = logits.shape;
  check("sample", "uniform", params.uniform, [N]);
  check("sample", "temperature", params.temperature, [N]);
  check("sample", "topK", params.topK, [N], I32);
  check("sample", "topP", params.topP, [N]);
  check("sample", "tokens", tokens, [N], I32);
  check("sample", "logprobs", logprobs, [N]);
  return { N, V };
}

// ---- contents of index tensors, for devices whose memory the host can read

/** Every value lies in [0, limit). */
export function checkIndices(op: string, name: string, values: Int32Array, limit: number): void {
  for (let i = 0; i < values.length; i++) {
    if (values[i] < 0 || values[i] >= limit) throw new ShapeError(`${op}: ${name}[${i}] is ${values[i]}, expected 0 to ${limit - 1}`);
  }
}

export function checkOffsets(op: string, offsets: Int32Array, N: number, maxLength: number): void {
  const last = offsets.length - 1;
  if (last < 0 || offsets[0] !== 0 || offsets[last] !== N) throw new ShapeError(`${op}: offsets must begin with 0 and end with ${N}, the number of rows`);
  for (let s = 0; s < last; s++) {
    const length = offsets[s + 1] - offsets[s];
    if (length < 0 || length > maxLength) throw new ShapeError(`${op}: sequence ${s} has ${length} rows, expected 0 to ${maxLength} (maxLength)`);
  }
}

/** Each row's sequence exists, and the pages of its positions (up to its own, or only its own) exist in the cache. */
export function checkPagedRows(
  op: string,
  dims: { pageCount: number; pageSize: number; maxPages: number },
  sequence: Int32Array,
  position: Int32Array,
  pages: Int32Array,
  maxContext: number,
  ownPositionOnly: boolean,
): void {
  const { pageCount, pageSize, maxPages } = dims;
  checkIndices(op, "rows.sequence", sequence, pages.length / maxPages);
  checkIndices(op, "rows.position", position, Math.min(maxContext, maxPages * pageSize));
  for (let n = 0; n < position.length; n++) {
    const lastBlock = Math.floor(position[n] / pageSize);
    for (let block = ownPositionOnly ? lastBlock : 0; block <= lastBlock; block++) {
      const page = pages[sequence[n] * maxPages + block];
      if (page < 0 || page >= pageCount) {
        throw new ShapeError(`${op}: row ${n} needs block ${block} of sequence ${sequence[n]}, whose page is ${page}, expected 0 to ${pageCount - 1}`);
      }
    }
  }
}
