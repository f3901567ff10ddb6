import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import {
  alignCenter, alignLeft, alignRight, alignText, shorten,
} from '../src/align.js';

describe('alignRight', () => {
  it('adds on the left', () => {
    assert.equal(alignRight('7', 3), '  7');
    assert.equal(alignRight('7', 3, '0'), '007');
    assert.equal(alignRight('seven', 3), 'seven');
  });
});

describe('alignLeft', () => {
  it('adds on the right', () => {
    assert.equal(alignLeft('ab', 5, '.'), 'ab...');
    assert.equal(alignLeft('ab', 3), 'ab ');
  });
});

describe('alignCenter', () => {
  it('gives both sides the same', () => {
    assert.equal(alignCenter('ab', 6), '  ab  ');
    assert.equal(alignCenter('abc', 2), 'abc');
  });
  it('gives the right side the odd one', () => {
    assert.equal(alignCenter('ab', 5, '*'), '*ab**');
  });
});

describe('alignText', () => {
  for (const [side, want] of [['left', 'x   '], ['right', '   x']]) {
    it('aligns to ' + side, () => {
      assert.equal(alignText('x', 4, side), want);
    });
  }
  it('knows the center and no other side', () => {
    assert.equal(alignText('x', 4, 'center'), ' x  ');
    assert.throws(() => alignText('x', 4, 'top'), /unknown side: top/);
  });
});

describe('shorten', () => {
  it('keeps text that fits', () => {
    assert.equal(shorten('abcdef', 6), 'abcdef');
  });
  it('ends cut text with dots', () => {
    assert.equal(shorten('abcdefgh', 6), 'abc...');
    assert.equal(shorten('abcdefgh', 4), 'a...');
  });
  it('has only dots when narrow', () => {
    assert.equal(shorten('abcdef', 3), '...');
    assert.equal(shorten('abcdef', 2), '..');
  });
});
