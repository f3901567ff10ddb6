/**
 * A dense decoder (Qwen2, Qwen3, Llama) on any device: loading, inference over a paged cache, and the door to training
 * (decoder-training.ts).
 */
import type { Device, PagedRows, Random, Tensor } from "../compute/index.ts";
import { Arena } from "./arena.ts";
import { type Block, blockCacheOnly, type BlockContext, blockForwardCached, type LayerCache, makeBlock } from "./block.ts";
import { inverseFrequencies, type ModelConfig } from "./config.ts";
import { accumulate, packedLogits, score, type TokenScores, type TrainBatch } from "./decoder-training.ts";
import { headLogits } from "./head.ts";
import { EMBEDDING, LINEAR_NAMES, LM_HEAD, parameterShapes } from "./layout.ts";
import { attachAdapter } from "./linear.ts";
import { checkAdapter, type LoraAdapter } from "./lora.ts";
import { ParameterSet } from "./parameters.ts";
import { type Safetensors, WeightsError } from "./weights/safetensors.ts";

/** Keys and values of all layers in pages of `pageSize` positions. */
export interface KvCache {
  readonly pageCount: number;
  readonly pageSize: number;
  readonly layers: readonly LayerCache[];
  dispose(): void;
}

export class Decoder {
  /** All weights under the hub's names. */
  readonly parameters: ParameterSet;
  private readonly blocks: Block[];
  private readonly invFreq: Tensor;
  private readonly inference: Arena;
  /**
   * Bytes of activations that a training step may keep beside its checkpoints, so that it computes fewer blocks twice.
   * Changes speed and memory, not results.
   */
  activationBudget = 256 * 2 ** 20;
  private attached: LoraAdapter | null = null;
  /** Training calls wait for one another: each holds a step's activations across its readback. */
  private training: Promise<unknown> = Promise.resolve();

  private constructor(readonly device: Device, readonly config: ModelConfig, tensors: Iterable<readonly [string, Tensor]>) {
    this.parameters = new ParameterSet(device, tensors);
    this.blocks = Array.from({ length: config.layers }, (_, layer) => makeBlock(config, this.parameters, layer));
    const invFreq = inverseFrequencies(config.rope);
    this.invFreq = device.upload(invFreq, [invFreq.length]);
    this.inference = new Arena(device, "powers of two");
  }

  /**
   * Uploads the weights of a checkpoint. F16 matrices stay f16 with `keepF16` (inference and adapter training), else all
   * become f32. Throws `WeightsError` for a missing, unexpected or mis-shaped tensor.
   */
  static load(device: Device, config: ModelConfig, file: Safetensors, options: { keepF16?: boolean } = {}): Decoder {
    const shapes = parameterShapes(config);
    const wanted = shapes.filter(({ name, shape, optional }) => {
      if (!file.has(name)) {
        if (optional) return false;
        throw new WeightsError(`${file.file}: tensor ${name} is missing`);
      }
      if (file.shape(name).join() !== shape.join()) throw new WeightsError(`${file.file}: tensor ${name} has shape [${file.shape(name)}], config.json asks for [${shape}]`);
      return true;
    });
    const known = new Set(wanted.map((w) => w.name));
    for (const name of file.names) {
      // Old Llama files hold the rotary table; some tied checkpoints repeat the embedding as the head.
      const redundant = name.endsWith("rotary_emb.inv_freq") || (name === LM_HEAD && config.tiedEmbeddings);
      if (!known.has(name) && !redundant) throw new WeightsError(`${file.file}: unexpected tensor ${name}: it has no place in the model that config.json describes`);
    }
    return Decoder.upload(device, config, wanted.map(({ name, shape, kind }) => {
      const half = options.keepF16 === true && (kind === "linear" || kind === "embedding") && file.dtype(name) === "F16";
      return { name, shape, data: () => (half ? file.float16(name) : file.float32(name)) };
    }));
  }

  /**
   * Random weights for pretraining: embeddings and matrices N(0, 0.02²), those that write to the residual stream
   * divided by sqrt(2·layers) (GPT-2), norms 1, biases 0.
   */
  static initialise(device: Device, config: ModelConfig, random: Random): Decoder {
    const wanted = parameterShapes(config).filter((p) => !p.optional);
    return Decoder.upload(device, config, wanted.map(({ name, shape, kind }) => ({
      name,
      shape,
      data: () => {
        const data = new Float32Array(shape.reduce((a, b) => a * b, 1));
        if (kind === "norm") return data.fill(1);
        if (kind === "bias") return data;
        const residual = name.endsWith("o_proj.weight") || name.endsWith("down_proj.weight");
        const std = residual ? 0.02 / Math.sqrt(2 * config.layers) : 0.02;
        return data.map(() => random.normal() * std);
      },
    })));
  }

