import test from 'node:test';
import assert from 'node:assert/strict';
import {
  applySign, callFunction, evaluate, evaluateTree,
} from '../src/evaluate.js';
import {
  FUNCTIONS, clamp, factorial, gcd, median, sum,
} from '../src/functions.js';
import { parse } from '../src/parser.js';

test('gcd', () => {
  assert.equal(gcd(12, 18), 6);
  assert.equal(gcd(-7, 0), 7);
  assert.equal(gcd(4, -6), 2);
  assert.equal(gcd(48, 18), 6);
  assert.equal(gcd(9, 4), 1);
});

test('factorial', () => {
  assert.deepEqual([0, 1, 2, 5].map(factorial), [1, 1, 2, 120]);
  assert.throws(() => factorial(-1), {
    name: 'RangeError', message: 'factorial of a negative number',
  });
});

test('sum and median', () => {
  assert.equal(sum(1, 2, 4), 7);
  assert.equal(sum(), 0);
  assert.equal(median(10, 9, 1), 9);
  assert.equal(median(4, 1, 10, 9), 6.5);
});

test('clamp', () => {
  assert.deepEqual([1, 4, 9].map((n) => clamp(n, 3, 6)), [3, 4, 6]);
});

test('FUNCTIONS has the names of formulas', () => {
  const names = Object.keys(FUNCTIONS).sort().join(' ');
  assert.equal(names, 'clamp fact gcd max median sum');
});

test('applySign computes', () => {
  const signs = ['+', '-', '*', '/', '%', '^'];
  const values = signs.map((sign) => applySign(sign, 7, 2));
  assert.deepEqual(values, [9, 5, 14, 3.5, 1, 49]);
});

for (const [sign, want] of [
  ['<', [1, 0, 0]], ['<=', [1, 1, 0]], ['>', [0, 0, 1]], ['>=', [0, 1, 1]],
]) {
  test('applySign compares by ' + sign, () => {
    const values = [1, 2, 3].map((left) => applySign(sign, left, 2));
    assert.deepEqual(values, want);
  });
}

test('applySign tells equal from different', () => {
  assert.deepEqual([1, 2].map((left) => applySign('==', left, 2)), [0, 1]);
  assert.deepEqual([1, 2].map((left) => applySign('!=', left, 2)), [1, 0]);
});

test('applySign refuses division by 0', () => {
  assert.throws(() => applySign('/', 1, 0), /division by zero/);
  assert.throws(() => applySign('%', 1, 0), { name: 'RangeError' });
  assert.equal(applySign('/', 0, 1), 0);
});

test('callFunction checks the inputs', () => {
  assert.equal(callFunction('clamp', [9, 1, 5]), 5);
  assert.equal(callFunction('fact', [4]), 24);
  assert.equal(callFunction('max', [1, 8, 3]), 8);
  assert.throws(() => callFunction('gcd', [4]), {
    name: 'TypeError', message: 'gcd takes 2 inputs',
  });
  assert.throws(() => callFunction('cos', []), /unknown function cos/);
});

test('evaluateTree takes only one part of a choice', () => {
  const tree = parse('a ? 5 : missing');
  assert.equal(evaluateTree(tree, { a: 2 }), 5);
  assert.throws(() => evaluateTree(tree, { a: 0 }), /unknown name missing/);
});

test('evaluate whole formulas', () => {
  assert.equal(evaluate('-2 ^ 2 + 10 / 4'), -1.5);
  assert.equal(evaluate('sum(1, gcd(8, 12)) - a', { a: 1 }), 4);
  assert.equal(evaluate('2 * (price + 1) > 9', { price: 4 }), 1);
});
