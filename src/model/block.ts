/**
 * One decoder block: x2 = x + o(attention(norm(x))), out = x2 + down(silu(gate(h)) · up(h)) with h = norm(x2). Shapes in
 * the notation of compute/kernels.ts; F is the width of the feed-forward layer.
 */
import type { Device, PackedSequences, PagedRows, Tensor } from "../compute/index.ts";
import type { Arena } from "./arena.ts";
import type { ModelConfig } from "./config.ts";
import { layerPrefix, LINEAR_NAMES, type LinearName, linearShape } from "./layout.ts";
import { type Linear, linearForward } from "./linear.ts";
import type { ParameterSet } from "./parameters.ts";

/** A norm's weight and the name of its gradient. */
export interface Norm {
  name: string;
  weight: Tensor;
}

export interface Block {
  inputNorm: Norm;
  postNorm: Norm;
  /** Per-head norms of q and k (Qwen3). */
  qNorm: Norm | null;
  kNorm: Norm | null;
  linears: Record<LinearName, Linear>;
}

export function makeBlock(config: ModelConfig, parameters: ParameterSet, layer: number): Block {
  const norm = (suffix: string): Norm => {
    const name = `${layerPrefix(layer)}${suffix}.weight`;
    return { name, weight: parameters.get(name) };
  };
  const linears = {} as Record<LinearName, Linear>;
  for (const name of LINEAR_NAMES) {
    const { module } = linearShape(config, layer, name);
    const bias = `${module}.bias`;
    linears[name] = { module, weight: parameters.get(`${module}.weight`), bias: parameters.has(bias) ? parameters.get(bias) : null, lora: null };
  }
  return {
    inputNorm: norm("input_layernorm"),
    postNorm: norm("post_attention_layernorm"),
    qNorm: config.qkNorm ? norm("self_attn.q_norm") : null,
    kNorm: config.qkNorm ? norm("self_attn.k_norm") : null,
    linears,
  };
}

/** What all blocks of a pass share. */
export interface BlockContext {
  device: Device;
  config: ModelConfig;
  arena: Arena;
  /** f32 [channels / 2] */
  invFreq: Tensor;
}

/** What the backward pass of a block reads. All live in the arena scope of the forward call. */
export interface BlockActivations {
  x: Tensor;
  /** norm(x) [N, D] */
  h1: Tensor;
  /** q and k before and after norm and rotation; one tensor where there is no norm. Flat [N, heads·E] and by head. */
  q0: Tensor;
  k0: Tensor;
  q: Heads;
  k: Heads;
  v: Heads;
  /** Attention output and log-sum-exp [N, H]. */
  y: Heads;
  lse: Tensor;
  /** i32 [R]: the rows that go on after attention; null means all. What follows is of these rows. */
  keep: Tensor | null;
  /** Attention output [R, H·E]. */
  yKept: Tensor;
  x2: Tensor;
  h2: Tensor;
  gate: Tensor;
  up: Tensor;
  /** silu(gate) · up [N, F] */
  act: Tensor;
  /** x·Aᵀ of each adapted layer. */
  low: Record<LinearName, Tensor | null>;
}

/** One buffer under two shapes: [N, heads·E] for products, [N, heads, E] for attention. */
export interface Heads {
  flat: Tensor;
  byHead: Tensor;
}

export function takeHeads(arena: Arena, rows: number, heads: number, size: number): Heads {
  const flat = arena.take([rows, heads * size]);
  return { flat, byHead: arena.view(flat, [rows, heads, size]) };
}

interface Projected {
  h1: Tensor;
  q0: Tensor;
  k0: Tensor;
  q: Heads;
  k: Heads;
  v: Heads;
  low: Pick<Record<LinearName, Tensor | null>, "q_proj" | "k_proj" | "v_proj">;
}

/** Norm, q, k, v, per-head norm and rotation: the part that packed and cached attention share. */
function project({ device, config, arena, invFreq }: BlockContext, block: Block, x: Tensor, positions: Tensor): Projected {
  const rows = x.shape[0];
  const { heads, kvHeads, headSize, rmsNormEps } = config;
  const { q_proj, k_proj, v_proj } = block.linears;
  const h1 = arena.take(x.shape);
  device.rmsNorm(x, block.inputNorm.weight, h1, rmsNormEps);
  const q = takeHeads(arena, rows, heads, headSize);
  const k = takeHeads(arena, rows, kvHeads, headSize);
  const v = takeHeads(arena, rows, kvHeads, headSize);
  const q0 = block.qNorm ? arena.take(q.flat.shape) : q.flat;
  const k0 = block.kNorm ? arena.take(k.flat.shape) : k.flat;
  const low = {
    q_proj: linearForward(device, q_proj, h1, q0, arena),
    k_proj: linearForward(device, k_proj, h1, k0, arena),
    v_proj: linearForward(device, v_proj, h1, v.flat, arena),
  };
  if (block.qNorm) device.rmsNorm(q0, block.qNorm.weight, q.flat, rmsNormEps);
  if (block.kNorm) device.rmsNorm(k0, block.kNorm.weight, k.flat, rmsNormEps);
  device.rope(q.byHead, positions, invFreq);
  device.rope(k.byHead, positions, invFreq);
  return { h1, q0, k0, q, k, v, low };
}

