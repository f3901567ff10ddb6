/**
 * The DPPO objective. With p the trainer's and q the sampler's probability of a sampled token and ρ = p / q,
 *
 *   loss = −(1 / |T|) Σ_kept A · ρ
 *
 * where |T| counts *all* assistant tokens of the update, kept or not, over all its micro-batches. A token is dropped when
 * it already moved the way its advantage pushes it: A > 0 and p − q > δ, or A ≤ 0 and p − q < −δ, with δ = 0.2.
 * (FrogNano report, arXiv 2609.07925.)
 *
 * Since d ρ / d log p = ρ, the gradient is that of a weighted log-likelihood: d loss / d log p = −A · ρ / |T|.
 */
export interface ObjectiveInput {
  /** Trainer's log-probability of each token, [N]. */
  logprobs: ArrayLike<number>;
  /** Log-probability under which each token was sampled, [N]. */
  samplerLogprobs: ArrayLike<number>;
  /** Advantage of each token, [N]. */
  advantages: ArrayLike<number>;
  /** 1 where the policy sampled the token, else 0, [N]. */
  mask: ArrayLike<number>;
}

export interface ObjectiveOptions {
  /** |T| of the whole update. */
  totalTokens: number;
  /** δ; Infinity drops nothing. Default 0.2. */
  dropThreshold?: number;
}

export interface ObjectiveResult {
  /** d loss / d logprobs, [N]; 0 where masked or dropped. */
  weights: Float32Array;
  /** This batch's share of the loss. */
  loss: number;
  tokens: number;
  dropped: number;
  /** Σ and maximum of |p − q| over the tokens. */
  sumGap: number;
  maxGap: number;
}

export function dppoObjective(input: ObjectiveInput, options: ObjectiveOptions): ObjectiveResult {
  const { logprobs, samplerLogprobs, advantages, mask } = input;
  const { totalTokens, dropThreshold = 0.2 } = options;
  const result: ObjectiveResult = { weights: new Float32Array(logprobs.length), loss: 0, tokens: 0, dropped: 0, sumGap: 0, maxGap: 0 };
  for (let i = 0; i < logprobs.length; i++) {
    if (!mask[i]) continue;
    result.tokens++;
    const gap = Math.exp(logprobs[i]) - Math.exp(samplerLogprobs[i]);
    result.sumGap += Math.abs(gap);
    result.maxGap = Math.max(result.maxGap, Math.abs(gap));
    if (advantages[i] > 0 ? gap > dropThreshold : gap < -dropThreshold) {
      result.dropped++;
      continue;
    }
    const weight = (-advantages[i] * Math.exp(logprobs[i] - samplerLogprobs[i])) / totalTokens;
    result.weights[i] = weight;
    result.loss += weight;
  }
  return result;
}
