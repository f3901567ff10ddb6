import { isEmpty, makeRange } from './range.js';
import { overlaps, touches } from './relate.js';

/** The values that both ranges hold, or null when there are none. */
export function intersect(first, second) {
  if (!overlaps(first, second)) return null;
  const start = Math.max(first.start, second.start);
  const end = Math.min(first.end, second.end);
  return makeRange(start, end);
}

/** Smallest range around both ranges. */
export function hull(first, second) {
  const start = Math.min(first.start, second.start);
  const end = Math.max(first.end, second.end);
  return makeRange(start, end);
}

/** Joins two ranges that overlap or touch into one. */
export function joinRanges(first, second) {
  if (overlaps(first, second) || touches(first, second)) {
    return hull(first, second);
  }
  throw new Error('ranges are apart');
}

/** Takes the second range out of the first: up to two pieces. */
export function subtract(first, second) {
  if (!overlaps(first, second)) return isEmpty(first) ? [] : [first];
  const pieces = [];
  if (first.start < second.start) {
    pieces.push(makeRange(first.start, second.start));
  }
  if (second.end < first.end) {
    pieces.push(makeRange(second.end, first.end));
  }
  return pieces;
}

/** Cuts a range in two at a point inside it. */
export function splitAt(range, point) {
  if (point <= range.start || point >= range.end) return [range];
  return [makeRange(range.start, point), makeRange(point, range.end)];
}
