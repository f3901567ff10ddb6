import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import {
  contains, encloses, growRange, isEmpty, makeRange, midpoint, rangeSize,
  shiftRange,
} from '../src/range.js';
import {
  compareRanges, distance, overlaps, relation, touches,
} from '../src/relate.js';

const range = makeRange;

describe('range', () => {
  it('makeRange keeps ends in order', () => {
    assert.deepEqual(makeRange(2, 5), { start: 2, end: 5 });
    assert.deepEqual(makeRange(4, 4), { start: 4, end: 4 });
    assert.throws(() => makeRange(5, 3), {
      name: 'RangeError', message: 'start 5 is after end 3',
    });
  });
  it('rangeSize and isEmpty', () => {
    assert.equal(rangeSize(range(3, 8)), 5);
    assert.equal(isEmpty(range(3, 3)), true);
    assert.equal(isEmpty(range(3, 4)), false);
  });
  it('contains the start but not the end', () => {
    const answers = [1, 2, 4, 5].map((n) => contains(range(2, 5), n));
    assert.deepEqual(answers, [false, true, true, false]);
  });
  it('encloses allows equal ends', () => {
    assert.equal(encloses(range(2, 6), range(2, 6)), true);
    assert.equal(encloses(range(2, 6), range(1, 6)), false);
    assert.equal(encloses(range(2, 6), range(2, 7)), false);
  });
  it('midpoint rounds down', () => {
    assert.equal(midpoint(range(2, 8)), 5);
    assert.equal(midpoint(range(2, 7)), 4);
  });
  it('shiftRange moves both ends', () => {
    assert.deepEqual(shiftRange(range(2, 5), 10), range(12, 15));
  });
  it('growRange moves the ends apart', () => {
    assert.deepEqual(growRange(range(4, 9), 2), range(2, 11));
    assert.deepEqual(growRange(range(4, 8), -2), range(6, 6));
    assert.throws(() => growRange(range(4, 7), -2), RangeError);
  });
});

describe('relate', () => {
  it('overlaps needs a shared value', () => {
    assert.equal(overlaps(range(1, 4), range(3, 6)), true);
    assert.equal(overlaps(range(1, 4), range(4, 6)), false);
    assert.equal(overlaps(range(4, 6), range(1, 4)), false);
  });
  it('touches from either side', () => {
    assert.equal(touches(range(1, 4), range(4, 6)), true);
    assert.equal(touches(range(4, 6), range(1, 4)), true);
    assert.equal(touches(range(1, 4), range(3, 6)), false);
  });
  it('distance counts the values between', () => {
    assert.equal(distance(range(1, 3), range(7, 9)), 4);
    assert.equal(distance(range(8, 9), range(1, 3)), 5);
    assert.equal(distance(range(1, 5), range(4, 9)), 0);
  });
  it('compareRanges looks at starts, then ends', () => {
    assert.equal(compareRanges(range(5, 6), range(2, 9)), 3);
    assert.equal(compareRanges(range(2, 3), range(2, 9)), -6);
    assert.equal(compareRanges(range(2, 9), range(2, 9)), 0);
  });
  for (const [start, end, name] of [
    [5, 10, 'before'], [20, 25, 'after'], [9, 19, 'left'],
  ]) {
    it(`relation of ${start}-${end} to 10-20 is ${name}`, () => {
      assert.equal(relation(range(start, end), range(10, 20)), name);
    });
  }
  it('relation allows shared ends', () => {
    const middle = range(10, 20);
    assert.equal(relation(range(10, 20), middle), 'equal');
    assert.equal(relation(range(10, 15), middle), 'inside');
    assert.equal(relation(range(15, 20), middle), 'inside');
    assert.equal(relation(range(9, 20), middle), 'around');
    assert.equal(relation(range(10, 21), middle), 'around');
    assert.equal(relation(range(11, 21), middle), 'right');
  });
});
