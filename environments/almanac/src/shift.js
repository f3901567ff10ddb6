import { makeDate, fromDayNumber, toDayNumber } from './date.js';
import { monthLength } from './month.js';

/** The date some days later, or earlier for a negative count. */
export function addDays(date, count) {
  return fromDayNumber(toDayNumber(date) + count);
}

/** The date some months later; the day shrinks to fit the month. */
export function addMonths(date, count) {
  const months = date.year * 12 + date.month - 1 + count;
  const year = Math.floor(months / 12);
  const month = (months % 12) + 1;
  const day = Math.min(date.day, monthLength(year, month));
  return makeDate(year, month, day);
}

/** The same day some years later; 29 February may become 28. */
export function addYears(date, count) {
  return addMonths(date, count * 12);
}

/** First day of the month of a date. */
export function startOfMonth(date) {
  return makeDate(date.year, date.month, 1);
}

/** Last day of the month of a date. */
export function endOfMonth(date) {
  const last = monthLength(date.year, date.month);
  return makeDate(date.year, date.month, last);
}
