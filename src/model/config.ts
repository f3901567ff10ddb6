/**
 * What the decoder needs to know of a checkpoint's `config.json`. Supported: Qwen2, Qwen3 and Llama, dense, full
 * causal attention, SiLU-gated feed-forward.
 */
export interface RopeConfig {
  theta: number;
  /** Channels of each head that rotate (all of them unless the config has a partial_rotary_factor). */
  channels: number;
  scaling: RopeScaling | null;
}

export type RopeScaling =
  | { type: "linear"; factor: number }
  | { type: "llama3"; factor: number; lowFreqFactor: number; highFreqFactor: number; originalContext: number };

export interface ModelConfig {
  architecture: "qwen2" | "qwen3" | "llama";
  vocabSize: number;
  hiddenSize: number;
  intermediateSize: number;
  layers: number;
  heads: number;
  kvHeads: number;
  headSize: number;
  rmsNormEps: number;
  rope: RopeConfig;
  /** Longest sequence the checkpoint was made for, in tokens. */
  contextLength: number;
  tiedEmbeddings: boolean;
  /** Biases of q, k and v. */
  attentionBias: boolean;
  /** Whether o_proj may have a bias too (Llama and Qwen3 with attention_bias); read if the file holds it. */
  outputBias: boolean;
  mlpBias: boolean;
  /** RMS norm of each head of q and k before the rotary embedding (Qwen3). */
  qkNorm: boolean;
}

/** `config.json` is malformed or asks for something that the decoder does not do. */
export class ModelConfigError extends Error {
  override name = "ModelConfigError";
}

const ARCHITECTURES: Record<string, ModelConfig["architecture"]> = {
  Qwen2ForCausalLM: "qwen2",
  Qwen3ForCausalLM: "qwen3",
  LlamaForCausalLM: "llama",
  qwen2: "qwen2",
  qwen3: "qwen3",
  llama: "llama",
};

type Json = Record<string, unknown>;

/** Parses the text of a `config.json`. Throws `ModelConfigError`, which names the field. */
export function parseConfig(text: string): ModelConfig {
  let json: Json;
  try {
    json = JSON.parse(text) as Json;
  } catch (error) {
    throw new ModelConfigError(`config.json is not JSON: ${(error as Error).message}`);
  }
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw new ModelConfigError("config.json must hold one object");

  const named = Array.isArray(json.architectures) && json.architectures.length > 0 ? json.architectures[0] : json.model_type;
  const architecture = typeof named === "string" && Object.hasOwn(ARCHITECTURES, named) ? ARCHITECTURES[named] : undefined;
  if (architecture === undefined) {
    throw new ModelConfigError(`config.json: unknown architecture ${JSON.stringify(named ?? null)}; supported are Qwen2ForCausalLM, Qwen3ForCausalLM and LlamaForCausalLM`);
  }
  rejectUnsupported(json);

  const hiddenSize = positiveInteger(json, "hidden_size");
  const heads = positiveInteger(json, "num_attention_heads");
  const kvHeads = json.num_key_value_heads == null ? heads : positiveInteger(json, "num_key_value_heads");
  if (heads % kvHeads !== 0) throw new ModelConfigError(`config.json: num_attention_heads (${heads}) is not a multiple of num_key_value_heads (${kvHeads})`);
  if (json.head_dim == null && hiddenSize % heads !== 0) {
    throw new ModelConfigError(`config.json: head_dim is missing and hidden_size (${hiddenSize}) is not a multiple of num_attention_heads (${heads})`);
  }
  const headSize = json.head_dim == null ? hiddenSize / heads : positiveInteger(json, "head_dim");
  const attentionBias = flag(json, "attention_bias", architecture === "qwen2");

  return {
    architecture,
    vocabSize: positiveInteger(json, "vocab_size"),
    hiddenSize,
    intermediateSize: positiveInteger(json, "intermediate_size"),
    layers: positiveInteger(json, "num_hidden_layers"),
    heads,
    kvHeads,
    headSize,
    rmsNormEps: positive(json, "rms_norm_eps"),
    rope: parseRope(json, headSize, architecture),
    contextLength: positiveInteger(json, "max_position_embeddings"),
    tiedEmbeddings: flag(json, "tie_word_embeddings", false),
    attentionBias,
    outputBias: attentionBias && architecture !== "qwen2",
    mlpBias: architecture === "llama" && flag(json, "mlp_bias", false),
    qkNorm: architecture === "qwen3",
  };
}

