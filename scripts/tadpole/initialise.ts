/**
 * Starting weights with the circuit for copying already laid out (an induction head; Olsson et al. 2022): in the first
 * layer heads that look at the previous token, in the next two heads that look for places whose previous token is the
 * current one and hand on what stands there. From plain random weights this circuit forms late, and demonstrations are
 * mostly copying. Training is free to undo any of it.
 *
 * What a decoder without biases needs for it:
 * - a constant channel in the embedding, which acts as a bias (with tied embeddings it adds the same to every logit);
 * - a query turned back by one position against its key, so that rotary embedding makes the previous position the best;
 * - matching on the slowly turning channels only, which distance hardly changes;
 * - values and outputs that are transposes of each other, so that what is attended to is made likelier.
 */
import type { Random } from "../../src/compute/index.ts";
import type { HostTensor, ModelConfig } from "../../src/model/index.ts";

const EMBEDDING_STD = 0.08;
const CONSTANT = 0.5;
/** Size of what each kind of head adds to the residual stream, against a token's own embedding of about 1. */
const PREVIOUS_GAIN = 0.12;
const COPY_GAIN = 0.05;
/** Weight of the hand-made rows; the others are N(0, 0.02²). */
const POSITION_WEIGHT = 0.15;
const MATCH_WEIGHT = 0.3;
/** Channel pairs that tell neighbouring positions apart, and from where on pairs turn slowly enough to match by content. */
const FAST_PAIRS = 4;
const SLOW_PAIRS_FROM = 7;

type Weights = Map<string, HostTensor>;

/** `rows` orthonormal vectors of `width` channels without the constant one (Gram-Schmidt). */
function orthonormal(random: Random, rows: number, width: number, against: readonly Float32Array[] = []): Float32Array[] {
  const basis: Float32Array[] = [];
  while (basis.length < rows) {
    const row = Float32Array.from({ length: width }, (_, i) => (i === 0 ? 0 : random.normal()));
    for (const other of [...against, ...basis]) {
      const dot = row.reduce((sum, x, i) => sum + x * other[i], 0);
      other.forEach((x, i) => (row[i] -= dot * x));
    }
    const norm = Math.hypot(...row);
    basis.push(row.map((x) => x / norm));
  }
  return basis;
}

/** Overwrites embedding and attention weights in place. Needs at least three layers and `kvHeads` · `headSize` ≤ width / 2. */
export function layOutCopying(weights: Weights, config: ModelConfig, random: Random): void {
  const { hiddenSize: width, headSize, heads, kvHeads } = config;
  const share = heads / kvHeads;
  const half = headSize / 2;
  const tensor = (layer: number, name: string) => weights.get(`model.layers.${layer}.self_attn.${name}.weight`)!.data as Float32Array;
  const setRow = (data: Float32Array, row: number, values: ArrayLike<number>, scale: number) => {
    for (let i = 0; i < width; i++) data[row * width + i] = values[i] * scale;
  };
  const setOutput = (data: Float32Array, head: number, e: number, values: ArrayLike<number>, scale: number) => {
    for (let d = 0; d < width; d++) data[d * heads * headSize + head * headSize + e] = values[d] * scale;
  };

  const embedding = weights.get("model.embed_tokens.weight")!.data as Float32Array;
  for (let i = 0; i < embedding.length; i++) embedding[i] = i % width === 0 ? CONSTANT : random.normal() * EMBEDDING_STD;

  const constant = Float32Array.from({ length: width }, (_, i) => (i === 0 ? 1 : 0));
  const content = orthonormal(random, headSize, width);
  const previous = orthonormal(random, headSize, width, content);

  // Layer 0: the first key/value head and its queries look one back and write that token's content as `previous`.
  const frequency = (pair: number) => config.rope.theta ** (-pair / half);
  for (let pair = 0; pair < FAST_PAIRS; pair++) {
    for (let head = 0; head < share; head++) {
      setRow(tensor(0, "q_proj"), head * headSize + pair, constant, POSITION_WEIGHT * Math.cos(frequency(pair)));
      setRow(tensor(0, "q_proj"), head * headSize + pair + half, constant, -POSITION_WEIGHT * Math.sin(frequency(pair)));
    }
    setRow(tensor(0, "k_proj"), pair, constant, POSITION_WEIGHT);
    setRow(tensor(0, "k_proj"), pair + half, constant, 0);
  }
  for (let e = 0; e < headSize; e++) {
    setRow(tensor(0, "v_proj"), e, content[e], 1);
    for (let head = 0; head < share; head++) setOutput(tensor(0, "o_proj"), head, e, previous[e], PREVIOUS_GAIN / share);
  }

  // Layers 1 and 2: queries ask for the current content where keys hold the previous one; each head copies other channels.
  const slow = half - SLOW_PAIRS_FROM;
  for (const layer of [1, 2]) {
    const copied = orthonormal(random, kvHeads * headSize, width);
    for (let g = 0; g < kvHeads; g++) {
      for (let m = 0; m < 2 * slow; m++) {
        const channel = SLOW_PAIRS_FROM + (m % slow) + (m < slow ? 0 : half);
        const which = (m + g * 2 * slow) % headSize;
        setRow(tensor(layer, "k_proj"), g * headSize + channel, previous[which], MATCH_WEIGHT);
        for (let s = 0; s < share; s++) setRow(tensor(layer, "q_proj"), (g * share + s) * headSize + channel, content[which], MATCH_WEIGHT);
      }
      for (let e = 0; e < headSize; e++) {
        setRow(tensor(layer, "v_proj"), g * headSize + e, copied[g * headSize + e], 1);
        for (let s = 0; s < share; s++) setOutput(tensor(layer, "o_proj"), g * share + s, e, copied[g * headSize + e], COPY_GAIN / share);
      }
    }
  }
}
