import { makeDate } from './date.js';
import { weekdayName } from './week.js';

const MONTH_NAMES = ['January', 'February', 'March', 'April', 'May',
  'June', 'July', 'August', 'September', 'October', 'November', 'December'];

/** Writes a number with at least a given count of digits. */
export function padNumber(number, digits) {
  let text = String(number);
  while (text.length < digits) text = '0' + text;
  return text;
}

/** Writes a date as year-month-day. */
export function formatDate(date) {
  const year = padNumber(date.year, 4);
  const month = padNumber(date.month, 2);
  return year + '-' + month + '-' + padNumber(date.day, 2);
}

/** Reads a date written as year-month-day. */
export function parseDate(text) {
  const parts = text.split('-');
  const [year, month, day] = parts.map(Number);
  if (parts.length !== 3 || Number.isNaN(year + month + day)) {
    throw new SyntaxError('not a date: ' + text);
  }
  return makeDate(year, month, day);
}

/** Writes a number with its ending: 1st, 2nd, 3rd, 4th. */
export function ordinal(number) {
  const tens = number % 100;
  if (tens >= 11 && tens <= 13) return number + 'th';
  const last = number % 10;
  if (last === 1) return number + 'st';
  if (last === 2) return number + 'nd';
  if (last === 3) return number + 'rd';
  return number + 'th';
}

/** Writes a date in words. */
export function longDate(date) {
  const month = MONTH_NAMES[date.month - 1];
  const day = month + ' ' + ordinal(date.day);
  return weekdayName(date) + ', ' + day + ', ' + date.year;
}
