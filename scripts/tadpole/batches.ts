/** Training batches: packed documents with a weight per target, and the induction warm-up. */
import type { Random } from "../../src/compute/index.ts";
import type { TrainBatch } from "../../src/model/index.ts";

export interface Document {
  ids: Uint16Array;
  /** 1 where the demonstrating policy wrote the token. */
  sampled: Uint8Array;
}

export interface WeightedBatch {
  batch: TrainBatch;
  /** Derivative of the loss −Σ w·logp / Σ w by each scored log-probability. */
  weights: Float32Array;
  tokens: number;
}

/** Loss weight of text that the policy did not write, against 1 for what it wrote. */
const CONTEXT_WEIGHT = 0.15;
/**
 * Only this share of the context's targets is scored, each with its weight divided by the share: the same expectation for
 * less of the vocabulary head's work.
 */
const CONTEXT_SHARE = 0.25;

function pack(sequences: { ids: ArrayLike<number>; weight: (position: number) => number }[]): WeightedBatch {
  const total = sequences.reduce((n, s) => n + s.ids.length, 0);
  const ids = new Int32Array(total);
  const offsets = new Int32Array(sequences.length + 1);
  const rows: number[] = [], targets: number[] = [], weights: number[] = [];
  let at = 0;
  sequences.forEach((sequence, s) => {
    ids.set(sequence.ids, at);
    for (let i = 0; i + 1 < sequence.ids.length; i++) {
      const weight = sequence.weight(i + 1);
      if (weight === 0) continue;
      rows.push(at + i);
      targets.push(sequence.ids[i + 1]);
      weights.push(weight);
    }
    at += sequence.ids.length;
    offsets[s + 1] = at;
  });
  const sum = weights.reduce((a, b) => a + b, 0);
  return {
    batch: { ids, offsets, rows: Int32Array.from(rows), targets: Int32Array.from(targets) },
    weights: Float32Array.from(weights, (w) => -w / sum),
    tokens: total,
  };
}

export function documentBatch(documents: Document[], random: Random): WeightedBatch {
  return pack(documents.map(({ ids, sampled }) => ({
    ids,
    weight: (i) => (sampled[i] ? 1 : random.uniform() < CONTEXT_SHARE ? CONTEXT_WEIGHT / CONTEXT_SHARE : 0),
  })));
}

/**
 * Random tokens of the first `vocabulary` ids, repeated with periods of 2 to `period` that vary from sequence to sequence (a fixed one would be learned as an offset);
 * what can be predicted by looking back is scored.
 */
export function inductionBatch(random: Random, { vocabulary, period }: { vocabulary: number; period: number }, rows: number): WeightedBatch {
  const length = 96;
  return pack(Array.from({ length: Math.floor(rows / length) }, () => {
    const repeat = random.int(2, period);
    const block = Array.from({ length: repeat }, () => random.int(0, vocabulary - 1));
    return { ids: Array.from({ length }, (_, i) => block[i % repeat]), weight: (i: number) => (i > repeat ? 1 : 0) };
  }));
}
