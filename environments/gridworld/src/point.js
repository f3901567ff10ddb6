/** A point lies in column x and row y; rows grow downwards. */
export function point(x, y) {
  return { x, y };
}

/** Sum of two points. */
export function plus(a, b) {
  return point(a.x + b.x, a.y + b.y);
}

/** Step that leads from the first point to the second. */
export function stepTo(from, to) {
  return point(to.x - from.x, to.y - from.y);
}

/** A point with both parts multiplied. */
export function times(a, factor) {
  return point(a.x * factor, a.y * factor);
}

/** Tells whether two points are the same. */
export function samePoint(a, b) {
  return a.x === b.x && a.y === b.y;
}

/** Distance along rows and columns. */
export function taxiDistance(a, b) {
  return Math.abs(a.x - b.x) + Math.abs(a.y - b.y);
}

/** Distance of a chess king: diagonal steps count as one. */
export function kingDistance(a, b) {
  return Math.max(Math.abs(a.x - b.x), Math.abs(a.y - b.y));
}

/** Square of the straight distance. */
export function squaredDistance(a, b) {
  const step = stepTo(a, b);
  return step.x * step.x + step.y * step.y;
}
