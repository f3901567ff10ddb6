import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { parse } from '../src/parser.js';
import { parseAtom, parseInputs } from '../src/atom.js';
import { Reader } from '../src/reader.js';
import { tokenize } from '../src/tokens.js';
import {
  children, countNodes, namesIn, printTree, treeDepth,
} from '../src/tree.js';
import { dropNeutral, isNumber, simplify } from '../src/simplify.js';

/** Reads one name or number. */
function plain(reader) {
  return parseAtom(reader, plain);
}

describe('parser', () => {
  it('parse makes trees', () => {
    assert.deepEqual(parse('2 * a'), {
      kind: 'pair', sign: '*',
      left: { kind: 'number', value: 2 }, right: { kind: 'name', name: 'a' },
    });
  });
  for (const [text, want] of [
    ['1 + 2 * 3 - 4', '((1 + (2 * 3)) - 4)'],
    ['a % b / c', '((a % b) / c)'],
    ['a + 1 <= b == c', '(((a + 1) <= b) == c)'],
    ['a ? b : c ? 1 : 2', '(a ? b : (c ? 1 : 2))'],
  ]) {
    it('parse groups ' + text, () => {
      assert.equal(printTree(parse(text)), want);
    });
  }
  it('parse binds powers before signs', () => {
    assert.equal(printTree(parse('-2 ^ 2')), '-(2 ^ 2)');
    assert.equal(printTree(parse('2 ^ 3 ^ -a')), '(2 ^ (3 ^ -a))');
  });
  it('parse refuses leftovers', () => {
    assert.throws(() => parse('1 2'), { message: 'unexpected 2' });
    assert.throws(() => parse('(1'), /expected \) but found end/);
    assert.throws(() => parse('a ? 1 2'), /expected : but found 2/);
  });
  it('parseAtom reads brackets and names', () => {
    const reader = new Reader(tokenize('(a) 7 *'));
    assert.deepEqual(parseAtom(reader, plain), { kind: 'name', name: 'a' });
    assert.deepEqual(plain(reader), { kind: 'number', value: 7 });
    assert.throws(() => plain(reader), { message: 'unexpected *' });
  });
  it('parseInputs reads up to the bracket', () => {
    const reader = new Reader(tokenize('1, a) ) 2 3'));
    assert.equal(parseInputs(reader, plain).length, 2);
    assert.deepEqual(parseInputs(reader, plain), []);
    assert.throws(() => parseInputs(reader, plain), /expected \)/);
  });
  it('parseAtom reads calls', () => {
    const tree = plain(new Reader(tokenize('max(1, a)')));
    assert.equal(tree.kind, 'call');
    assert.equal(printTree(tree), 'max(1, a)');
  });
});

describe('tree', () => {
  const tree = parse('-b + max(a, 2, b) ? c : 1');
  it('children', () => {
    assert.deepEqual(children(tree), [tree.test, tree.yes, tree.no]);
    assert.deepEqual(children(tree.yes), []);
    assert.equal(children(tree.test).length, 2);
  });
  it('countNodes and treeDepth', () => {
    assert.equal(countNodes(tree), 10);
    assert.equal(treeDepth(tree), 4);
    assert.equal(treeDepth(parse('7')), 1);
  });
  it('namesIn', () => {
    assert.deepEqual(namesIn(tree), ['a', 'b', 'c']);
  });
  it('printTree', () => {
    assert.equal(printTree(tree), '((-b + max(a, 2, b)) ? c : 1)');
  });
});

describe('simplify', () => {
  it('isNumber', () => {
    assert.equal(isNumber(parse('2'), 2), true);
    assert.equal(isNumber(parse('2'), 1), false);
    assert.equal(isNumber(parse('a'), 2), false);
  });
  it('dropNeutral', () => {
    const texts = ['0 + a', 'a + 0', 'a - 0', '1 * a', 'a * 1'];
    for (const text of texts) {
      assert.deepEqual(dropNeutral(parse(text)), parse('a'));
    }
    assert.deepEqual(dropNeutral(parse('0 * a')), parse('0'));
    assert.deepEqual(dropNeutral(parse('a * 0')), parse('0'));
    const others = ['0 - a', 'a / 1', '1 + a', 'a + 1', 'a - 1', '2 * a'];
    for (const text of others) {
      assert.deepEqual(dropNeutral(parse(text)), parse(text));
    }
  });
  it('simplify computes inside pairs', () => {
    assert.equal(printTree(simplify(parse('(2 * 3) + a'))), '(6 + a)');
    assert.equal(printTree(simplify(parse('a * (3 - 2)'))), 'a');
    assert.equal(printTree(simplify(parse('-(1 + 2)'))), '-(1 + 2)');
  });
});
