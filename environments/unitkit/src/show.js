import { breakDown, convert, fittingUnit } from './convert.js';
import { lookUpUnit } from './units.js';

/** Rounds to a number of decimal places, halves away from zero. */
export function roundTo(number, places) {
  const scale = 10 ** places;
  const rounded = Math.round(Math.abs(number) * scale) / scale;
  return number < 0 ? -rounded : rounded;
}

/** Puts a comma before every third digit of a whole number. */
export function groupDigits(number) {
  const digits = String(Math.abs(number));
  let result = '';
  for (let i = 0; i < digits.length; i++) {
    if (i > 0 && (digits.length - i) % 3 === 0) result += ',';
    result += digits[i];
  }
  return number < 0 ? '-' + result : result;
}

/** Writes a measure with its symbol: "2.5 km". */
export function showShort({ amount, unit }, places = 2) {
  return roundTo(amount, places) + ' ' + unit;
}

/** Writes a measure with the name of its unit: "2 metres". */
export function showLong({ amount, unit }) {
  const { name } = lookUpUnit(unit);
  return amount + ' ' + (amount === 1 ? name : name + 's');
}

/** Writes a measure in the unit that fits best. */
export function showFitting({ amount, unit }) {
  const better = fittingUnit(amount, unit);
  return showShort({ amount: convert(amount, unit, better), unit: better });
}

/** Writes seconds in days, hours, minutes and seconds. */
export function showSpan(seconds) {
  const parts = breakDown(seconds, 's', ['d', 'h', 'min', 's']);
  const shown = parts.filter((part) => part.amount > 0);
  if (shown.length === 0) return '0 s';
  return shown.map((part) => part.amount + ' ' + part.unit).join(' ');
}
