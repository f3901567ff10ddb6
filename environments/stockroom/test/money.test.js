import test from 'node:test';
import assert from 'node:assert/strict';
import {
  charmPrice, checkCents, formatCents, percentOf, shareCents,
} from '../src/money.js';
import {
  addTax, taxByKind, taxRate, withoutTax,
} from '../src/tax.js';

test('checkCents wants whole numbers', () => {
  assert.equal(checkCents(120), 120);
  assert.throws(() => checkCents(1.5), {
    name: 'TypeError', message: 'not a whole number of cents: 1.5',
  });
});

test('percentOf rounds half up', () => {
  assert.equal(percentOf(250, 10), 25);
  assert.equal(percentOf(250, 7), 18);
  assert.equal(percentOf(249, 1), 2);
  assert.equal(percentOf(149, 1), 1);
});

test('shareCents gives odd cents to the first', () => {
  assert.deepEqual(shareCents(10, 3), [4, 3, 3]);
  assert.deepEqual(shareCents(11, 3), [4, 4, 3]);
  assert.deepEqual(shareCents(9, 3), [3, 3, 3]);
});

for (const [cents, want] of [
  [9905, '$99.05'], [10, '$0.10'], [-50, '-$0.50'], [9, '$0.09'],
]) {
  test(`formatCents of ${cents}`, () => {
    assert.equal(formatCents(cents), want);
  });
}

test('charmPrice ends in 99', () => {
  assert.equal(charmPrice(1200), 1299);
  assert.equal(charmPrice(1298), 1299);
  assert.equal(charmPrice(1299), 1299);
});

test('taxRate by kind', () => {
  const rates = ['food', 'book', 'toy'].map(taxRate);
  assert.deepEqual(rates, [5, 7, 20]);
});

test('addTax', () => {
  assert.equal(addTax(1000, 'food'), 1050);
  assert.equal(addTax(999, 'book'), 1069);
});

test('withoutTax takes the tax out', () => {
  assert.equal(withoutTax(1200, 'toy'), 1000);
  assert.equal(withoutTax(1071, 'book'), 1000);
  assert.equal(withoutTax(1000, 'food'), 952);
});

test('taxByKind sums the lines', () => {
  const lines = [
    { net: 1000, kind: 'food' },
    { net: 300, kind: 'book' },
    { net: 500, kind: 'food' },
  ];
  assert.deepEqual(taxByKind(lines), { food: 75, book: 21 });
});
