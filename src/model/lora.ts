/**
 * Low-rank adapters (Hu et al. 2021): a linear layer y = x·Wᵀ becomes y = x·Wᵀ + (alpha / rank)·(x·Aᵀ)·Bᵀ with
 * A [rank, inputs] and B [outputs, rank].
 */
import type { Device, Random, Tensor } from "../compute/index.ts";
import type { ModelConfig } from "./config.ts";
import { linearShapes } from "./layout.ts";
import { ParameterSet } from "./parameters.ts";

/** An adapter does not fit the model, or needs something that is not supported. */
export class AdapterError extends Error {
  override name = "AdapterError";
}

export interface LoraOptions {
  rank: number;
  alpha: number;
}

export interface LoraPair {
  a: Tensor;
  b: Tensor;
}

export const loraName = (module: string, half: "A" | "B"): string => `${module}.lora_${half}.weight`;

export class LoraAdapter {
  private readonly pairs: ReadonlyMap<string, LoraPair>;
  /** `<module>.lora_A.weight` and `<module>.lora_B.weight` of every adapted layer, f32. */
  readonly parameters: ParameterSet;

  /** Takes over the tensors. Modules are paths such as `model.layers.0.self_attn.q_proj`. */
  constructor(readonly device: Device, readonly options: LoraOptions, pairs: Iterable<readonly [string, LoraPair]>) {
    this.pairs = new Map(pairs);
    this.parameters = new ParameterSet(
      device,
      [...this.pairs].flatMap(([module, { a, b }]) => [[loraName(module, "A"), a], [loraName(module, "B"), b]] as const),
    );
  }

  /** A ~ N(0, 1/inputs) and B = 0 on every linear layer, so that the adapted model starts as the base. */
  static initialise(device: Device, config: ModelConfig, options: LoraOptions, random: Random): LoraAdapter {
    const { rank, alpha } = options;
    if (!Number.isInteger(rank) || rank < 1) throw new AdapterError(`LoRA rank must be a positive whole number, not ${rank}`);
    if (!(alpha > 0)) throw new AdapterError(`LoRA alpha must be positive, not ${alpha}`);
    const pairs = linearShapes(config).map(({ module, inputs, outputs }) => {
      const std = 1 / Math.sqrt(inputs);
      const a = device.upload(Float32Array.from({ length: rank * inputs }, () => random.normal() * std), [rank, inputs]);
      return [module, { a, b: device.alloc([outputs, rank]) }] as const;
    });
    return new LoraAdapter(device, options, pairs);
  }

  /** alpha / rank. */
  get scale(): number {
    return this.options.alpha / this.options.rank;
  }

  get modules(): string[] {
    return [...this.pairs.keys()];
  }

  pair(module: string): LoraPair | null {
    return this.pairs.get(module) ?? null;
  }

  /** Hex SHA-256 over names, shapes and values, and over alpha / rank. */
  async hash(): Promise<string> {
    return this.parameters.hash(`scale ${this.scale}`);
  }

  dispose(): void {
    this.parameters.dispose();
  }
}

/** Throws `AdapterError` unless every adapted module is a linear layer of the model, with its shape. */
export function checkAdapter(adapter: LoraAdapter, config: ModelConfig): void {
  const shapes = new Map(linearShapes(config).map((s) => [s.module, s]));
  for (const module of adapter.modules) {
    const expected = shapes.get(module);
    const { a, b } = adapter.pair(module)!;
    if (expected === undefined) throw new AdapterError(`the adapter is for another model: it adapts ${module}, which this model lacks`);
    const rank = adapter.options.rank;
    if (a.shape.join() !== `${rank},${expected.inputs}` || b.shape.join() !== `${expected.outputs},${rank}`) {
      throw new AdapterError(
        `the adapter is for another model: ${module} has A [${a.shape}] and B [${b.shape}], expected A [${rank}, ${expected.inputs}] and B [${expected.outputs}, ${rank}]`,
      );
    }
  }
}
