import test from 'node:test';
import assert from 'node:assert/strict';
import {
  isDigit, isNamePart, isNameStart, scanWhile,
} from '../src/letters.js';
import {
  numberEnd, signAt, tokenAt, tokenize,
} from '../src/tokens.js';
import { Reader } from '../src/reader.js';

/** The characters of a text for which a test holds. */
function keep(text, holds) {
  return [...text].filter(holds).join('');
}

test('isDigit and isNamePart', () => {
  assert.equal(keep('a_1-.', isNamePart), 'a_1');
  assert.equal(keep('/0159:a', isDigit), '0159');
});

test('isNameStart', () => {
  assert.equal(keep('@AaZz{_`1', isNameStart), 'AaZz_');
});

test('scanWhile stops where the test fails', () => {
  assert.equal(scanWhile('ab12c3', 2, isDigit), 4);
  assert.equal(scanWhile('ab12', 2, isDigit), 4);
  assert.equal(scanWhile('ab12', 0, isDigit), 0);
});

test('signAt takes the longest sign', () => {
  assert.equal(signAt('a<=b', 1), '<=');
  assert.equal(signAt('a<b', 1), '<');
  assert.equal(signAt('a', 0), null);
});

test('numberEnd with and without a dot', () => {
  assert.equal(numberEnd('x 123+', 2), 5);
  assert.equal(numberEnd('1.25', 0), 4);
  assert.throws(() => numberEnd('1.', 0), {
    name: 'SyntaxError', message: 'digit missing at 2',
  });
});

for (const [text, kind, part] of [
  ['+12.5*', 'number', '12.5'], ['+a_1(', 'name', 'a_1'],
  ['+>=2', 'sign', '>='],
]) {
  test(`tokenAt reads a ${kind}`, () => {
    assert.deepEqual(tokenAt(text, 1), { kind, text: part, start: 1 });
  });
}

test('tokenAt refuses other characters', () => {
  assert.throws(() => tokenAt('1 + $', 4), {
    name: 'SyntaxError', message: 'unexpected $ at 4',
  });
});

test('tokenize drops spaces', () => {
  const tokens = tokenize('  ab*( 3 ) ');
  assert.deepEqual(tokens.map((token) => token.text), [
    'ab', '*', '(', '3', ')',
  ]);
  assert.deepEqual(tokens.map((token) => token.start), [2, 4, 5, 7, 9]);
});

test('Reader peek and next', () => {
  const reader = new Reader(tokenize('a +'));
  assert.equal(reader.peek(), 'a');
  assert.equal(reader.next().text, 'a');
  assert.equal(reader.atEnd(), false);
  assert.equal(reader.next().text, '+');
  assert.equal(reader.atEnd(), true);
  assert.equal(reader.peek(), '');
  assert.throws(() => reader.next(), { message: 'unexpected end' });
});

test('Reader accept', () => {
  const reader = new Reader(tokenize('a +'));
  assert.equal(reader.accept('+', '-'), null);
  assert.equal(reader.accept('-', 'a'), 'a');
  assert.equal(reader.accept('+'), '+');
  assert.equal(reader.accept(''), null);
});

test('Reader expect', () => {
  const reader = new Reader(tokenize('( +'));
  assert.equal(reader.expect('(').start, 0);
  assert.throws(() => reader.expect(')'), /expected \) but found \+/);
  reader.next();
  assert.throws(() => reader.expect(')'), /expected \) but found end/);
});
