/** Training batches: packed documents with a weight per target, and excerpts of random text to copy. */
import type { Random } from "../../src/compute/index.ts";
import type { TrainBatch } from "../../src/model/index.ts";

export interface Document {
  ids: Uint16Array;
  /** 1 where the demonstrating policy wrote the token, `NEVER` where it wrote what must not be imitated. */
  sampled: Uint8Array;
}

export const NEVER = 2;

export interface WeightedBatch {
  batch: TrainBatch;
  /** Derivative of the loss −Σ w·logp / Σ w by each scored log-probability. */
  weights: Float32Array;
  tokens: number;
}

/** Loss weight of text that the policy did not write, against 1 for what it wrote. */
const CONTEXT_WEIGHT = 0.15;
const EXCERPT_WEIGHT = 0.3;
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

/**
 * Documents and, so that copying stays general, one sequence of excerpts. Demonstrations alone would let the model learn
 * which of the names at hand is the most plausible.
 */
export function documentBatch(documents: Document[], vocabulary: number, random: Random): WeightedBatch {
  const excerpts = excerptSequence(random, vocabulary);
  return pack([
    ...documents.map(({ ids, sampled }) => ({
      ids,
      weight: (i: number) => (sampled[i] === 1 ? 1 : sampled[i] === NEVER ? 0 : random.uniform() < CONTEXT_SHARE ? CONTEXT_WEIGHT / CONTEXT_SHARE : 0),
    })),
    { ids: excerpts.ids, weight: (i: number) => (excerpts.copied[i] ? EXCERPT_WEIGHT : 0) },
  ]);
}

/** The warm-up: excerpts only. */
export function excerptBatch(random: Random, vocabulary: number, rows: number): WeightedBatch {
  const sequences = [];
  for (let total = 0; total < rows; total += sequences[sequences.length - 1].ids.length) sequences.push(excerptSequence(random, vocabulary));
  return pack(sequences.map(({ ids, copied }) => ({ ids, weight: (i: number) => copied[i] })));
}

/**
 * A block of random tokens, then short excerpts of it. All tokens of an excerpt but its first can be told by looking
 * back; a few tokens are common, so that one token of context is not always enough.
 */
function excerptSequence(random: Random, vocabulary: number): { ids: number[]; copied: number[] } {
  const length = random.int(96, 320);
  const token = () => random.int(0, vocabulary - 1);
  const common = Array.from({ length: 12 }, token);
  const ids = Array.from({ length: Math.floor(length * (0.3 + 0.25 * random.uniform())) }, () => (random.uniform() < 0.3 ? random.pick(common) : token()));
  const copied = ids.map(() => 0);
  for (const block = ids.slice(); ids.length < length; ) {
    const size = random.int(4, 16);
    const start = random.int(0, block.length - size);
    for (let i = 0; i < size; i++) {
      ids.push(block[start + i]);
      copied.push(i > 0 ? 1 : 0);
    }
  }
  return { ids, copied };
}
