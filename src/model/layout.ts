/** Names and shapes of a checkpoint's tensors, as the hub stores them. */
import type { ModelConfig } from "./config.ts";

export const EMBEDDING = "model.embed_tokens.weight";
export const FINAL_NORM = "model.norm.weight";
export const LM_HEAD = "lm_head.weight";

export const LINEAR_NAMES = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"] as const;
export type LinearName = (typeof LINEAR_NAMES)[number];

export interface LinearShape {
  /** Module path, e.g. `model.layers.0.self_attn.q_proj`. */
  module: string;
  outputs: number;
  inputs: number;
  bias: "none" | "required" | "optional";
}

export function layerPrefix(layer: number): string {
  return `model.layers.${layer}.`;
}

export function linearShape(config: ModelConfig, layer: number, name: LinearName): LinearShape {
  const { hiddenSize: d, intermediateSize: f, heads, kvHeads, headSize: e } = config;
  const attention = `${layerPrefix(layer)}self_attn.${name}`;
  const mlp = `${layerPrefix(layer)}mlp.${name}`;
  const qkvBias = config.attentionBias ? "required" : "none";
  const mlpBias = config.mlpBias ? "required" : "none";
  switch (name) {
    case "q_proj":
      return { module: attention, outputs: heads * e, inputs: d, bias: qkvBias };
    case "k_proj":
    case "v_proj":
      return { module: attention, outputs: kvHeads * e, inputs: d, bias: qkvBias };
    case "o_proj":
      return { module: attention, outputs: d, inputs: heads * e, bias: config.outputBias ? "optional" : "none" };
    case "gate_proj":
    case "up_proj":
      return { module: mlp, outputs: f, inputs: d, bias: mlpBias };
    case "down_proj":
      return { module: mlp, outputs: d, inputs: f, bias: mlpBias };
  }
}

/** Every linear layer that an adapter can sit on, in a fixed order. */
export function linearShapes(config: ModelConfig): LinearShape[] {
  const shapes: LinearShape[] = [];
  for (let layer = 0; layer < config.layers; layer++) {
    for (const name of LINEAR_NAMES) shapes.push(linearShape(config, layer, name));
  }
  return shapes;
}

export interface ParameterShape {
  name: string;
  shape: number[];
  kind: "embedding" | "linear" | "bias" | "norm";
  optional: boolean;
}

/** Every tensor of the model, in a fixed order. */
export function parameterShapes(config: ModelConfig): ParameterShape[] {
  const { hiddenSize: d, headSize: e } = config;
  const list: ParameterShape[] = [];
  const push = (name: string, shape: number[], kind: ParameterShape["kind"], optional = false) => list.push({ name, shape, kind, optional });
  push(EMBEDDING, [config.vocabSize, d], "embedding");
  for (let layer = 0; layer < config.layers; layer++) {
    const prefix = layerPrefix(layer);
    push(`${prefix}input_layernorm.weight`, [d], "norm");
    push(`${prefix}post_attention_layernorm.weight`, [d], "norm");
    if (config.qkNorm) {
      push(`${prefix}self_attn.q_norm.weight`, [e], "norm");
      push(`${prefix}self_attn.k_norm.weight`, [e], "norm");
    }
    for (const linear of LINEAR_NAMES) {
      const { module, outputs, inputs, bias } = linearShape(config, layer, linear);
      push(`${module}.weight`, [outputs, inputs], "linear");
      if (bias !== "none") push(`${module}.bias`, [outputs], "bias", bias === "optional");
    }
  }
  push(FINAL_NORM, [d], "norm");
  if (!config.tiedEmbeddings) push(LM_HEAD, [config.vocabSize, d], "linear");
  return list;
}
