import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import {
  dateInYear, dayOfYear, fromDayNumber, makeDate, toDayNumber,
} from '../src/date.js';
import {
  addDays, addMonths, addYears, endOfMonth, startOfMonth,
} from '../src/shift.js';
import {
  ageOn, daysBetween, earliest, isBefore, sameDay,
} from '../src/compare.js';

const date = makeDate;

describe('date', () => {
  it('makeDate checks year and day', () => {
    assert.deepEqual(date(1, 1, 31), { year: 1, month: 1, day: 31 });
    assert.throws(() => date(0, 1, 1), /year must be at least 1/);
    assert.throws(() => date(2023, 2, 29), /no such day: 29/);
    assert.throws(() => date(2023, 2, 0), { name: 'RangeError' });
  });
  it('dayOfYear counts from 1', () => {
    assert.equal(dayOfYear(date(2024, 1, 1)), 1);
    assert.equal(dayOfYear(date(2024, 12, 31)), 366);
  });
  it('toDayNumber starts in year 1', () => {
    assert.equal(toDayNumber(date(1, 1, 1)), 1);
    assert.equal(toDayNumber(date(2000, 3, 1)), 730180);
  });
  it('dateInYear finds month ends', () => {
    assert.deepEqual(dateInYear(2023, 31), date(2023, 1, 31));
    assert.deepEqual(dateInYear(2023, 32), date(2023, 2, 1));
    assert.deepEqual(dateInYear(2024, 366), date(2024, 12, 31));
  });
  it('fromDayNumber inverts toDayNumber', () => {
    assert.deepEqual(fromDayNumber(730180), date(2000, 3, 1));
    assert.deepEqual(fromDayNumber(1461), date(4, 12, 31));
    assert.deepEqual(fromDayNumber(1462), date(5, 1, 1));
  });
});

describe('shift', () => {
  it('addDays crosses months and years', () => {
    assert.deepEqual(addDays(date(2024, 2, 28), 2), date(2024, 3, 1));
    assert.deepEqual(addDays(date(2024, 1, 1), -1), date(2023, 12, 31));
  });
  it('addMonths goes around the year', () => {
    assert.deepEqual(addMonths(date(2023, 11, 5), 2), date(2024, 1, 5));
    assert.deepEqual(addMonths(date(2023, 1, 5), -1), date(2022, 12, 5));
    assert.deepEqual(addMonths(date(2023, 6, 5), 6), date(2023, 12, 5));
  });
  it('addMonths shortens the day', () => {
    assert.deepEqual(addMonths(date(2024, 1, 31), 1), date(2024, 2, 29));
  });
  it('addYears may lose a leap day', () => {
    assert.deepEqual(addYears(date(2024, 2, 29), 1), date(2025, 2, 28));
    assert.deepEqual(addYears(date(2024, 2, 29), 4), date(2028, 2, 29));
  });
  it('startOfMonth and endOfMonth', () => {
    assert.deepEqual(startOfMonth(date(2024, 4, 9)), date(2024, 4, 1));
    assert.deepEqual(endOfMonth(date(2024, 4, 9)), date(2024, 4, 30));
  });
});

describe('compare', () => {
  it('daysBetween has a sign', () => {
    assert.equal(daysBetween(date(2024, 2, 1), date(2024, 3, 1)), 29);
    assert.equal(daysBetween(date(2024, 3, 1), date(2024, 2, 1)), -29);
  });
  it('isBefore is strict', () => {
    assert.equal(isBefore(date(2024, 1, 1), date(2024, 1, 2)), true);
    assert.equal(isBefore(date(2024, 1, 1), date(2024, 1, 1)), false);
    assert.equal(isBefore(date(2024, 1, 2), date(2024, 1, 1)), false);
  });
  it('sameDay', () => {
    assert.equal(sameDay(date(2024, 5, 6), date(2024, 5, 6)), true);
    assert.equal(sameDay(date(2024, 5, 6), date(2024, 5, 5)), false);
  });
  it('earliest of some dates', () => {
    const days = [date(2024, 2, 1), date(2023, 9, 9), date(2023, 10, 1)];
    assert.deepEqual(earliest(days), date(2023, 9, 9));
    assert.equal(earliest([]), null);
  });
  for (const [month, day, age] of [[5, 9, 19], [5, 10, 20]]) {
    it(`ageOn month ${month} day ${day} is ${age}`, () => {
      assert.equal(ageOn(date(2004, 5, 10), date(2024, month, day)), age);
    });
  }
  it('ageOn in another month ignores the day', () => {
    assert.equal(ageOn(date(2004, 5, 10), date(2024, 4, 30)), 19);
    assert.equal(ageOn(date(2004, 5, 10), date(2024, 6, 1)), 20);
  });
});
