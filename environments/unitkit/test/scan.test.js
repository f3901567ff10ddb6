import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import {
  scanFraction, scanNumber, splitMeasure, splitParts,
} from '../src/scan.js';
import {
  changeScale, describeWarmth, toCelsius, toFahrenheit, toKelvin,
} from '../src/temperature.js';

describe('scan', () => {
  it('splitMeasure', () => {
    assert.deepEqual(splitMeasure(' 12.5 km '), ['12.5', 'km']);
    assert.deepEqual(splitMeasure('-3t'), ['-3', 't']);
    assert.deepEqual(splitMeasure('40'), ['40', '']);
    assert.deepEqual(splitMeasure('kg'), ['', 'kg']);
  });
  it('scanNumber', () => {
    assert.equal(scanNumber('-2.5'), -2.5);
    assert.throws(() => scanNumber('1.2.3'), {
      name: 'SyntaxError', message: 'bad number: 1.2.3',
    });
    assert.throws(() => scanNumber(''), /bad number: /);
  });
  it('scanFraction', () => {
    assert.equal(scanFraction('3/4'), 0.75);
    assert.equal(scanFraction('12'), 12);
    assert.throws(() => scanFraction('3/0'), {
      name: 'RangeError', message: 'fraction over zero',
    });
    assert.equal(scanFraction('3/1'), 3);
    assert.throws(() => scanFraction('/4'), { message: 'bad number: ' });
  });
  it('splitParts cuts before numbers', () => {
    assert.deepEqual(splitParts('1 h30min 5 s'), ['1 h', '30min', '5 s']);
    assert.deepEqual(splitParts('2 kg'), ['2 kg']);
    assert.deepEqual(splitParts('1 2 m -3 s'), ['1 2 m', '-3 s']);
    assert.deepEqual(splitParts('  '), []);
  });
});

describe('temperature', () => {
  for (const [celsius, fahrenheit] of [[0, 32], [100, 212], [-40, -40]]) {
    it(`toFahrenheit and toCelsius at ${celsius}`, () => {
      assert.equal(toFahrenheit(celsius), fahrenheit);
      assert.equal(toCelsius(fahrenheit), celsius);
    });
  }
  it('toKelvin', () => {
    assert.equal(toKelvin(20), 293);
    assert.equal(toKelvin(-273), 0);
    assert.throws(() => toKelvin(-274), {
      name: 'RangeError', message: 'too cold',
    });
  });
  it('changeScale goes through Celsius', () => {
    assert.equal(changeScale(50, 'F', 'C'), 10);
    assert.equal(changeScale(50, 'F', 'K'), 283);
    assert.equal(changeScale(283, 'K', 'F'), 50);
    assert.equal(changeScale(7, 'C', 'C'), 7);
  });
  it('describeWarmth', () => {
    const words = [0, 1, 14, 15, 24, 25].map(describeWarmth).join(' ');
    assert.equal(words, 'freezing cool cool mild mild hot');
  });
});
