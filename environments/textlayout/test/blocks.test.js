import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import {
  commonIndent, dedentLines, indentLines, leadingSpaces,
} from '../src/indent.js';
import {
  columnWidths, formatRow, formatTable, ruleLine,
} from '../src/table.js';
import {
  bulletList, numberedList, toLetters, toRoman,
} from '../src/list.js';
import { banner, drawBox, sideBySide } from '../src/box.js';

describe('indent', () => {
  it('leadingSpaces counts the start only', () => {
    assert.equal(leadingSpaces('  a b '), 2);
    assert.equal(leadingSpaces('   '), 3);
    assert.equal(leadingSpaces('a'), 0);
  });
  it('indentLines keeps empty lines empty', () => {
    assert.deepEqual(indentLines(['a', '', 'b'], 2), ['  a', '', '  b']);
  });
  it('commonIndent ignores blank lines', () => {
    assert.equal(commonIndent(['    a', ' ', '  b', '   c']), 2);
    assert.equal(commonIndent(['  a', 'b', ' c']), 0);
    assert.equal(commonIndent(['', ' ']), 0);
  });
  it('dedentLines removes the common indent', () => {
    assert.deepEqual(dedentLines(['  a', '    b', '']), ['a', '  b', '']);
  });
});

describe('table', () => {
  const rows = [['name', 'kg'], ['fig', '12'], ['apricot']];
  it('columnWidths takes the longest cell', () => {
    assert.deepEqual(columnWidths(rows), [7, 2]);
    assert.deepEqual(columnWidths([['a'], ['bb', 'ccc']]), [2, 3]);
  });
  it('formatRow fills missing cells and sides', () => {
    assert.equal(formatRow(['a'], [2, 3], ['right']), ' a |    ');
    assert.equal(formatRow(['a', 'b'], [2, 2], []), 'a  | b ');
  });
  it('ruleLine joins dashes', () => {
    assert.equal(ruleLine([2, 3]), '---+----');
  });
  it('formatTable puts the rule under the head', () => {
    assert.equal(
      formatTable(rows, ['left', 'right']),
      'name    | kg\n--------+---\nfig     | 12\napricot |   ',
    );
  });
  it('formatTable takes none or one row', () => {
    assert.equal(formatTable([]), '');
    assert.equal(formatTable([['a', '']]), 'a | \n--+-');
  });
});

describe('list', () => {
  it('toRoman writes single signs', () => {
    const numbers = [1, 5, 10, 50, 100, 500, 1000];
    assert.equal(numbers.map(toRoman).join(' '), 'I V X L C D M');
  });
  for (const [number, want] of [[48, 'XLVIII'], [3999, 'MMMCMXCIX']]) {
    it(`toRoman writes ${number}`, () => {
      assert.equal(toRoman(number), want);
    });
  }
  it('toRoman subtracts once and knows its range', () => {
    assert.equal(toRoman(494), 'CDXCIV');
    assert.throws(() => toRoman(0), /no Roman numeral for 0/);
    assert.throws(() => toRoman(4000), { name: 'RangeError' });
  });
  it('toLetters counts past z', () => {
    assert.equal(toLetters(1), 'a');
    assert.equal(toLetters(26), 'z');
    assert.equal(toLetters(27), 'aa');
    assert.equal(toLetters(704), 'aab');
    assert.equal(toLetters(0), '');
  });
  it('bulletList marks every item', () => {
    assert.deepEqual(bulletList(['a', 'b']), ['* a', '* b']);
    assert.deepEqual(bulletList(['a'], '-'), ['- a']);
  });
  it('numberedList aligns the numbers', () => {
    assert.deepEqual(numberedList(['a', 'b']), ['1. a', '2. b']);
    assert.deepEqual(numberedList(['a', 'b'], 9), [' 9. a', '10. b']);
    assert.deepEqual(numberedList(['a'], 9), ['9. a']);
  });
});

describe('box', () => {
  it('drawBox frames the lines', () => {
    assert.deepEqual(drawBox(['hi', 'frog']), [
      '+------+', '| hi   |', '| frog |', '+------+',
    ]);
  });
  it('banner centres the title', () => {
    assert.equal(banner('go', 9), '== go ===');
    assert.equal(banner('', 3), '===');
  });
  it('sideBySide pads the left block', () => {
    assert.deepEqual(sideBySide(['ab', 'c'], ['x', 'y', 'z'], 2), [
      'ab  x', 'c   y', '    z',
    ]);
    assert.deepEqual(sideBySide(['a', 'b'], ['x'], 1), ['a x', 'b']);
  });
});
