import { toDayNumber } from './date.js';

/** Days from one date to another; negative when it lies before. */
export function daysBetween(from, to) {
  return toDayNumber(to) - toDayNumber(from);
}

/** Tells whether the first date lies before the second. */
export function isBefore(first, second) {
  return daysBetween(first, second) > 0;
}

/** Tells whether both are the same day. */
export function sameDay(first, second) {
  return daysBetween(first, second) === 0;
}

/** The earliest of some dates, or null when there are none. */
export function earliest(dates) {
  let best = null;
  for (const date of dates) {
    if (best === null || isBefore(date, best)) best = date;
  }
  return best;
}

/** Full years from a birthday to another date. */
export function ageOn(birthday, date) {
  const years = date.year - birthday.year;
  if (date.month < birthday.month) return years - 1;
  if (date.month === birthday.month && date.day < birthday.day) {
    return years - 1;
  }
  return years;
}
