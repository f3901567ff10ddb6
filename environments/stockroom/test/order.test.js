import test from 'node:test';
import assert from 'node:assert/strict';
import {
  applyCoupon, bestCoupon, bundlePrice, oneFreePrice, percentOff,
  volumePercent,
} from '../src/discount.js';
import {
  addLine, cartTotal, changePieces, countPieces, dearestLine,
} from '../src/cart.js';
import {
  missingForFree, packParcels, shippingPrice, weightPrice,
} from '../src/shipping.js';
import { makeChange, receiptLine, receiptLines } from '../src/receipt.js';

const cart = [
  { code: 'tea', price: 300, pieces: 2 },
  { code: 'oil', price: 750, pieces: 1 },
  { code: 'nuts', price: 750, pieces: 3 },
];

test('volumePercent takes the highest step reached', () => {
  const steps = [{ from: 50, percent: 12 }, { from: 10, percent: 5 }];
  const percents = [9, 10, 49, 50].map((n) => volumePercent(n, steps));
  assert.deepEqual(percents, [0, 5, 5, 12]);
});

test('oneFreePrice has one free in each group', () => {
  assert.equal(oneFreePrice(7, 100, 3), 500);
  assert.equal(oneFreePrice(2, 100, 3), 200);
});

test('bundlePrice mixes bundles and single pieces', () => {
  assert.equal(bundlePrice(8, 100, { size: 3, price: 250 }), 700);
});

test('percentOff', () => {
  assert.equal(percentOff(1999, 10), 1799);
});

test('applyCoupon in percent and in cents', () => {
  const tenth = { kind: 'percent', value: 10, minimum: 1000 };
  const fixed = { kind: 'fixed', value: 500, minimum: 0 };
  assert.equal(applyCoupon(1000, tenth), 900);
  assert.equal(applyCoupon(999, tenth), 999);
  assert.equal(applyCoupon(800, fixed), 300);
  assert.equal(applyCoupon(300, fixed), 0);
});

test('bestCoupon leaves the smallest amount', () => {
  const first = { kind: 'fixed', value: 200, minimum: 0 };
  const second = { kind: 'percent', value: 20, minimum: 0 };
  assert.equal(bestCoupon(1000, [first, second]), first);
  assert.equal(bestCoupon(1500, [first, second]), second);
  assert.equal(bestCoupon(1000, [{ ...first, minimum: 2000 }]), null);
});

test('addLine adds a new line', () => {
  assert.deepEqual(addLine([], 'tea', 300), [
    { code: 'tea', price: 300, pieces: 1 },
  ]);
  assert.throws(() => addLine([], 'tea', 0.5), TypeError);
});

test('addLine joins lines of the same code', () => {
  const joined = addLine(cart, 'tea', 280, 4);
  assert.deepEqual(joined[0], { code: 'tea', price: 280, pieces: 6 });
  assert.equal(joined[1], cart[1]);
  assert.equal(cart[0].pieces, 2);
});

test('changePieces sets or removes', () => {
  assert.deepEqual(changePieces(cart, 'oil', 1), cart);
  assert.deepEqual(changePieces(cart, 'oil', 0), [cart[0], cart[2]]);
  assert.equal(changePieces(cart, 'oil', 5)[1].pieces, 5);
});

test('countPieces', () => {
  assert.equal(countPieces(cart), 6);
});

test('cartTotal', () => {
  assert.equal(cartTotal(cart), 3600);
});

test('dearestLine takes the first of equals', () => {
  assert.equal(dearestLine(cart), cart[1]);
  assert.equal(dearestLine([]), null);
});

test('weightPrice has steps', () => {
  const prices = [500, 501, 2000, 2001, 3000, 3001].map(weightPrice);
  assert.deepEqual(prices, [299, 499, 499, 649, 649, 799]);
});

test('shippingPrice', () => {
  assert.equal(shippingPrice(4999, 400, false), 299);
  assert.equal(shippingPrice(5000, 400, false), 0);
  assert.equal(shippingPrice(9000, 400, true), 598);
});

test('missingForFree', () => {
  assert.equal(missingForFree(4200), 800);
  assert.equal(missingForFree(6000), 0);
});

test('packParcels fills in order', () => {
  assert.deepEqual(packParcels([3, 4, 2, 7, 1], 7), [[3, 4], [2], [7], [1]]);
  assert.throws(() => packParcels([8], 7), /too heavy: 8/);
});

test('receiptLine fills with dots', () => {
  assert.equal(receiptLine('tea', 300, 12), 'tea....$3.00');
  assert.equal(receiptLine('long label', 300, 8), 'long label.$3.00');
});

test('receiptLines ends with the total', () => {
  assert.deepEqual(receiptLines(cart.slice(0, 2), 16), [
    '2 x tea....$6.00',
    '1 x oil....$7.50',
    '================',
    'total.....$13.50',
  ]);
});

test('makeChange uses the largest values first', () => {
  assert.deepEqual(makeChange(90, [50, 20, 10]), [50, 20, 20]);
  assert.throws(() => makeChange(31, [20, 10]), /cannot pay 1/);
});
