/** Work tables of the attention kernels: which rows a unit of work covers (assembly/attention.ts, attention-backward.ts). */

/** Rows of a tile at most. */
const TILE = 24;

export interface WorkTable {
  table: Int32Array;
  count: number;
  /** Query-key pairs, for cost estimates. */
  pairs: number;
  /** What a thread needs. */
  scratchBytes: number;
}

/** Scores of a tile over `keys` keys, and one number per row. */
function tileScratch(keys: number): number {
  return 4 * (TILE + TILE * (keys + 8) + 8);
}

/** Tiles of packed sequences: first row, rows, first row of the sequence, keys of the last row. */
export function packedTiles(offsets: Int32Array): WorkTable {
  const table: number[] = [];
  let pairs = 0;
  let longest = 0;
  for (let s = 0; s + 1 < offsets.length; s++) {
    const length = offsets[s + 1] - offsets[s];
    for (let i = 0; i < length; i += TILE) {
      const rows = Math.min(TILE, length - i);
      table.push(offsets[s] + i, rows, offsets[s], i + rows);
    }
    pairs += (length * (length + 1)) / 2;
    longest = Math.max(longest, length);
  }
  return { table: Int32Array.from(table), count: table.length / 4, pairs, scratchBytes: tileScratch(longest) };
}

/** Tiles of inference rows, runs of rows of one sequence: first row, rows, sequence, keys of the farthest row. */
export function cachedTiles(sequence: Int32Array, position: Int32Array): WorkTable {
  const table: number[] = [];
  let pairs = 0;
  let longest = 0;
  for (let n = 0; n < sequence.length; ) {
    let end = n;
    let keys = 0;
    for (; end < sequence.length && end - n < TILE && sequence[end] === sequence[n]; end++) keys = Math.max(keys, position[end] + 1);
    table.push(n, end - n, sequence[n], keys);
    pairs += (end - n) * keys;
    longest = Math.max(longest, keys);
    n = end;
  }
  return { table: Int32Array.from(table), count: table.length / 4, pairs, scratchBytes: tileScratch(longest) };
}

/** Sequences, the longest first so that none starts last: first row, rows. */
export function sequenceSpans(offsets: Int32Array): WorkTable {
  const spans: [number, number][] = [];
  for (let s = 0; s + 1 < offsets.length; s++) if (offsets[s + 1] > offsets[s]) spans.push([offsets[s], offsets[s + 1] - offsets[s]]);
  spans.sort((a, b) => b[1] - a[1]);
  const pairs = spans.reduce((sum, [, length]) => sum + (length * (length + 1)) / 2, 0);
  return { table: Int32Array.from(spans.flat()), count: spans.length, pairs, scratchBytes: 4 * (2 * 48 * 56 + (spans[0]?.[1] ?? 0) + 8) };
}
