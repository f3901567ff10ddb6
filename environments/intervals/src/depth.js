import { contains, makeRange } from './range.js';

/** How many of the ranges hold the value. */
export function depthAt(ranges, value) {
  let depth = 0;
  for (const range of ranges) {
    if (contains(range, value)) depth += 1;
  }
  return depth;
}

/** All points where a range starts or ends, sorted, each once. */
export function boundaries(ranges) {
  const points = new Set();
  for (const range of ranges) {
    points.add(range.start);
    points.add(range.end);
  }
  return [...points].sort((a, b) => a - b);
}

/** Largest number of ranges that hold the same value. */
export function maxDepth(ranges) {
  let deepest = 0;
  for (const point of boundaries(ranges)) {
    deepest = Math.max(deepest, depthAt(ranges, point));
  }
  return deepest;
}

/** Steps of constant depth: one { start, end, depth } for each. */
export function depthProfile(ranges) {
  const points = boundaries(ranges);
  const steps = [];
  for (let i = 1; i < points.length; i++) {
    const start = points[i - 1];
    const depth = depthAt(ranges, start);
    if (depth > 0) steps.push({ start, end: points[i], depth });
  }
  return steps;
}

/** Parts that at least count ranges hold. */
export function coveredBy(ranges, count) {
  const parts = [];
  for (const step of depthProfile(ranges)) {
    if (step.depth < count) continue;
    const last = parts.at(-1);
    if (last !== undefined && last.end === step.start) last.end = step.end;
    else parts.push(makeRange(step.start, step.end));
  }
  return parts;
}
