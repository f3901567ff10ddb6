/** The backward pass of one decoder block, written by hand from block.ts, last operation first. */
import type { PackedSequences, Tensor } from "../compute/index.ts";
import { type Block, type BlockActivations, type BlockContext, type Norm, takeHeads } from "./block.ts";
import { linearBackward } from "./linear.ts";
import type { ParameterSet } from "./parameters.ts";

/**
 * dOut [R, D] holds the gradient of the block's output; dx [N, D] receives that of its input, or is left unspecified if
 * `needInput` is false. Where the block kept all rows, dx is the same tensor as dOut. Gradients of the parameters that
 * `gradients` holds are added. Overwrites activations and dOut.
 */
export function blockBackward(
  context: BlockContext,
  block: Block,
  saved: BlockActivations,
  positions: Tensor,
  sequences: PackedSequences,
  dOut: Tensor,
  dx: Tensor,
  gradients: ParameterSet,
  needInput: boolean,
): void {
  const { device, config, arena, invFreq } = context;
  const { x, h1, q0, k0, q, k, v, y, lse, keep, yKept, x2, h2, gate, up, act, low } = saved;
  const { q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj } = block.linears;
  const eps = config.rmsNormEps;
  const rows = x.shape[0];
  const gradientOf = (norm: Norm): Tensor | null => (gradients.has(norm.name) ? gradients.get(norm.name) : null);
  const mark = arena.mark();

  // out = x2 + down(silu(gate) · up): dOut is the gradient of both terms.
  const dh2 = arena.take(x2.shape);
  const dAct = arena.take(act.shape);
  linearBackward(device, down_proj, act, low.down_proj, dOut, dAct, gradients, arena);
  device.swigluBackward(gate, up, dAct, gate, up);
  linearBackward(device, gate_proj, h2, low.gate_proj, gate, dh2, gradients, arena);
  linearBackward(device, up_proj, h2, low.up_proj, up, dh2, gradients, arena, true);
  device.rmsNormBackward(x2, block.postNorm.weight, dh2, dOut, gradientOf(block.postNorm), eps, { accumulate: true });

  // x2 = x + o(attention).
  const dy = takeHeads(arena, rows, config.heads, config.headSize);
  const dyKept = keep ? arena.take(yKept.shape) : dy.flat;
  linearBackward(device, o_proj, yKept, low.o_proj, dOut, dyKept, gradients, arena);
  if (keep) {
    device.fill(dx, 0);
    device.embeddingBackward(keep, dOut, dx);
    device.fill(dy.flat, 0);
    device.embeddingBackward(keep, dyKept, dy.flat);
  }
  const dq = takeHeads(arena, rows, config.heads, config.headSize);
  const dk = takeHeads(arena, rows, config.kvHeads, config.headSize);
  const dv = takeHeads(arena, rows, config.kvHeads, config.headSize);
  device.attentionBackward(q.byHead, k.byHead, v.byHead, y.byHead, lse, dy.byHead, sequences, dq.byHead, dk.byHead, dv.byHead);
  device.rope(dq.byHead, positions, invFreq, true);
  device.rope(dk.byHead, positions, invFreq, true);
  let dq0 = dq.flat;
  let dk0 = dk.flat;
  if (block.qNorm) device.rmsNormBackward(q0, block.qNorm.weight, dq.flat, (dq0 = q.flat), gradientOf(block.qNorm), eps);
  if (block.kNorm) device.rmsNormBackward(k0, block.kNorm.weight, dk.flat, (dk0 = k.flat), gradientOf(block.kNorm), eps);

  const dInputNorm = gradientOf(block.inputNorm);
  const dh1 = needInput || dInputNorm ? arena.take(x.shape) : null;
  linearBackward(device, q_proj, h1, low.q_proj, dq0, dh1, gradients, arena);
  linearBackward(device, k_proj, h1, low.k_proj, dk0, dh1, gradients, arena, true);
  linearBackward(device, v_proj, h1, low.v_proj, dv.flat, dh1, gradients, arena, true);
  if (dh1) device.rmsNormBackward(x, block.inputNorm.weight, dh1, dx, dInputNorm, eps, { accumulate: true });
  arena.release(mark);
}
