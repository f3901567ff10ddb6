import { addDays } from './shift.js';
import { sameDay, isBefore } from './compare.js';
import { isWeekend } from './week.js';

/** Tells whether people work on a date. */
export function isWorkday(date, holidays) {
  if (isWeekend(date)) return false;
  return !holidays.some((holiday) => sameDay(holiday, date));
}

/** First workday on or after a date. */
export function workdayFrom(date, holidays) {
  let day = date;
  while (!isWorkday(day, holidays)) {
    day = addDays(day, 1);
  }
  return day;
}

/** The date a number of workdays later. */
export function addWorkdays(date, count, holidays) {
  let day = date;
  for (let i = 0; i < count; i++) {
    day = workdayFrom(addDays(day, 1), holidays);
  }
  return day;
}

/** Workdays from a first date up to but not with a last one. */
export function countWorkdays(first, last, holidays) {
  let count = 0;
  let day = first;
  while (isBefore(day, last)) {
    if (isWorkday(day, holidays)) count += 1;
    day = addDays(day, 1);
  }
  return count;
}
