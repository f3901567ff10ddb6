import { alignRight } from './align.js';

const NUMERALS = [
  [1000, 'M'], [900, 'CM'], [500, 'D'], [400, 'CD'],
  [100, 'C'], [90, 'XC'], [50, 'L'], [40, 'XL'],
  [10, 'X'], [9, 'IX'], [5, 'V'], [4, 'IV'], [1, 'I'],
];

/** Writes a whole number from 1 to 3999 in Roman numerals. */
export function toRoman(number) {
  if (number < 1 || number > 3999) {
    throw new RangeError('no Roman numeral for ' + number);
  }
  let rest = number;
  let result = '';
  for (const [value, letters] of NUMERALS) {
    while (rest >= value) {
      result += letters;
      rest -= value;
    }
  }
  return result;
}

/** Letters for a list entry: a to z, then aa, ab and so on. */
export function toLetters(number) {
  let rest = number;
  let result = '';
  while (rest > 0) {
    const digit = (rest - 1) % 26;
    result = String.fromCharCode(97 + digit) + result;
    rest = (rest - 1 - digit) / 26;
  }
  return result;
}

/** Puts a mark and a space before every item. */
export function bulletList(items, mark = '*') {
  return items.map((item) => mark + ' ' + item);
}

/** Numbers the items; the numbers are aligned on the right. */
export function numberedList(items, start = 1) {
  const last = start + items.length - 1;
  const width = String(last).length;
  const result = [];
  for (let i = 0; i < items.length; i++) {
    result.push(alignRight(String(start + i), width) + '. ' + items[i]);
  }
  return result;
}
