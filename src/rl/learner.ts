/** One optimizer step on a LoRA adapter from one update's groups. */
import { AdamW, type AdamWSettings, type Decoder, type LoraAdapter, type ParameterSet } from "../model/index.ts";
import { groupAdvantages } from "./advantage.ts";
import type { TrainedTensors } from "./checkpoint.ts";
import { type Group, mixedGroups, shapedReward } from "./groups.ts";
import type { StepMeasures } from "./metrics.ts";
import { dppoObjective } from "./objective.ts";
import { packSequences, type WeightedSequence } from "./packing.ts";

export interface LearnerSettings {
  lr: number;
  optimizer: AdamWSettings;
  /** Most rows (tokens) of one forward and backward pass: bounds the memory, does not change the update. */
  microBatchRows: number;
  /** Reward of a correct rollout that a cap cut off; 1 for no penalty. */
  cutOffReward: number;
  /** δ of the objective. */
  dropThreshold: number;
}

export class Learner {
  private readonly optimizer: AdamW;
  private readonly gradients: ParameterSet;

  /** The decoder must carry the adapter; both stay the caller's. */
  constructor(private readonly decoder: Decoder, private readonly adapter: LoraAdapter, readonly settings: LearnerSettings) {
    if (decoder.adapter !== adapter) throw new Error("Learner: the decoder carries another adapter than the one to train");
    this.optimizer = new AdamW(adapter.parameters, settings.optimizer);
    this.gradients = adapter.parameters.zeros();
  }

  /** What a checkpoint must hold. */
  get tensors(): TrainedTensors {
    return { adapter: this.adapter.parameters, m: this.optimizer.m, v: this.optimizer.v };
  }

  /** Optimizer steps taken; updates without a mixed group take none. */
  get steps(): number {
    return this.optimizer.steps;
  }

  set steps(count: number) {
    this.optimizer.steps = count;
  }

  /** Sets `reward` of every rollout, then steps. Null, and nothing changed, when no group's raw rewards differ. */
  async step(groups: readonly Group[]): Promise<StepMeasures | null> {
    for (const group of groups) for (const rollout of group.rollouts) rollout.reward = shapedReward(rollout, this.settings);
    const sequences: WeightedSequence[] = mixedGroups(groups).flatMap(({ rollouts }) => {
      const advantages = groupAdvantages(rollouts.map((r) => r.reward!));
      return rollouts.map(({ ledger }, i) => ({ ledger, advantage: advantages[i] }));
    });
    const batches = packSequences(sequences, this.settings.microBatchRows);
    const totalTokens = batches.reduce((sum, { batch }) => sum + batch.rows.length, 0);
    if (totalTokens === 0) return null;

    const sums = { loss: 0, entropy: 0, gap: 0, maxGap: 0, dropped: 0, rows: 0 };
    this.gradients.fill(0);
    for (const { batch, samplerLogprobs, advantages } of batches) {
      const mask = new Uint8Array(batch.rows.length).fill(1);
      const scores = await this.decoder.accumulate(
        batch,
        (logprobs) => {
          const { weights, loss, dropped, sumGap, maxGap } = dppoObjective({ logprobs, samplerLogprobs, advantages, mask }, { totalTokens, dropThreshold: this.settings.dropThreshold });
          sums.loss += loss;
          sums.dropped += dropped;
          sums.gap += sumGap;
          sums.maxGap = Math.max(sums.maxGap, maxGap);
          return weights;
        },
        this.gradients,
      );
      for (const value of scores.entropy) sums.entropy += value;
      sums.rows += batch.ids.length;
    }
    const { gradNorm } = await this.optimizer.step(this.gradients, this.settings.lr);
    return {
      loss: sums.loss,
      entropy: sums.entropy / totalTokens,
      gap: { mean: sums.gap / totalTokens, max: sums.maxGap },
      droppedTokens: sums.dropped / totalTokens,
      gradNorm,
      trainedTokens: sums.rows,
    };
  }

  /** Frees moments and gradients. */
  dispose(): void {
    this.optimizer.dispose();
    this.gradients.dispose();
  }
}
