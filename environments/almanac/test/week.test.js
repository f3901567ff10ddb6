import test from 'node:test';
import assert from 'node:assert/strict';
import { makeDate as date } from '../src/date.js';
import {
  daysLeft, isoWeek, isWeekend, nextWeekday, nthWeekday, weekday, weekdayName,
} from '../src/week.js';
import {
  addWorkdays, countWorkdays, isWorkday, workdayFrom,
} from '../src/business.js';
import {
  formatDate, longDate, ordinal, padNumber, parseDate,
} from '../src/format.js';

const holidays = [date(2024, 3, 11), date(2024, 3, 13)];

test('weekday counts from Monday', () => {
  assert.equal(weekday(date(1, 1, 1)), 1);
  assert.equal(weekday(date(2024, 3, 10)), 7);
});

test('weekdayName', () => {
  assert.equal(weekdayName(date(2024, 3, 10)), 'Sunday');
  assert.equal(weekdayName(date(2024, 3, 13)), 'Wednesday');
});

test('isWeekend starts on Saturday', () => {
  const days = [8, 9, 10, 11].map((day) => isWeekend(date(2024, 3, day)));
  assert.deepEqual(days, [false, true, true, false]);
});

test('nextWeekday lies strictly after', () => {
  const friday = date(2024, 3, 8);
  assert.deepEqual(nextWeekday(friday, 6), date(2024, 3, 9));
  assert.deepEqual(nextWeekday(friday, 5), date(2024, 3, 15));
  assert.deepEqual(nextWeekday(friday, 1), date(2024, 3, 11));
});

test('nthWeekday', () => {
  assert.deepEqual(nthWeekday(2024, 3, 5, 1), date(2024, 3, 1));
  assert.deepEqual(nthWeekday(2024, 3, 1, 2), date(2024, 3, 11));
  assert.throws(() => nthWeekday(2024, 3, 1, 5), /no such day: 32/);
});

test('isoWeek belongs to the year of its Thursday', () => {
  assert.deepEqual(isoWeek(date(2024, 12, 30)), { year: 2025, week: 1 });
  assert.deepEqual(isoWeek(date(2021, 1, 3)), { year: 2020, week: 53 });
  assert.deepEqual(isoWeek(date(2026, 1, 1)), { year: 2026, week: 1 });
  assert.deepEqual(isoWeek(date(2027, 1, 7)), { year: 2027, week: 1 });
});

test('daysLeft in the year', () => {
  assert.equal(daysLeft(date(2024, 12, 30)), 1);
  assert.equal(daysLeft(date(2024, 1, 1)), 365);
});

test('isWorkday knows weekends and holidays', () => {
  assert.equal(isWorkday(date(2024, 3, 12), holidays), true);
  assert.equal(isWorkday(date(2024, 3, 11), holidays), false);
  assert.equal(isWorkday(date(2024, 3, 10), []), false);
});

test('workdayFrom may be the date itself', () => {
  assert.deepEqual(workdayFrom(date(2024, 3, 12), []), date(2024, 3, 12));
  assert.deepEqual(workdayFrom(date(2024, 3, 9), holidays), date(2024, 3, 12));
});

test('addWorkdays skips days off', () => {
  const start = date(2024, 3, 8);
  assert.deepEqual(addWorkdays(start, 0, holidays), start);
  assert.deepEqual(addWorkdays(start, 2, holidays), date(2024, 3, 14));
  assert.deepEqual(addWorkdays(date(2024, 3, 4), 2, []), date(2024, 3, 6));
});

test('countWorkdays leaves the last date out', () => {
  const first = date(2024, 3, 8);
  assert.equal(countWorkdays(first, date(2024, 3, 14), holidays), 2);
  assert.equal(countWorkdays(first, first, []), 0);
  assert.equal(countWorkdays(first, date(2024, 3, 16), []), 6);
});

test('padNumber and formatDate add zeros', () => {
  assert.equal(padNumber(7, 3), '007');
  assert.equal(padNumber(1234, 3), '1234');
  assert.equal(formatDate(date(987, 3, 9)), '0987-03-09');
  assert.equal(formatDate(date(2024, 12, 31)), '2024-12-31');
});

test('parseDate reads a date', () => {
  assert.deepEqual(parseDate('2024-03-09'), date(2024, 3, 9));
  assert.throws(() => parseDate('2024-02-30'), /no such day: 30/);
});

test('parseDate refuses other text', () => {
  assert.throws(() => parseDate('2024-3'), /not a date: 2024-3/);
  assert.throws(() => parseDate('2024-3-9-1'), { name: 'SyntaxError' });
  assert.throws(() => parseDate('2024-may-9'), { name: 'SyntaxError' });
});

test('ordinal endings', () => {
  const endings = [1, 2, 3, 4, 10, 21].map(ordinal).join(' ');
  assert.equal(endings, '1st 2nd 3rd 4th 10th 21st');
  const teens = [11, 13, 14, 212, 122].map(ordinal).join(' ');
  assert.equal(teens, '11th 13th 14th 212th 122nd');
});

test('longDate', () => {
  assert.equal(longDate(date(2024, 3, 9)), 'Saturday, March 9th, 2024');
});
