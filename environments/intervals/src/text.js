import { makeRange } from './range.js';
import { normalize } from './set.js';

/** Reads "3" or "3-7"; both numbers belong to the range. */
export function parseRange(text) {
  const parts = text.trim().split('-');
  const first = Number(parts[0]);
  const last = Number(parts[parts.length - 1]);
  const known = Number.isInteger(first) && Number.isInteger(last);
  if (!known || parts.length > 2 || parts.includes('')) {
    throw new SyntaxError('not a range: ' + text);
  }
  return makeRange(first, last + 1);
}

/** Reads a list of ranges with commas between and merges them. */
export function parseRangeList(text) {
  if (text.trim() === '') return [];
  return normalize(text.split(',').map(parseRange));
}

/** Writes a range the way parseRange reads it. */
export function formatRange(range) {
  const last = range.end - 1;
  if (last === range.start) return String(last);
  return range.start + '-' + last;
}

/** Writes a list of ranges with commas between. */
export function formatRangeList(ranges) {
  return normalize(ranges).map(formatRange).join(',');
}
