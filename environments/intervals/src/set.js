import { contains, isEmpty, makeRange, rangeSize } from './range.js';
import { compareRanges } from './relate.js';
import { intersect, subtract } from './combine.js';

/** Sorts ranges, drops empty ones and merges those that meet. */
export function normalize(ranges) {
  const sorted = [...ranges].sort(compareRanges);
  const merged = [];
  for (const range of sorted) {
    if (isEmpty(range)) continue;
    const last = merged.at(-1);
    if (last !== undefined && range.start <= last.end) {
      last.end = Math.max(last.end, range.end);
    } else {
      merged.push(makeRange(range.start, range.end));
    }
  }
  return merged;
}

/** Number of values that the ranges cover together. */
export function totalSize(ranges) {
  let total = 0;
  for (const range of normalize(ranges)) {
    total += rangeSize(range);
  }
  return total;
}

/** Tells whether any of the ranges holds the value. */
export function setContains(ranges, value) {
  return ranges.some((range) => contains(range, value));
}

/** All values that both sets of ranges hold. */
export function intersectSets(first, second) {
  const common = [];
  for (const one of first) {
    for (const other of second) {
      const shared = intersect(one, other);
      if (shared !== null) common.push(shared);
    }
  }
  return normalize(common);
}

/** Values of the first set that the second does not hold. */
export function subtractSets(first, second) {
  let left = normalize(first);
  for (const hole of second) {
    left = left.flatMap((range) => subtract(range, hole));
  }
  return left;
}
