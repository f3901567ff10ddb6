import test from 'node:test';
import assert from 'node:assert/strict';
import {
  breakWord, fitsOnLine, splitWords, wrapParagraphs, wrapText,
} from '../src/wrap.js';
import {
  justifyLine, justifyText, spreadSpaces, totalLetters,
} from '../src/justify.js';

test('splitWords ignores runs of spaces', () => {
  assert.deepEqual(splitWords('  a  bc d '), ['a', 'bc', 'd']);
});

test('breakWord cuts into pieces', () => {
  assert.deepEqual(breakWord('abcdefg', 3), ['abc', 'def', 'g']);
  assert.deepEqual(breakWord('abc', 3), ['abc']);
  assert.deepEqual(breakWord('ab', 1), ['a', 'b']);
  assert.throws(() => breakWord('abc', 0), {
    name: 'RangeError', message: 'width must be at least 1',
  });
});

test('fitsOnLine counts the space between', () => {
  assert.equal(fitsOnLine('ab', 'cd', 5), true);
  assert.equal(fitsOnLine('ab', 'cd', 4), false);
  assert.equal(fitsOnLine('', 'abcd', 4), true);
  assert.equal(fitsOnLine('', 'abcde', 4), false);
});

test('wrapText fills lines greedily', () => {
  assert.deepEqual(wrapText('the frog sat on a log', 8), [
    'the frog', 'sat on a', 'log',
  ]);
});

test('wrapText breaks long words', () => {
  assert.deepEqual(wrapText('a watermelon b', 5), [
    'a', 'water', 'melon', 'b',
  ]);
  assert.deepEqual(wrapText('   ', 5), []);
});

test('wrapParagraphs keeps empty lines', () => {
  assert.deepEqual(wrapParagraphs('one two\n\nthree', 4), [
    'one', 'two', '', 'thre', 'e',
  ]);
});

test('totalLetters sums word lengths', () => {
  assert.equal(totalLetters(['ab', 'c', 'def']), 6);
});

test('spreadSpaces gives the first gaps the rest', () => {
  assert.deepEqual(spreadSpaces(6, 3), [2, 2, 2]);
  assert.deepEqual(spreadSpaces(8, 3), [3, 3, 2]);
  assert.deepEqual(spreadSpaces(4, 0), []);
});

test('justifyLine stretches the gaps', () => {
  assert.equal(justifyLine('a bc d', 9), 'a   bc  d');
  assert.equal(justifyLine('ab cd', 6), 'ab  cd');
});

test('justifyLine leaves short and full lines alone', () => {
  assert.equal(justifyLine('word', 9), 'word');
  assert.equal(justifyLine('  word', 9), '  word');
  assert.equal(justifyLine(' a b', 4), ' a b');
  assert.equal(justifyLine('ab   cd', 6), 'ab   cd');
});

test('justifyText keeps the last line ragged', () => {
  assert.deepEqual(justifyText('aa bb cc dd ee f', 7), [
    'aa   bb', 'cc   dd', 'ee f',
  ]);
});
