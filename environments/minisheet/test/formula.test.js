import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import {
  contentKind, onlyNumbers, plainValue, showValue,
} from '../src/content.js';
import {
  addUp, countFrom, meanOf, spreadOf, summarize,
} from '../src/summary.js';
import {
  areBalanced, cutOutside, formulaBody, readCall,
} from '../src/pieces.js';
import {
  computeDifference, computeFactor, computeFormula, computeProduct,
  computeSum,
} from '../src/compute.js';

const values = { A1: 5, A2: 7, B1: 'x', B2: 10 };
const look = (name) => values[name];
const mixed = [4, 'text', 10, 1];

describe('content', () => {
  it('contentKind', () => {
    const kinds = ['', '=A1', '2.5', 'two'].map(contentKind);
    assert.deepEqual(kinds, ['empty', 'formula', 'number', 'text']);
  });
  it('plainValue', () => {
    assert.deepEqual(['', '2.5', 'two'].map(plainValue), [0, 2.5, 'two']);
  });
  it('onlyNumbers', () => {
    assert.deepEqual(onlyNumbers(mixed), [4, 10, 1]);
  });
  it('showValue writes all places', () => {
    assert.equal(showValue(2.5, 2), '2.50');
    assert.equal(showValue(-0.05, 2), '-0.05');
    assert.equal(showValue(0, 1), '0.0');
    assert.equal(showValue(123.456, 1), '123.5');
    assert.equal(showValue(2.5), '3');
    assert.equal(showValue(-7), '-7');
    assert.equal(showValue('two'), 'two');
  });
});

describe('summary', () => {
  it('addUp and meanOf', () => {
    assert.equal(addUp(mixed), 15);
    assert.equal(meanOf(mixed), 5);
    assert.throws(() => meanOf(['text']), { message: 'no numbers' });
  });
  it('spreadOf', () => {
    assert.equal(spreadOf(mixed), 9);
    assert.equal(spreadOf(['text']), 0);
  });
  it('countFrom includes the limit', () => {
    assert.equal(countFrom(mixed, 4), 2);
    assert.equal(countFrom(mixed, 5), 1);
  });
  it('summarize by name', () => {
    const names = ['SUM', 'AVG', 'SPREAD', 'COUNT'];
    const results = names.map((name) => summarize(name, mixed));
    assert.deepEqual(results, [15, 5, 9, 3]);
    assert.throws(() => summarize('MODE', mixed), /no summary MODE/);
  });
});

describe('pieces', () => {
  it('cutOutside leaves brackets whole', () => {
    assert.deepEqual(cutOutside('a+(b+c)+d', '+'), ['a', '(b+c)', 'd']);
    assert.deepEqual(cutOutside('-a', '-'), ['', 'a']);
    assert.deepEqual(cutOutside('(a+(b)+c)', '+'), ['(a+(b)+c)']);
  });
  it('areBalanced', () => {
    const answers = ['(a)(b)', '((a)', 'a)(', ''].map(areBalanced);
    assert.deepEqual(answers, [true, false, false, true]);
  });
  it('readCall needs a name', () => {
    assert.deepEqual(readCall('SUM(A1:A3)'), { name: 'SUM', inside: 'A1:A3' });
    assert.deepEqual(readCall('F(1)'), { name: 'F', inside: '1' });
    assert.equal(readCall('(A1)'), null);
    assert.equal(readCall('A1'), null);
    assert.equal(readCall('SUM(A1'), null);
  });
  it('formulaBody drops spaces', () => {
    assert.equal(formulaBody('= A1 + 2'), 'A1+2');
  });
});

describe('compute', () => {
  it('computeSum', () => {
    assert.equal(computeSum('A1+2*A2+1', look), 20);
  });
  it('computeDifference', () => {
    assert.equal(computeDifference('20-A1-2*A2', look), 1);
    assert.equal(computeDifference('-3', look), -3);
  });
  it('computeProduct', () => {
    assert.equal(computeProduct('A1*3*2', look), 30);
  });
  it('computeFactor', () => {
    assert.equal(computeFactor('2.5', look), 2.5);
    assert.equal(computeFactor('(A1+1)', look), 6);
    assert.equal(computeFactor('SUM(A1:B2)', look), 22);
    assert.equal(computeFactor('A2', look), 7);
    assert.throws(() => computeFactor('', look), /something is missing/);
  });
  for (const [typed, want] of [
    ['=1-2+3', 2], ['= 2 * (A1 - 3) - A2', -3], ['=COUNT(A1:B2)*10', 30],
  ]) {
    it('computeFormula ' + typed, () => {
      assert.equal(computeFormula(typed, look), want);
    });
  }
  it('computeFormula checks brackets', () => {
    assert.throws(() => computeFormula('=(1', look), {
      message: 'brackets do not match',
    });
  });
});
