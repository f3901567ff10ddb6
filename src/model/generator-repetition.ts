/** Longest block whose repetition is looked for, in tokens. */
const LONGEST_BLOCK = 128;

/**
 * Stops a turn that loops. It fires when the tokens sampled in this turn end in a block of p tokens (1 ≤ p ≤ 128) that
 * repeats exactly over at least 96 + 4·p tokens: a line of 8 tokens 16 times, a paragraph of 100 tokens 5 times. Code
 * that is merely regular (tables of similar lines, a ruler of 96 dashes, a board of zeros) does not get there: one
 * differing token in each line breaks the period.
 */
export class RepetitionStop {
  private readonly ids: number[] = [];
  /** run[p]: how many of the last tokens equal the token p places before them. */
  private readonly run = new Int32Array(LONGEST_BLOCK + 1);

  /** Adds a sampled token; true when the turn should stop. O(128). */
  push(id: number): boolean {
    const { ids, run } = this;
    const n = ids.push(id);
    let loops = false;
    for (let p = 1; p <= LONGEST_BLOCK && p < n; p++) {
      run[p] = ids[n - 1 - p] === id ? run[p] + 1 : 0;
      // A run of r matches at distance p spans r + p tokens.
      if (run[p] + p >= 96 + 4 * p) loops = true;
    }
    return loops;
  }
}
