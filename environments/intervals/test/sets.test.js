import test from 'node:test';
import assert from 'node:assert/strict';
import { makeRange as range } from '../src/range.js';
import {
  hull, intersect, joinRanges, splitAt, subtract,
} from '../src/combine.js';
import {
  intersectSets, normalize, setContains, subtractSets, totalSize,
} from '../src/set.js';
import { findGaps, findSlot, invert, largestGap } from '../src/gaps.js';

test('intersect gives the common part', () => {
  assert.deepEqual(intersect(range(1, 6), range(4, 9)), range(4, 6));
  assert.deepEqual(intersect(range(4, 9), range(1, 6)), range(4, 6));
  assert.equal(intersect(range(1, 4), range(4, 9)), null);
});

test('hull goes around both', () => {
  assert.deepEqual(hull(range(7, 9), range(1, 3)), range(1, 9));
  assert.deepEqual(hull(range(1, 9), range(2, 3)), range(1, 9));
});

test('joinRanges joins ranges that meet', () => {
  assert.deepEqual(joinRanges(range(1, 4), range(4, 6)), range(1, 6));
  assert.deepEqual(joinRanges(range(1, 5), range(3, 6)), range(1, 6));
  assert.throws(() => joinRanges(range(1, 3), range(4, 6)), {
    message: 'ranges are apart',
  });
});

test('subtract leaves up to two pieces', () => {
  const whole = range(2, 9);
  assert.deepEqual(subtract(whole, range(4, 6)), [range(2, 4), range(6, 9)]);
  assert.deepEqual(subtract(whole, range(2, 6)), [range(6, 9)]);
  assert.deepEqual(subtract(whole, range(4, 9)), [range(2, 4)]);
  assert.deepEqual(subtract(whole, range(1, 10)), []);
  assert.deepEqual(subtract(range(2, 4), range(4, 6)), [range(2, 4)]);
  assert.deepEqual(subtract(range(2, 2), range(4, 6)), []);
});

test('splitAt cuts only strictly inside', () => {
  assert.deepEqual(splitAt(range(1, 5), 2), [range(1, 2), range(2, 5)]);
  assert.deepEqual(splitAt(range(1, 5), 1), [range(1, 5)]);
  assert.deepEqual(splitAt(range(1, 5), 5), [range(1, 5)]);
});

test('normalize sorts and merges', () => {
  assert.deepEqual(
    normalize([range(8, 9), range(1, 3), range(3, 5), range(2, 4)]),
    [range(1, 5), range(8, 9)],
  );
  assert.deepEqual(normalize([range(1, 8), range(2, 3)]), [range(1, 8)]);
  assert.deepEqual(normalize([range(5, 5)]), []);
});

test('normalize leaves its input alone', () => {
  const input = [range(4, 6), range(1, 5)];
  normalize(input);
  assert.deepEqual(input, [range(4, 6), range(1, 5)]);
});

test('totalSize counts covered values once', () => {
  assert.equal(totalSize([range(1, 5), range(3, 8), range(10, 12)]), 9);
});

test('setContains asks every range', () => {
  const ranges = [range(1, 3), range(5, 7)];
  assert.equal(setContains(ranges, 6), true);
  assert.equal(setContains(ranges, 3), false);
});

test('intersectSets keeps what both hold', () => {
  assert.deepEqual(
    intersectSets([range(1, 5), range(8, 12)], [range(3, 9)]),
    [range(3, 5), range(8, 9)],
  );
});

test('subtractSets cuts holes', () => {
  assert.deepEqual(
    subtractSets([range(1, 10)], [range(2, 3), range(5, 7)]),
    [range(1, 2), range(3, 5), range(7, 10)],
  );
});

test('findGaps lists what lies between', () => {
  assert.deepEqual(
    findGaps([range(9, 11), range(1, 3), range(5, 6)]),
    [range(3, 5), range(6, 9)],
  );
});

test('invert gives the free ranges inside limits', () => {
  assert.deepEqual(
    invert([range(2, 4), range(8, 99)], range(0, 10)),
    [range(0, 2), range(4, 8)],
  );
});

test('findSlot takes the first gap that is long enough', () => {
  const busy = [range(2, 4), range(7, 9)];
  assert.deepEqual(findSlot(busy, range(0, 20), 3), range(4, 7));
  assert.deepEqual(findSlot(busy, range(0, 20), 1), range(0, 1));
  assert.equal(findSlot(busy, range(0, 10), 4), null);
});

test('largestGap prefers the earliest of equals', () => {
  const busy = [range(0, 1), range(2, 3), range(6, 7), range(10, 11)];
  assert.deepEqual(largestGap(busy), range(3, 6));
  assert.equal(largestGap([range(0, 1)]), null);
});
