import test from 'node:test';
import assert from 'node:assert/strict';
import {
  countFilled, expandTabs, longestLine, nextStop, splitLines,
} from '../src/measure.js';

test('splitLines keeps a last empty line', () => {
  assert.deepEqual(splitLines(''), []);
  assert.deepEqual(splitLines('one\ntwo\n'), ['one', 'two', '']);
});

test('longestLine finds the longest', () => {
  assert.equal(longestLine(['ab', 'abcd', 'abc']), 4);
  assert.equal(longestLine([]), 0);
});

test('nextStop moves past the column', () => {
  assert.equal(nextStop(0, 4), 4);
  assert.equal(nextStop(3, 4), 4);
  assert.equal(nextStop(4, 4), 8);
});

test('expandTabs moves to the next stop', () => {
  assert.equal(expandTabs('a\tb', 4), 'a   b');
  assert.equal(expandTabs('abcd\te', 4), 'abcd    e');
  assert.equal(expandTabs('a\tb\tc', 1), 'a b c');
  assert.throws(() => expandTabs('a', 0), {
    name: 'RangeError', message: 'tab size must be at least 1',
  });
});

test('countFilled skips blank lines', () => {
  assert.equal(countFilled(['a', '', ' b', 'c']), 3);
});
