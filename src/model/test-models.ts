/** Small random models for tests, one for each thing an architecture can need. */
import { Random } from "../compute/index.ts";
import { type ModelConfig, parseConfig } from "./config.ts";
import { parameterShapes } from "./layout.ts";
import { type FloatFormat, type HostTensor, Safetensors, writeSafetensors } from "./weights/safetensors.ts";

/** Odd sizes on purpose. */
const common = { hidden_size: 20, intermediate_size: 28, num_hidden_layers: 2, vocab_size: 37, rms_norm_eps: 1e-6, max_position_embeddings: 128, hidden_act: "silu" };

export const TEST_CONFIGS: Record<"qwen2" | "qwen3" | "llama", ModelConfig> = {
  /** Biases of q, k, v; separate output matrix. */
  qwen2: parseConfig(JSON.stringify({ ...common, architectures: ["Qwen2ForCausalLM"], num_attention_heads: 4, num_key_value_heads: 2, head_dim: 6, rope_theta: 1e4 })),
  /** Per-head norms; tied; three query heads to one key head. */
  qwen3: parseConfig(JSON.stringify({ ...common, architectures: ["Qwen3ForCausalLM"], num_attention_heads: 3, num_key_value_heads: 1, head_dim: 8, rope_theta: 1e4, tie_word_embeddings: true })),
  /** Biases everywhere, as many key as query heads, half the channels rotate, scaled frequencies. */
  llama: parseConfig(JSON.stringify({
    ...common, architectures: ["LlamaForCausalLM"], num_attention_heads: 5, attention_bias: true, mlp_bias: true, partial_rotary_factor: 0.5,
    rope_scaling: { rope_type: "llama3", factor: 4, low_freq_factor: 1, high_freq_factor: 2, original_max_position_embeddings: 16 },
  })),
};

/** Weights large enough that every part of the model matters. */
export function randomTensors(config: ModelConfig, seed: number): Map<string, HostTensor> {
  const random = Random.stream(seed, "test model");
  return new Map(parameterShapes(config).map(({ name, shape, kind }) => {
    const std = kind === "linear" ? 1 / Math.sqrt(shape[1]) : kind === "embedding" ? 0.5 : 0.2;
    const data = Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => random.normal() * std + (kind === "norm" ? 1 : 0));
    return [name, { shape, data }];
  }));
}

export function asFile(tensors: Map<string, HostTensor>, format: FloatFormat = "F32"): Safetensors {
  return Safetensors.parse(writeSafetensors(tensors, format), "model.safetensors");
}
