/** Final norm and output layer. */
import type { Tensor } from "../compute/index.ts";
import type { BlockContext } from "./block.ts";
import type { ModelConfig } from "./config.ts";
import { EMBEDDING, FINAL_NORM, LM_HEAD } from "./layout.ts";
import type { ParameterSet } from "./parameters.ts";

/** Name of the matrix [V, D] of the output layer. */
export function headName(config: ModelConfig): string {
  return config.tiedEmbeddings ? EMBEDDING : LM_HEAD;
}

/** The residual stream x [R, D] to logits [R, V], which live outside the arena. */
export function headLogits({ device, config, arena }: BlockContext, parameters: ParameterSet, x: Tensor): Tensor {
  const h = arena.take(x.shape);
  device.rmsNorm(x, parameters.get(FINAL_NORM), h, config.rmsNormEps);
  const logits = device.alloc([x.shape[0], config.vocabSize]);
  device.linear(h, parameters.get(headName(config)), logits);
  return logits;
}
