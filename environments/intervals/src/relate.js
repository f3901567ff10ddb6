/** Tells whether two ranges share at least one value. */
export function overlaps(first, second) {
  return first.start < second.end && second.start < first.end;
}

/** Tells whether one range ends exactly where the other starts. */
export function touches(first, second) {
  return first.end === second.start || second.end === first.start;
}

/** Distance between two ranges; 0 when they overlap or touch. */
export function distance(first, second) {
  if (second.start > first.end) return second.start - first.end;
  if (first.start > second.end) return first.start - second.end;
  return 0;
}

/** Orders ranges by start, then by end. */
export function compareRanges(first, second) {
  if (first.start !== second.start) return first.start - second.start;
  return first.end - second.end;
}

/** Names how the first range lies to the second. */
export function relation(first, second) {
  if (compareRanges(first, second) === 0) return 'equal';
  if (first.end <= second.start) return 'before';
  if (first.start >= second.end) return 'after';
  if (first.start >= second.start && first.end <= second.end) {
    return 'inside';
  }
  if (first.start <= second.start && first.end >= second.end) {
    return 'around';
  }
  return first.start < second.start ? 'left' : 'right';
}
