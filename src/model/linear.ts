/** One linear layer with its bias and adapter: forward and backward. */
import type { Device, Tensor } from "../compute/index.ts";
import type { Arena } from "./arena.ts";
import { type LoraAdapter, loraName, type LoraPair } from "./lora.ts";
import type { ParameterSet } from "./parameters.ts";

export interface Linear {
  /** Module path, e.g. `model.layers.0.self_attn.q_proj`. */
  module: string;
  weight: Tensor;
  bias: Tensor | null;
  lora: (LoraPair & { scale: number }) | null;
}

export function attachAdapter(linear: Linear, adapter: LoraAdapter | null): void {
  const pair = adapter?.pair(linear.module) ?? null;
  linear.lora = pair && { ...pair, scale: adapter!.scale };
}

/** y [N, outputs] = (or +=) the layer applied to x [N, inputs]. Returns the adapter's x·Aᵀ [N, rank], for the backward pass. */
export function linearForward(device: Device, layer: Linear, x: Tensor, y: Tensor, arena: Arena, accumulate = false): Tensor | null {
  device.linear(x, layer.weight, y, layer.bias ? { bias: layer.bias, accumulate } : { accumulate });
  if (layer.lora === null) return null;
  const { a, b, scale } = layer.lora;
  const low = arena.take([x.shape[0], a.shape[0]]);
  device.linear(x, a, low);
  device.linear(low, b, y, { scale, accumulate: true });
  return low;
}

/**
 * Adds the gradients of those parameters that `gradients` holds, and writes (or adds) the gradient of x into `dx`
 * unless that is null. `low` is what `linearForward` returned.
 */
export function linearBackward(
  device: Device,
  layer: Linear,
  x: Tensor,
  low: Tensor | null,
  dy: Tensor,
  dx: Tensor | null,
  gradients: ParameterSet,
  arena: Arena,
  accumulate = false,
): void {
  const weightName = `${layer.module}.weight`;
  const biasName = `${layer.module}.bias`;
  if (gradients.has(weightName)) device.linearBackwardWeight(dy, x, gradients.get(weightName), { accumulate: true });
  if (layer.bias && gradients.has(biasName)) device.biasBackward(dy, gradients.get(biasName), { accumulate: true });
  if (dx) device.linearBackwardInput(dy, layer.weight, dx, { accumulate });
  if (layer.lora === null || low === null) return;

  const { a, b, scale } = layer.lora;
  const nameA = loraName(layer.module, "A");
  const nameB = loraName(layer.module, "B");
  if (gradients.has(nameB)) device.linearBackwardWeight(dy, low, gradients.get(nameB), { scale, accumulate: true });
  if (!dx && !gradients.has(nameA)) return;
  const mark = arena.mark();
  const dLow = arena.take(low.shape);
  device.linearBackwardInput(dy, b, dLow, { scale });
  if (gradients.has(nameA)) device.linearBackwardWeight(dLow, x, gradients.get(nameA), { accumulate: true });
  if (dx) device.linearBackwardInput(dLow, a, dx, { accumulate: true });
  arena.release(mark);
}
