/** Makes a half-open range [start, end); the ends must be in order. */
export function makeRange(start, end) {
  if (start > end) {
    throw new RangeError('start ' + start + ' is after end ' + end);
  }
  return { start, end };
}

/** Number of whole values inside a range. */
export function rangeSize(range) {
  return range.end - range.start;
}

/** Tells whether the range holds nothing. */
export function isEmpty(range) {
  return range.end <= range.start;
}

/** Tells whether a value lies inside; the end does not. */
export function contains(range, value) {
  return value >= range.start && value < range.end;
}

/** Tells whether the inner range lies fully inside the outer. */
export function encloses(outer, inner) {
  return inner.start >= outer.start && inner.end <= outer.end;
}

/** Middle of a range, rounded down. */
export function midpoint(range) {
  return Math.floor((range.start + range.end) / 2);
}

/** Moves both ends by the same amount. */
export function shiftRange(range, amount) {
  return makeRange(range.start + amount, range.end + amount);
}

/** Moves the start down and the end up; negative amounts shrink. */
export function growRange(range, amount) {
  return makeRange(range.start - amount, range.end + amount);
}
