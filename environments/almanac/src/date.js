import { daysBeforeYear, yearLength } from './year.js';
import { daysBeforeMonth, monthLength } from './month.js';

/** Makes a date after checking that it exists. */
export function makeDate(year, month, day) {
  if (year < 1) throw new RangeError('year must be at least 1');
  if (day < 1 || day > monthLength(year, month)) {
    throw new RangeError('no such day: ' + day);
  }
  return { year, month, day };
}

/** Position of a date in its year; the first of January is 1. */
export function dayOfYear(date) {
  return daysBeforeMonth(date.year, date.month) + date.day;
}

/** Number of a date; the first of January of year 1 is day 1. */
export function toDayNumber(date) {
  return daysBeforeYear(date.year) + dayOfYear(date);
}

/** The date at a position in a year. */
export function dateInYear(year, position) {
  let month = 1;
  let rest = position;
  while (rest > monthLength(year, month)) {
    rest -= monthLength(year, month);
    month += 1;
  }
  return makeDate(year, month, rest);
}

/** The date that has a given day number. */
export function fromDayNumber(number) {
  let year = Math.floor(number / 366) + 1;
  let rest = number - daysBeforeYear(year);
  while (rest > yearLength(year)) {
    rest -= yearLength(year);
    year += 1;
  }
  return dateInYear(year, rest);
}