  private static upload(device: Device, config: ModelConfig, wanted: { name: string; shape: number[]; data: () => Float32Array | Uint16Array }[]): Decoder {
    const tensors: [string, Tensor][] = [];
    try {
      for (const { name, shape, data } of wanted) tensors.push([name, device.upload(data(), shape)]);
      return new Decoder(device, config, tensors);
    } catch (error) {
      for (const [, tensor] of tensors) tensor.free();
      throw error;
    }
  }

  get adapter(): LoraAdapter | null {
    return this.attached;
  }

  /** Applies an adapter (or none) from the next call on; the decoder does not own it. Throws `AdapterError` if it does not fit. */
  set adapter(adapter: LoraAdapter | null) {
    if (adapter) checkAdapter(adapter, this.config);
    this.attached = adapter;
    for (const block of this.blocks) for (const name of LINEAR_NAMES) attachAdapter(block.linears[name], adapter);
  }

  createCache(pageCount: number, pageSize: number): KvCache {
    const shape = [pageCount, pageSize, this.config.kvHeads, this.config.headSize];
    const layers = this.blocks.map(() => ({ keys: this.device.alloc(shape), values: this.device.alloc(shape) }));
    return {
      pageCount,
      pageSize,
      layers,
      dispose: () => layers.forEach(({ keys, values }) => (keys.free(), values.free())),
    };
  }

  /**
   * Runs new tokens of cached sequences. ids [N] are the tokens of the rows that `rows` places in the cache (their pages
   * must be allotted; their keys and values are stored). Rows of one sequence may stand in one call, in any order: each
   * attends to all positions up to its own. Returns the logits [R, V] of the rows in `logitRows` [R], which the caller
   * frees; null if there are none (a prefill that goes on).
   */
  forwardCached(ids: Int32Array, rows: PagedRows, cache: KvCache, logitRows: Int32Array): Tensor | null {
    const { device, config, inference: arena } = this;
    const context = this.context(arena);
    const mark = arena.mark();
    try {
      let x = arena.take([ids.length, config.hiddenSize]);
      device.embedding(this.indices(ids, arena), this.parameters.get(EMBEDDING), x);
      const last = this.blocks.length - 1;
      for (let layer = 0; layer < last; layer++) {
        const scope = arena.mark();
        blockForwardCached(context, this.blocks[layer], x, rows, cache.layers[layer], null);
        arena.release(scope);
      }
      if (logitRows.length === 0) {
        blockCacheOnly(context, this.blocks[last], x, rows, cache.layers[last]);
        return null;
      }
      const keep = logitRows.length === ids.length && logitRows.every((row, i) => row === i) ? null : this.indices(logitRows, arena);
      x = blockForwardCached(context, this.blocks[last], x, rows, cache.layers[last], keep);
      return headLogits(context, this.parameters, x);
    } finally {
      arena.release(mark);
      device.submit();
    }
  }

  /** Logits [T, V] of every position of one sequence, for comparisons; the caller frees. */
  logits(ids: Int32Array): Tensor {
    const arena = new Arena(this.device, "exact");
    try {
      return packedLogits(this.context(arena), this.parameters, this.blocks, ids);
    } finally {
      arena.dispose();
    }
  }

  /** Log-probability of each target and entropy of its distribution (nats), without gradients. */
  score(batch: TrainBatch): Promise<TokenScores> {
    return this.exclusively((context) => score(context, this.parameters, this.blocks, batch));
  }

  /**
   * Adds to `gradients` the gradient of Σ_r weight[r] · logprob[r]. `weights` gets the log-probabilities and entropies of
   * the scored rows and returns the derivative of the objective with respect to each log-probability (a constant to the
   * gradient). `gradients` holds tensors for the parameters to train: of the decoder (f32), of the adapter, or both.
   * Weights must not change until the promise settles.
   */
  accumulate(batch: TrainBatch, weights: (logprobs: Float32Array, entropy: Float32Array) => Float32Array, gradients: ParameterSet): Promise<TokenScores> {
    return this.exclusively((context) => accumulate(context, this.parameters, this.blocks, batch, weights, gradients, this.activationBudget));
  }

  /** Frees the weights. Caches and the adapter belong to others. */
  dispose(): void {
    this.inference.dispose();
    this.invFreq.free();
    this.parameters.dispose();
  }

  private indices(values: Int32Array, arena: Arena): Tensor {
    const tensor = arena.take([values.length], "i32");
    this.device.write(tensor, values);
    return tensor;
  }

  private context(arena: Arena): BlockContext {
    return { device: this.device, config: this.config, arena, invFreq: this.invFreq };
  }

  private exclusively<T>(run: (context: BlockContext) => Promise<T>): Promise<T> {
    const result = this.training.then(async () => {
      const arena = new Arena(this.device, "exact");
      try {
        return await run(this.context(arena));
      } finally {
        arena.dispose();
      }
    });
    this.training = result.catch(() => {});
    return result;
  }
}
