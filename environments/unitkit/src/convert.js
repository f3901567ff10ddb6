import { areComparable, lookUpUnit, unitsOfKind } from './units.js';

/** Converts an amount from one unit into another. */
export function convert(amount, from, into) {
  if (!areComparable(from, into)) {
    throw new TypeError('cannot convert ' + from + ' into ' + into);
  }
  return (amount * lookUpUnit(from).factor) / lookUpUnit(into).factor;
}

/** Tells whether an amount is whole in another unit. */
export function isWholeIn(amount, from, into) {
  return Number.isInteger(convert(amount, from, into));
}

/** The largest unit in which the amount is at least 1. */
export function fittingUnit(amount, from) {
  const units = unitsOfKind(lookUpUnit(from).kind);
  let fitting = units[0].symbol;
  for (const unit of units) {
    if (Math.abs(convert(amount, from, unit.symbol)) >= 1) {
      fitting = unit.symbol;
    }
  }
  return fitting;
}

/** Cuts an amount into whole parts of given units, largest first. */
export function breakDown(amount, from, symbols) {
  let rest = convert(amount, from, symbols.at(-1));
  const parts = [];
  for (const symbol of symbols) {
    const size = convert(1, symbol, symbols.at(-1));
    const whole = Math.floor(rest / size);
    parts.push({ amount: whole, unit: symbol });
    rest -= whole * size;
  }
  return parts;
}
