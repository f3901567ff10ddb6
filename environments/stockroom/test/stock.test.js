import { beforeEach, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { Stock } from '../src/stock.js';
import {
  averageSales, daysOfStock, isUrgent, lowCodes, orderSize,
} from '../src/reorder.js';

describe('Stock', () => {
  let stock;
  beforeEach(() => {
    stock = new Stock();
    stock.receive('tea', 5);
  });
  it('count is 0 for unknown codes', () => {
    assert.equal(stock.count('salt'), 0);
    assert.equal(stock.count('tea'), 5);
  });
  it('receive adds to the count', () => {
    assert.equal(stock.receive('tea', 1), 6);
    assert.throws(() => stock.receive('tea', 0), {
      name: 'RangeError', message: 'nothing to receive',
    });
  });
  it('remove returns what is left', () => {
    assert.equal(stock.remove('tea', 3), 2);
    assert.equal(stock.remove('tea', 2), 0);
  });
  it('remove fails without change', () => {
    assert.throws(() => stock.remove('tea', 6), { message: 'only 5 of tea' });
    assert.equal(stock.count('tea'), 5);
  });
  it('takeUpTo takes what there is', () => {
    assert.equal(stock.takeUpTo('tea', 2), 2);
    assert.equal(stock.takeUpTo('tea', 9), 3);
    assert.equal(stock.count('tea'), 0);
  });
  it('codes lists what is there', () => {
    stock.receive('oil', 1);
    stock.receive('rice', 2);
    stock.remove('rice', 2);
    assert.deepEqual(stock.codes(), ['oil', 'tea']);
  });
});

describe('reorder', () => {
  it('lowCodes are below the minimum', () => {
    const stock = new Stock();
    stock.receive('tea', 5);
    stock.receive('oil', 2);
    const low = lowCodes(stock, { tea: 5, oil: 3, salt: 1 });
    assert.deepEqual(low, ['oil', 'salt']);
  });
  for (const [count, target, want] of [[3, 10, 12], [4, 10, 6], [9, 9, 0]]) {
    it(`orderSize from ${count} to ${target}`, () => {
      assert.equal(orderSize(count, target, 6), want);
    });
  }
  it('orderSize is never negative', () => {
    assert.equal(orderSize(20, 5, 6), 0);
    assert.equal(orderSize(9, 10, 6), 6);
  });
  it('daysOfStock rounds down', () => {
    assert.equal(daysOfStock(17, 5), 3);
    assert.equal(daysOfStock(3, 1), 3);
    assert.equal(daysOfStock(17, 0), null);
  });
  it('averageSales rounds down', () => {
    assert.equal(averageSales([3, 4, 6, 2]), 3);
    assert.equal(averageSales([7]), 7);
    assert.equal(averageSales([]), 0);
  });
  it('isUrgent compares with the delivery', () => {
    assert.equal(isUrgent(10, 5, 3), true);
    assert.equal(isUrgent(15, 5, 3), false);
    assert.equal(isUrgent(0, 0, 3), false);
  });
});
