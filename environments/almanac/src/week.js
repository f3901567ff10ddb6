import { dayOfYear, makeDate, toDayNumber } from './date.js';
import { addDays } from './shift.js';
import { yearLength } from './year.js';

const DAY_NAMES = ['Monday', 'Tuesday', 'Wednesday', 'Thursday',
  'Friday', 'Saturday', 'Sunday'];

/** Day of the week from 1 (Monday) to 7 (Sunday). */
export function weekday(date) {
  return ((toDayNumber(date) - 1) % 7) + 1;
}

/** English name of the day of the week. */
export function weekdayName(date) {
  return DAY_NAMES[weekday(date) - 1];
}

/** Tells whether a date is a Saturday or a Sunday. */
export function isWeekend(date) {
  return weekday(date) >= 6;
}

/** The next date after this one with a given day of the week. */
export function nextWeekday(date, wanted) {
  const ahead = (wanted - weekday(date) + 7) % 7;
  return addDays(date, ahead === 0 ? 7 : ahead);
}

/** A numbered day of the week in a month, such as the 2nd Monday. */
export function nthWeekday(year, month, wanted, nth) {
  const first = makeDate(year, month, 1);
  const ahead = (wanted - weekday(first) + 7) % 7;
  return makeDate(year, month, 1 + ahead + (nth - 1) * 7);
}

/** ISO week of a date: its year and its week from 1 to 53. */
export function isoWeek(date) {
  const thursday = addDays(date, 4 - weekday(date));
  const week = Math.floor((dayOfYear(thursday) - 1) / 7) + 1;
  return { year: thursday.year, week };
}

/** Days that are left in the year after a date. */
export function daysLeft(date) {
  return yearLength(date.year) - dayOfYear(date);
}
