import { makeRange, rangeSize } from './range.js';
import { normalize, subtractSets } from './set.js';

/** Free ranges between the first start and the last end. */
export function findGaps(ranges) {
  const sorted = normalize(ranges);
  const gaps = [];
  for (let i = 1; i < sorted.length; i++) {
    gaps.push(makeRange(sorted[i - 1].end, sorted[i].start));
  }
  return gaps;
}

/** Everything inside the limits that no range covers. */
export function invert(ranges, limits) {
  return subtractSets([limits], ranges);
}

/** First free place of a given size inside the limits, or null. */
export function findSlot(ranges, limits, size) {
  for (const free of invert(ranges, limits)) {
    if (rangeSize(free) >= size) {
      return makeRange(free.start, free.start + size);
    }
  }
  return null;
}

/** The largest gap; the earliest one when several are equal. */
export function largestGap(ranges) {
  let best = null;
  for (const gap of findGaps(ranges)) {
    if (best === null || rangeSize(gap) > rangeSize(best)) best = gap;
  }
  return best;
}