/** h2 = norm(x2), gate, up and their product, everything of the feed-forward layer but the last product. */
function gated({ device, config, arena }: BlockContext, block: Block, x2: Tensor) {
  const { gate_proj, up_proj } = block.linears;
  const width = [x2.shape[0], config.intermediateSize];
  const h2 = arena.take(x2.shape);
  device.rmsNorm(x2, block.postNorm.weight, h2, config.rmsNormEps);
  const gate = arena.take(width);
  const up = arena.take(width);
  const act = arena.take(width);
  const low = { gate_proj: linearForward(device, gate_proj, h2, gate, arena), up_proj: linearForward(device, up_proj, h2, up, arena) };
  device.swiglu(gate, up, act);
  return { h2, gate, up, act, low };
}

/**
 * The block on packed sequences; x [N, D] stays as it is. `keep` (i32 [R]) names the rows whose output is needed, null
 * all. `out` [R, D] receives the result; null leaves the last product out, which the backward pass does not need.
 */
export function blockForward(
  context: BlockContext,
  block: Block,
  x: Tensor,
  positions: Tensor,
  sequences: PackedSequences,
  keep: Tensor | null,
  out: Tensor | null,
): BlockActivations {
  const { device, config, arena } = context;
  const rows = x.shape[0];
  const { low: lowQkv, ...projected } = project(context, block, x, positions);
  const y = takeHeads(arena, rows, config.heads, config.headSize);
  const lse = arena.take([rows, config.heads]);
  device.attention(projected.q.byHead, projected.k.byHead, projected.v.byHead, sequences, y.byHead, lse);
  const { yKept, x2 } = keepRows(context, x, y.flat, keep);
  const o_proj = linearForward(device, block.linears.o_proj, yKept, x2, arena, true);
  const { low: lowMlp, ...mlp } = gated(context, block, x2);

  let down_proj: Tensor | null;
  if (out) {
    device.copy(x2, out);
    down_proj = linearForward(device, block.linears.down_proj, mlp.act, out, arena, true);
  } else {
    down_proj = lowOnly(context, block.linears.down_proj, mlp.act);
  }
  return { x, ...projected, y, lse, keep, yKept, x2, ...mlp, low: { ...lowQkv, o_proj, ...lowMlp, down_proj } };
}

/** x2, a copy of the rows of x that are kept, and the attention output of these rows. */
function keepRows({ device, arena }: BlockContext, x: Tensor, y: Tensor, keep: Tensor | null): { yKept: Tensor; x2: Tensor } {
  const x2 = arena.take([keep ? keep.size : x.shape[0], x.shape[1]]);
  if (keep === null) {
    device.copy(x, x2);
    return { yKept: y, x2 };
  }
  const yKept = arena.take([keep.size, y.shape[1]]);
  device.embedding(keep, x, x2);
  device.embedding(keep, y, yKept);
  return { yKept, x2 };
}

function lowOnly({ device, arena }: BlockContext, layer: Linear, x: Tensor): Tensor | null {
  if (layer.lora === null) return null;
  const low = arena.take([x.shape[0], layer.lora.a.shape[0]]);
  device.linear(x, layer.lora.a, low);
  return low;
}

export interface LayerCache {
  /** [pages, pageSize, G, E] */
  keys: Tensor;
  values: Tensor;
}

/**
 * The block on new rows of cached sequences, in place: x [N, D] becomes the block's output. `keep` (i32 [R]) names the
 * only rows whose output is needed: then the result is a new tensor [R, D].
 */
export function blockForwardCached(context: BlockContext, block: Block, x: Tensor, rows: PagedRows, cache: LayerCache, keep: Tensor | null): Tensor {
  const { device, config, arena } = context;
  const { q, k, v } = project(context, block, x, rows.position);
  device.cacheWrite(k.byHead, v.byHead, cache.keys, cache.values, rows);
  const y = takeHeads(arena, x.shape[0], config.heads, config.headSize);
  device.attentionCached(q.byHead, cache.keys, cache.values, rows, y.byHead);
  const { yKept, x2 } = keep ? keepRows(context, x, y.flat, keep) : { yKept: y.flat, x2: x };
  linearForward(device, block.linears.o_proj, yKept, x2, arena, true);
  const { act } = gated(context, block, x2);
  linearForward(device, block.linears.down_proj, act, x2, arena, true);
  return x2;
}

/** Stores the keys and values of new rows and computes nothing else: the last block of a prefill that needs no logits. */
export function blockCacheOnly(context: BlockContext, block: Block, x: Tensor, rows: PagedRows, cache: LayerCache): void {
  const { k, v } = project(context, block, x, rows.position);
  context.device.cacheWrite(k.byHead, v.byHead, cache.keys, cache.values, rows);
}
