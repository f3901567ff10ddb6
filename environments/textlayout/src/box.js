import { alignCenter, alignLeft } from './align.js';
import { longestLine } from './measure.js';

/** Draws a frame around lines, one space away from the text. */
export function drawBox(lines) {
  const width = longestLine(lines);
  const border = '+' + '-'.repeat(width + 2) + '+';
  const result = [border];
  for (const line of lines) {
    result.push('| ' + alignLeft(line, width) + ' |');
  }
  result.push(border);
  return result;
}

/** A title line between two runs of equals signs. */
export function banner(title, width) {
  if (title === '') return '='.repeat(width);
  return alignCenter(' ' + title + ' ', width, '=');
}

/** Sets two blocks of lines side by side with a gap between. */
export function sideBySide(left, right, gap) {
  const width = longestLine(left) + gap;
  const height = Math.max(left.length, right.length);
  const result = [];
  for (let i = 0; i < height; i++) {
    const first = i < left.length ? left[i] : '';
    const second = i < right.length ? right[i] : '';
    result.push((alignLeft(first, width) + second).trimEnd());
  }
  return result;
}
