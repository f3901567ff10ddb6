import test from 'node:test';
import assert from 'node:assert/strict';
import {
  centuryOf, daysBeforeYear, isLeapYear, leapYearsUntil, yearLength,
} from '../src/year.js';
import {
  daysBeforeMonth, monthLength, quarterOf, seasonOf,
} from '../src/month.js';

for (const [year, want] of [[2024, true], [1900, false]]) {
  test(`isLeapYear of ${year}`, () => {
    assert.equal(isLeapYear(year), want);
  });
}

test('isLeapYear of other years', () => {
  assert.equal(isLeapYear(2023), false);
  assert.equal(isLeapYear(2000), true);
});

test('yearLength', () => {
  assert.equal(yearLength(2023), 365);
  assert.equal(yearLength(2024), 366);
});

test('leapYearsUntil includes the year itself', () => {
  const counts = [3, 4, 99, 100, 400].map(leapYearsUntil);
  assert.deepEqual(counts, [0, 1, 24, 24, 97]);
});

test('daysBeforeYear', () => {
  assert.equal(daysBeforeYear(1), 0);
  assert.equal(daysBeforeYear(5), 1461);
  assert.equal(daysBeforeYear(2001), 730485);
});

test('centuryOf starts with year 1', () => {
  const centuries = [1, 100, 101, 2000, 2001].map(centuryOf);
  assert.deepEqual(centuries, [1, 1, 2, 20, 21]);
});

test('monthLength of every month', () => {
  const lengths = [];
  for (let month = 1; month <= 12; month++) {
    lengths.push(monthLength(2023, month));
  }
  const want = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  assert.deepEqual(lengths, want);
  assert.equal(monthLength(2024, 2), 29);
});

test('monthLength refuses other months', () => {
  assert.throws(() => monthLength(2024, 0), /no such month: 0/);
  assert.throws(() => monthLength(2024, 13), { name: 'RangeError' });
});

test('daysBeforeMonth', () => {
  assert.equal(daysBeforeMonth(2024, 1), 0);
  assert.equal(daysBeforeMonth(2023, 3), 59);
  assert.equal(daysBeforeMonth(2024, 3), 60);
});

test('quarterOf', () => {
  assert.deepEqual([1, 3, 4, 9, 10, 12].map(quarterOf), [1, 1, 2, 3, 4, 4]);
});

test('seasonOf', () => {
  assert.deepEqual([12, 2].map(seasonOf), ['winter', 'winter']);
  assert.deepEqual([3, 5].map(seasonOf), ['spring', 'spring']);
  assert.deepEqual([6, 8].map(seasonOf), ['summer', 'summer']);
  assert.deepEqual([9, 11].map(seasonOf), ['autumn', 'autumn']);
});
