import test from 'node:test';
import assert from 'node:assert/strict';
import {
  addMeasures, compareMeasures, measure, parseCompound, parseMeasure,
  scaleMeasure, timesInto,
} from '../src/measure.js';
import {
  groupDigits, roundTo, showFitting, showLong, showShort, showSpan,
} from '../src/show.js';
import {
  applyRate, convertRate, makeRate, parseRate, timeNeeded,
} from '../src/rate.js';

test('measure takes names', () => {
  assert.deepEqual(measure(3, 'metres'), { amount: 3, unit: 'm' });
});

test('parseMeasure', () => {
  assert.deepEqual(parseMeasure('3 kg'), { amount: 3, unit: 'kg' });
  assert.deepEqual(parseMeasure('2.5litres'), { amount: 2.5, unit: 'l' });
});

test('parseMeasure refuses bad text', () => {
  assert.throws(() => parseMeasure('12'), {
    name: 'SyntaxError', message: 'unit missing: 12',
  });
  assert.throws(() => parseMeasure('kg'), /bad number/);
  assert.throws(() => parseMeasure('3 cups'), /unknown unit: cups/);
});

test('parseCompound adds what it reads', () => {
  const sum = parseCompound('1 h 30 min 36 s');
  assert.deepEqual(sum, { amount: 1.51, unit: 'h' });
  assert.deepEqual(parseCompound('4 m'), { amount: 4, unit: 'm' });
  assert.throws(() => parseCompound(' '), {
    name: 'SyntaxError', message: 'nothing to read',
  });
});

test('addMeasures keeps the first unit', () => {
  const sum = addMeasures(measure(2, 'm'), measure(50, 'cm'));
  assert.deepEqual(sum, { amount: 2.5, unit: 'm' });
});

test('compareMeasures', () => {
  assert.equal(compareMeasures(measure(2, 'm'), measure(200, 'cm')), 0);
  assert.equal(compareMeasures(measure(1, 'kg'), measure(2500, 'g')), -1.5);
});

test('scaleMeasure', () => {
  assert.deepEqual(scaleMeasure(measure(4, 'g'), 2.5), measure(10, 'g'));
});

test('timesInto counts whole times', () => {
  assert.equal(timesInto(measure(1, 'm'), measure(30, 'cm')), 3);
  assert.equal(timesInto(measure(3, 'l'), measure(1500, 'ml')), 2);
  assert.equal(timesInto(measure(1, 'm'), measure(30, 's')), 0);
});

test('roundTo', () => {
  assert.equal(roundTo(2.345678, 3), 2.346);
  assert.equal(roundTo(2.5, 0), 3);
  assert.equal(roundTo(-2.5, 0), -3);
  assert.equal(roundTo(0.26, 1), 0.3);
});

for (const [number, want] of [
  [999, '999'], [1234, '1,234'], [-4567890, '-4,567,890'],
]) {
  test('groupDigits of ' + number, () => {
    assert.equal(groupDigits(number), want);
  });
}

test('groupDigits of 0 has no sign', () => {
  assert.equal(groupDigits(0), '0');
});

test('showShort rounds', () => {
  assert.equal(showShort(measure(2.3456, 'km')), '2.35 km');
  assert.equal(showShort(measure(2.3456, 'km'), 1), '2.3 km');
});

test('showLong has plurals', () => {
  assert.equal(showLong(measure(1, 'h')), '1 hour');
  assert.equal(showLong(measure(2, 'h')), '2 hours');
  assert.equal(showLong(measure(0, 'l')), '0 litres');
});

test('showFitting', () => {
  assert.equal(showFitting(measure(1500, 'm')), '1.5 km');
  assert.equal(showFitting(measure(0.5, 't')), '500 kg');
});

test('showSpan leaves out zeros', () => {
  assert.equal(showSpan(93903), '1 d 2 h 5 min 3 s');
  assert.equal(showSpan(3601), '1 h 1 s');
  assert.equal(showSpan(0), '0 s');
});

test('makeRate checks the units', () => {
  assert.deepEqual(makeRate(5, 'l', 'h'), { amount: 5, unit: 'l', per: 'h' });
  assert.throws(() => makeRate(5, 'cup', 'h'), /unknown unit: cup/);
  assert.throws(() => makeRate(5, 'l', 'week'), /unknown unit: week/);
});

test('parseRate', () => {
  assert.deepEqual(parseRate('90 km/h'), makeRate(90, 'km', 'h'));
  for (const text of ['90km/h', '90 km', '1/2 h']) {
    assert.throws(() => parseRate(text), {
      name: 'SyntaxError', message: 'bad rate: ' + text,
    });
  }
  assert.throws(() => parseRate('fast km/h'), /bad number: fast/);
});

test('convertRate', () => {
  const slow = convertRate(makeRate(90, 'km', 'h'), 'm', 's');
  assert.deepEqual(slow, makeRate(25, 'm', 's'));
});

test('applyRate', () => {
  assert.equal(applyRate(makeRate(3, 'km', 'h'), 120, 'min'), 6);
});

test('timeNeeded', () => {
  assert.equal(timeNeeded(makeRate(3, 'km', 'h'), 6000, 'm'), 2);
  assert.equal(timeNeeded(makeRate(1, 'km', 'h'), 6, 'km'), 6);
  assert.throws(() => timeNeeded(makeRate(0, 'km', 'h'), 1, 'm'), {
    name: 'RangeError', message: 'the rate is zero',
  });
});
