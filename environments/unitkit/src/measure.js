import { areComparable, lookUpUnit } from './units.js';
import { convert } from './convert.js';
import { scanNumber, splitMeasure, splitParts } from './scan.js';

/** A measure is { amount, unit } with the symbol of the unit. */
export function measure(amount, unit) {
  return { amount, unit: lookUpUnit(unit).symbol };
}

/** Reads one measure such as "3 kg". */
export function parseMeasure(text) {
  const [amount, unit] = splitMeasure(text);
  if (unit === '') throw new SyntaxError('unit missing: ' + text);
  return measure(scanNumber(amount), unit);
}

/** Reads measures in a row, such as "1 h 30 min", and adds them. */
export function parseCompound(text) {
  const parts = splitParts(text).map(parseMeasure);
  if (parts.length === 0) throw new SyntaxError('nothing to read');
  return parts.reduce(addMeasures);
}

/** Sum of two measures, in the unit of the first. */
export function addMeasures(first, second) {
  const added = convert(second.amount, second.unit, first.unit);
  return measure(first.amount + added, first.unit);
}

/** Orders measures of one kind: negative, 0 or positive. */
export function compareMeasures(first, second) {
  return first.amount - convert(second.amount, second.unit, first.unit);
}

/** A measure multiplied by a number. */
export function scaleMeasure(one, factor) {
  return measure(one.amount * factor, one.unit);
}

/** How often the second measure fits into the first, whole times. */
export function timesInto(first, second) {
  if (!areComparable(first.unit, second.unit)) return 0;
  const fitting = convert(second.amount, second.unit, first.unit);
  return Math.floor(first.amount / fitting);
}
