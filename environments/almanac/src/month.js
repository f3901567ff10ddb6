import { isLeapYear } from './year.js';

const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Number of days in a month; months count from 1. */
export function monthLength(year, month) {
  if (month < 1 || month > 12) {
    throw new RangeError('no such month: ' + month);
  }
  if (month === 2 && isLeapYear(year)) return 29;
  return LENGTHS[month - 1];
}

/** Days of the year that passed before a month begins. */
export function daysBeforeMonth(year, month) {
  let days = 0;
  for (let i = 1; i < month; i++) {
    days += monthLength(year, i);
  }
  return days;
}

/** Quarter of the year, from 1 to 4. */
export function quarterOf(month) {
  return Math.floor((month - 1) / 3) + 1;
}

/** Season of a month in the north. */
export function seasonOf(month) {
  if (month <= 2 || month === 12) return 'winter';
  if (month <= 5) return 'spring';
  if (month <= 8) return 'summer';
  return 'autumn';
}