function rejectUnsupported(json: Json): void {
  if (json.hidden_act != null && json.hidden_act !== "silu") throw new ModelConfigError(`config.json: hidden_act ${JSON.stringify(json.hidden_act)} is not supported; only "silu" is`);
  if (json.use_sliding_window === true) throw new ModelConfigError("config.json: use_sliding_window is true; sliding-window attention is not supported");
  if (Array.isArray(json.layer_types)) {
    const other = json.layer_types.find((t) => t !== "full_attention");
    if (other !== undefined) throw new ModelConfigError(`config.json: layer_types holds ${JSON.stringify(other)}; only "full_attention" is supported`);
  }
  if (json.quantization_config != null) throw new ModelConfigError("config.json: quantization_config is set; only F32, F16 and BF16 checkpoints are read");
}

/** Both forms of the hub: `rope_theta` + `rope_scaling`, and the newer `rope_parameters`. */
function parseRope(json: Json, headSize: number, architecture: ModelConfig["architecture"]): RopeConfig {
  const nested = json.rope_parameters ?? json.rope_scaling ?? {};
  if (typeof nested !== "object" || Array.isArray(nested)) throw new ModelConfigError("config.json: rope_parameters (or rope_scaling) must be an object");
  const parameters = nested as Json;

  const thetaHolder = parameters.rope_theta != null ? parameters : json;
  // The first Llama configs predate the field; its value then was 10,000.
  const theta = architecture === "llama" && thetaHolder.rope_theta == null ? 10_000 : positive(thetaHolder, "rope_theta");

  const factorHolder = parameters.partial_rotary_factor != null ? parameters : json;
  const partial = factorHolder.partial_rotary_factor == null ? 1 : positive(factorHolder, "partial_rotary_factor");
  const channels = Math.floor(headSize * partial);
  if (channels % 2 !== 0 || channels < 2 || channels > headSize) {
    throw new ModelConfigError(`config.json: ${channels} of ${headSize} channels per head would rotate; it must be an even number, at most head_dim`);
  }

  const type = parameters.rope_type ?? parameters.type ?? "default";
  let scaling: RopeScaling | null;
  if (type === "default") scaling = null;
  else if (type === "linear") scaling = { type, factor: positive(parameters, "factor") };
  else if (type === "llama3") {
    scaling = {
      type,
      factor: positive(parameters, "factor"),
      lowFreqFactor: positive(parameters, "low_freq_factor"),
      highFreqFactor: positive(parameters, "high_freq_factor"),
      originalContext: positive(parameters, "original_max_position_embeddings"),
    };
    if (scaling.lowFreqFactor >= scaling.highFreqFactor) throw new ModelConfigError("config.json: rope low_freq_factor must be below high_freq_factor");
  } else throw new ModelConfigError(`config.json: rope type ${JSON.stringify(type)} is not supported; supported are "default", "linear" and "llama3"`);
  return { theta, channels, scaling };
}

/**
 * Inverse frequencies [channels / 2]: theta^(−2i / channels). With llama3 scaling (Llama 3.1 model card), frequencies
 * whose wavelength exceeds originalContext / lowFreqFactor are divided by `factor`, those below originalContext /
 * highFreqFactor stay, and those between are blended linearly in originalContext / wavelength.
 */
export function inverseFrequencies(rope: RopeConfig): Float32Array {
  const half = rope.channels / 2;
  return Float32Array.from({ length: half }, (_, i) => {
    const frequency = rope.theta ** (-i / half);
    const scaling = rope.scaling;
    if (scaling === null) return frequency;
    if (scaling.type === "linear") return frequency / scaling.factor;
    const turns = (scaling.originalContext * frequency) / (2 * Math.PI);
    const keep = Math.min(1, Math.max(0, (turns - scaling.lowFreqFactor) / (scaling.highFreqFactor - scaling.lowFreqFactor)));
    return keep * frequency + ((1 - keep) * frequency) / scaling.factor;
  });
}

function present(json: Json, field: string): unknown {
  if (json[field] == null) throw new ModelConfigError(`config.json: ${field} is missing`);
  return json[field];
}

function positive(json: Json, field: string): number {
  const value = present(json, field);
  if (typeof value !== "number" || !Number.isFinite(value) || value <= 0) throw new ModelConfigError(`config.json: ${field} must be a positive number, not ${JSON.stringify(value)}`);
  return value;
}

function positiveInteger(json: Json, field: string): number {
  const value = positive(json, field);
  if (!Number.isSafeInteger(value)) throw new ModelConfigError(`config.json: ${field} must be a whole number, not ${value}`);
  return value;
}

function flag(json: Json, field: string, missing: boolean): boolean {
  const value = json[field] ?? missing;
  if (typeof value !== "boolean") throw new ModelConfigError(`config.json: ${field} must be true or false, not ${JSON.stringify(value)}`);
  return value;
}
