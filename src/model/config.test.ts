import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { inverseFrequencies, ModelConfigError, parseConfig } from "./config.ts";

const llama = {
  architectures: ["LlamaForCausalLM"], model_type: "llama", hidden_size: 64, intermediate_size: 160, num_hidden_layers: 2, num_attention_heads: 4,
  num_key_value_heads: 2, vocab_size: 100, rms_norm_eps: 1e-5, max_position_embeddings: 2048, hidden_act: "silu",
};
const parse = (json: object) => parseConfig(JSON.stringify(json));

test("reads the golden configs", async () => {
  const qwen2 = parseConfig(await readFile("tests/golden/qwen2/config.json", "utf8"));
  expect(qwen2).toMatchObject({ architecture: "qwen2", hiddenSize: 64, headSize: 32, kvHeads: 2, attentionBias: true, outputBias: false, qkNorm: false, tiedEmbeddings: false });
  const qwen3 = parseConfig(await readFile("tests/golden/qwen3/config.json", "utf8"));
  expect(qwen3).toMatchObject({ architecture: "qwen3", attentionBias: false, qkNorm: true, tiedEmbeddings: true, rope: { theta: 1e6, channels: 32, scaling: null } });
});

test("fills in what older configs leave out", () => {
  const { num_key_value_heads: _, ...old } = llama;
  expect(parse(old)).toMatchObject({ kvHeads: 4, headSize: 16, tiedEmbeddings: false, attentionBias: false, rope: { theta: 10_000 } });
  expect(parse({ ...llama, architectures: undefined })).toMatchObject({ architecture: "llama" });
  expect(parse({ ...llama, attention_bias: true, mlp_bias: true, head_dim: 8 })).toMatchObject({ attentionBias: true, outputBias: true, mlpBias: true, headSize: 8 });
});

test("reads both forms of the rotary parameters", () => {
  expect(parse({ ...llama, rope_parameters: { rope_type: "default", rope_theta: 5e5, partial_rotary_factor: 0.5 } }).rope).toEqual({ theta: 5e5, channels: 8, scaling: null });
  expect(parse({ ...llama, rope_theta: 5e5, rope_scaling: { type: "linear", factor: 4 } }).rope).toEqual({ theta: 5e5, channels: 16, scaling: { type: "linear", factor: 4 } });
});

test("llama3 scaling keeps short wavelengths, divides long ones and blends between", () => {
  const scaled = { rope_type: "llama3", factor: 8, low_freq_factor: 1, high_freq_factor: 4, original_max_position_embeddings: 8192 };
  const { rope } = parse({ ...llama, head_dim: 128, rope_theta: 500_000, rope_scaling: scaled });
  const plain = inverseFrequencies({ ...rope, scaling: null });
  const frequencies = inverseFrequencies(rope);
  expect(frequencies.length).toBe(64);
  frequencies.forEach((f, i) => {
    const wavelength = (2 * Math.PI) / plain[i];
    if (wavelength < 8192 / 4) expect(f).toBe(plain[i]);
    else if (wavelength > 8192) expect(f).toBeCloseTo(plain[i] / 8, 12);
    else {
      const smooth = (8192 / wavelength - 1) / 3;
      expect(f / ((1 - smooth) * (plain[i] / 8) + smooth * plain[i])).toBeCloseTo(1, 5);
    }
  });
  expect(new Set(frequencies.map((f, i) => Math.round(plain[i] / f))).size).toBeGreaterThan(2);
});

describe("errors name the field", () => {
  test.each([
    ["unknown architecture \"MambaForCausalLM\"", { ...llama, architectures: ["MambaForCausalLM"] }],
    ["unknown architecture null", {}],
    ["hidden_size is missing", { ...llama, hidden_size: undefined }],
    ["rope_theta is missing", { ...llama, architectures: ["Qwen3ForCausalLM"] }],
    ["num_hidden_layers must be a whole number", { ...llama, num_hidden_layers: 1.5 }],
    ["vocab_size must be a positive number", { ...llama, vocab_size: "100" }],
    ["multiple of num_key_value_heads", { ...llama, num_key_value_heads: 3 }],
    ["head_dim is missing", { ...llama, hidden_size: 66 }],
    ["hidden_act \"gelu\"", { ...llama, hidden_act: "gelu" }],
    ["sliding-window", { ...llama, use_sliding_window: true }],
    ["layer_types holds \"sliding_attention\"", { ...llama, layer_types: ["full_attention", "sliding_attention"] }],
    ["quantization_config", { ...llama, quantization_config: { bits: 4 } }],
    ["rope type \"yarn\"", { ...llama, rope_scaling: { rope_type: "yarn", factor: 4 } }],
    ["high_freq_factor is missing", { ...llama, rope_scaling: { rope_type: "llama3", factor: 8, low_freq_factor: 1 } }],
    ["channels per head", { ...llama, head_dim: 5 }],
    ["tie_word_embeddings must be true or false", { ...llama, tie_word_embeddings: "yes" }],
  ])("%s", (message, json) => {
    expect(() => parse(json)).toThrow(ModelConfigError);
    expect(() => parse(json)).toThrow(message);
  });

  test("no JSON", () => {
    expect(() => parseConfig("{")).toThrow(ModelConfigError);
    expect(() => parseConfig("[]")).toThrow("must hold one object");
  });
});
