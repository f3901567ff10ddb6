import test from 'node:test';
import assert from 'node:assert/strict';
import {
  UNITS, areComparable, baseUnit, lookUpUnit, unitsOfKind,
} from '../src/units.js';
import {
  breakDown, convert, fittingUnit, isWholeIn,
} from '../src/convert.js';

test('UNITS has the documented factors', () => {
  const factors = UNITS.map((unit) => unit.symbol + unit.factor).join(' ');
  assert.equal(factors, 'mm1 cm10 m1000 km1000000 g1 kg1000 t1000000 '
    + 's1 min60 h3600 d86400 ml1 l1000');
});

test('lookUpUnit knows symbols, names and plurals', () => {
  const words = ['km', 'kilometre', 'kilometres'];
  for (const word of words) assert.equal(lookUpUnit(word).symbol, 'km');
  assert.equal(lookUpUnit('hours').kind, 'time');
  assert.throws(() => lookUpUnit('mile'), { message: 'unknown unit: mile' });
});

test('unitsOfKind is sorted by size', () => {
  const symbols = unitsOfKind('mass').map((unit) => unit.symbol);
  assert.deepEqual(symbols, ['g', 'kg', 't']);
  assert.deepEqual(unitsOfKind('colour'), []);
});

test('areComparable', () => {
  assert.equal(areComparable('mm', 'kilometres'), true);
  assert.equal(areComparable('mm', 'ml'), false);
});

test('baseUnit', () => {
  const bases = ['km', 'kg', 'd', 'litre'].map(baseUnit);
  assert.deepEqual(bases, ['mm', 'g', 's', 'ml']);
});

for (const [amount, from, into, want] of [
  [2.5, 'km', 'm', 2500], [90, 'min', 'h', 1.5], [36, 'h', 'days', 1.5],
]) {
  test(`convert ${amount} ${from} into ${into}`, () => {
    assert.equal(convert(amount, from, into), want);
  });
}

test('convert refuses other kinds', () => {
  assert.throws(() => convert(1, 'kg', 'm'), {
    name: 'TypeError', message: 'cannot convert kg into m',
  });
});

test('isWholeIn', () => {
  assert.equal(isWholeIn(120, 'min', 'h'), true);
  assert.equal(isWholeIn(90, 'min', 'h'), false);
});

test('fittingUnit is the largest with at least 1', () => {
  assert.equal(fittingUnit(1000, 'mm'), 'm');
  assert.equal(fittingUnit(999, 'mm'), 'cm');
  assert.equal(fittingUnit(-5000, 'g'), 'kg');
  assert.equal(fittingUnit(0, 'kg'), 'g');
});

test('breakDown gives whole parts', () => {
  assert.deepEqual(breakDown(3725, 's', ['h', 'min', 's']), [
    { amount: 1, unit: 'h' }, { amount: 2, unit: 'min' },
    { amount: 5, unit: 's' },
  ]);
  assert.deepEqual(breakDown(2.75, 'm', ['m', 'cm']), [
    { amount: 2, unit: 'm' }, { amount: 75, unit: 'cm' },
  ]);
});
