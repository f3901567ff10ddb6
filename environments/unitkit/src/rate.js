import { convert } from './convert.js';
import { scanNumber } from './scan.js';
import { lookUpUnit } from './units.js';

/** A rate is an amount of one unit for each other unit. */
export function makeRate(amount, unit, per) {
  lookUpUnit(unit);
  lookUpUnit(per);
  return { amount, unit, per };
}

/** Reads a rate such as "90 km/h". */
export function parseRate(text) {
  const space = text.indexOf(' ');
  const slash = text.indexOf('/');
  if (space < 0 || slash < space) throw new SyntaxError('bad rate: ' + text);
  const amount = scanNumber(text.slice(0, space));
  return makeRate(amount, text.slice(space + 1, slash), text.slice(slash + 1));
}

/** The same rate in other units. */
export function convertRate(rate, unit, per) {
  const above = convert(rate.amount, rate.unit, unit);
  return makeRate(above / convert(1, rate.per, per), unit, per);
}

/** What a rate makes of an amount: 3 km/h for 2 h is 6 km. */
export function applyRate(rate, amount, unit) {
  return rate.amount * convert(amount, unit, rate.per);
}

/** How long a rate takes for an amount, in its second unit. */
export function timeNeeded(rate, amount, unit) {
  if (rate.amount === 0) throw new RangeError('the rate is zero');
  return convert(amount, unit, rate.unit) / rate.amount;
}
