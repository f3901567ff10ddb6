/** AdamW (Loshchilov & Hutter 2019) with clipping by the global gradient norm, over a set of f32 parameters. */
import type { Tensor } from "../compute/index.ts";
import type { ParameterSet } from "./parameters.ts";

export interface AdamWSettings {
  beta1: number;
  beta2: number;
  eps: number;
  weightDecay: number;
  /** The gradient is scaled down to this norm; null does not clip. */
  clipNorm: number | null;
  /** What decays: all parameters, or only those of two dimensions (not norms and biases). */
  decay: "all" | "matrices";
}

/** The gradient holds an infinity or a NaN; parameters and state are as they were. */
export class NonFiniteGradientError extends Error {
  override name = "NonFiniteGradientError";
}

export class AdamW {
  /** First and second moments: with `steps`, all that a resumed run must restore beside the parameters. */
  readonly m: ParameterSet;
  readonly v: ParameterSet;
  /** Steps taken so far (bias correction). */
  steps = 0;
  private readonly sumSquares: Tensor;

  /** The parameters belong to the caller; the moments belong to the optimizer. */
  constructor(readonly parameters: ParameterSet, readonly settings: AdamWSettings) {
    this.m = parameters.zeros();
    this.v = parameters.zeros();
    this.sumSquares = parameters.device.alloc([1]);
  }

  /**
   * One descent step along `gradients` (the same names as the parameters; unchanged). Returns the gradient's norm before
   * clipping. Throws `NonFiniteGradientError`, before anything changes.
   */
  async step(gradients: ParameterSet, lr: number): Promise<{ gradNorm: number }> {
    const { device } = this.parameters;
    const { weightDecay, clipNorm, decay, beta1, beta2, eps } = this.settings;
    const { names } = this.parameters;
    names.forEach((name, i) => device.sumSquares(gradients.get(name), this.sumSquares, { accumulate: i > 0 }));
    const gradNorm = Math.sqrt((await device.read(this.sumSquares))[0]);
    if (!Number.isFinite(gradNorm)) throw new NonFiniteGradientError(`the gradient norm is ${gradNorm}; no step was taken`);

    this.steps += 1;
    for (const name of names) {
      const parameter = this.parameters.get(name);
      device.adamw(parameter, gradients.get(name), this.m.get(name), this.v.get(name), {
        lr,
        beta1,
        beta2,
        eps,
        weightDecay: decay === "all" || parameter.shape.length >= 2 ? weightDecay : 0,
        step: this.steps,
        ...(clipNorm === null ? {} : { clip: { sumSquares: this.sumSquares, maxNorm: clipNorm } }),
      });
    }
    device.submit();
    return { gradNorm };
  }

  dispose(): void {
    this.m.dispose();
    this.v.dispose();
    this.sumSquares.free();
  }
}
