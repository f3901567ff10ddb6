import { makeRange, rangeSize } from './range.js';

/** Cuts a range into blocks of a fixed size; the last may be short. */
export function chunkRange(range, size) {
  if (size <= 0) throw new RangeError('chunk size must be positive');
  const chunks = [];
  for (let at = range.start; at < range.end; at += size) {
    chunks.push(makeRange(at, Math.min(at + size, range.end)));
  }
  return chunks;
}

/** Shares a range among count parts; the first parts are longer. */
export function shareRange(range, count) {
  const base = Math.floor(rangeSize(range) / count);
  const extra = rangeSize(range) % count;
  const parts = [];
  let at = range.start;
  for (let i = 0; i < count; i++) {
    const size = i < extra ? base + 1 : base;
    parts.push(makeRange(at, at + size));
    at += size;
  }
  return parts;
}

/** Nearest value that the range holds. */
export function clampTo(range, value) {
  if (value < range.start) return range.start;
  if (value >= range.end) return range.end - 1;
  return value;
}

/** Brings a value into the range by going around. */
export function wrapInto(range, value) {
  const size = rangeSize(range);
  const offset = (value - range.start) % size;
  if (offset < 0) return range.start + offset + size;
  return range.start + offset;
}
