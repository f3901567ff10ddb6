/** Rollouts as packed micro-batches for the decoder. */
import type { Ledger } from "../agent/index.ts";
import type { TrainBatch } from "../model/index.ts";

export interface WeightedSequence {
  ledger: Ledger;
  /** Advantage of every sampled token. */
  advantage: number;
}

export interface MicroBatch {
  batch: TrainBatch;
  /** Of each scored row, [R]. */
  samplerLogprobs: Float32Array;
  advantages: Float32Array;
}

/**
 * Packs sequences in their order, at most `maxRows` rows to a batch unless a single sequence is longer. The row before a
 * sampled token predicts it; rows after the last of these are left out, as nothing depends on them.
 */
export function packSequences(sequences: readonly WeightedSequence[], maxRows: number): MicroBatch[] {
  const batches: WeightedSequence[][] = [];
  let rows = Infinity;
  for (const sequence of sequences) {
    const length = usedRows(sequence.ledger);
    if (length === 0) continue;
    if (rows + length > maxRows) {
      batches.push([]);
      rows = 0;
    }
    batches[batches.length - 1].push(sequence);
    rows += length;
  }
  return batches.map(pack);
}

/** Rows up to the one that predicts the last sampled token; a token without a row before it cannot be scored. */
function usedRows({ sampled }: Ledger): number {
  return Math.max(0, sampled.lastIndexOf(1));
}

function pack(sequences: readonly WeightedSequence[]): MicroBatch {
  const ids: number[] = [];
  const offsets = [0];
  const rows: number[] = [];
  const targets: number[] = [];
  const samplerLogprobs: number[] = [];
  const advantages: number[] = [];
  for (const { ledger, advantage } of sequences) {
    const base = ids.length;
    const length = usedRows(ledger);
    for (let t = 0; t < length; t++) {
      ids.push(ledger.ids[t]);
      if (!ledger.sampled[t + 1]) continue;
      rows.push(base + t);
      targets.push(ledger.ids[t + 1]);
      samplerLogprobs.push(ledger.logprobs[t + 1]);
      advantages.push(advantage);
    }
    offsets.push(ids.length);
  }
  return {
    batch: { ids: Int32Array.from(ids), offsets: Int32Array.from(offsets), rows: Int32Array.from(rows), targets: Int32Array.from(targets) },
    samplerLogprobs: Float32Array.from(samplerLogprobs),
    advantages: Float32Array.from(advantages),
  };
}
