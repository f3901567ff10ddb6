import test from 'node:test';
import assert from 'node:assert/strict';
import { makeRange as range } from '../src/range.js';
import {
  boundaries, coveredBy, depthAt, depthProfile, maxDepth,
} from '../src/depth.js';
import {
  chunkRange, clampTo, shareRange, wrapInto,
} from '../src/divide.js';
import {
  formatRange, formatRangeList, parseRange, parseRangeList,
} from '../src/text.js';

const layers = [range(0, 4), range(2, 6), range(3, 5), range(20, 21)];

test('depthAt counts ranges around a value', () => {
  assert.equal(depthAt(layers, 3), 3);
  assert.equal(depthAt(layers, 4), 2);
  assert.equal(depthAt(layers, 6), 0);
});

test('boundaries are sorted and unique', () => {
  assert.deepEqual(boundaries([range(10, 12), range(2, 10)]), [2, 10, 12]);
});

test('maxDepth finds the deepest place', () => {
  assert.equal(maxDepth(layers), 3);
  assert.equal(maxDepth([]), 0);
});

test('depthProfile has steps of constant depth', () => {
  assert.deepEqual(depthProfile([range(0, 4), range(2, 6), range(8, 9)]), [
    { start: 0, end: 2, depth: 1 },
    { start: 2, end: 4, depth: 2 },
    { start: 4, end: 6, depth: 1 },
    { start: 8, end: 9, depth: 1 },
  ]);
});

test('coveredBy merges neighbouring steps', () => {
  assert.deepEqual(coveredBy(layers, 2), [range(2, 5)]);
  assert.deepEqual(coveredBy(layers, 1), [range(0, 6), range(20, 21)]);
});

test('chunkRange may end with a short chunk', () => {
  const chunks = chunkRange(range(1, 8), 3);
  assert.deepEqual(chunks, [range(1, 4), range(4, 7), range(7, 8)]);
  assert.equal(chunkRange(range(0, 6), 3).length, 2);
  assert.throws(() => chunkRange(range(0, 6), 0), {
    name: 'RangeError', message: 'chunk size must be positive',
  });
  assert.equal(chunkRange(range(0, 6), 1).length, 6);
});

test('shareRange gives longer parts first', () => {
  assert.deepEqual(shareRange(range(10, 18), 3), [
    range(10, 13), range(13, 16), range(16, 18),
  ]);
});

test('clampTo finds the nearest value inside', () => {
  const clamped = [1, 3, 5, 6, 9].map((n) => clampTo(range(3, 6), n));
  assert.deepEqual(clamped, [3, 3, 5, 5, 5]);
});

test('wrapInto goes around', () => {
  const wrapped = [9, 10, 12, 13, 14].map((n) => wrapInto(range(10, 13), n));
  assert.deepEqual(wrapped, [12, 10, 12, 10, 11]);
});

test('parseRange reads one or two numbers', () => {
  assert.deepEqual(parseRange(' 4 '), range(4, 5));
  assert.deepEqual(parseRange('3-7'), range(3, 8));
});

for (const bad of ['1-2-3', '2-b']) {
  test(`parseRange refuses ${bad}`, () => {
    assert.throws(() => parseRange(bad), {
      name: 'SyntaxError', message: 'not a range: ' + bad,
    });
  });
}

test('parseRange refuses missing numbers', () => {
  assert.throws(() => parseRange('3-'), SyntaxError);
  assert.throws(() => parseRange('a-2'), SyntaxError);
  assert.throws(() => parseRange('-3'), SyntaxError);
});

test('parseRangeList merges', () => {
  assert.deepEqual(parseRangeList('5-6, 1,2'), [range(1, 3), range(5, 7)]);
  assert.deepEqual(parseRangeList(' '), []);
});

test('formatRange and formatRangeList', () => {
  assert.equal(formatRange(range(4, 5)), '4');
  assert.equal(formatRange(range(4, 6)), '4-5');
  assert.equal(formatRangeList([range(7, 9), range(1, 2)]), '1,7-8');
});
