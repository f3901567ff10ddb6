import { alignText } from './align.js';

/** Width of each column: the longest cell in it. */
export function columnWidths(rows) {
  const widths = [];
  for (const row of rows) {
    for (let i = 0; i < row.length; i++) {
      const known = i < widths.length ? widths[i] : 0;
      widths[i] = Math.max(known, row[i].length);
    }
  }
  return widths;
}

/** Joins the cells of a row; a missing cell counts as empty. */
export function formatRow(row, widths, sides) {
  const cells = [];
  for (let i = 0; i < widths.length; i++) {
    const cell = i < row.length ? row[i] : '';
    const side = i < sides.length ? sides[i] : 'left';
    cells.push(alignText(cell, widths[i], side));
  }
  return cells.join(' | ');
}

/** A rule under the head: dashes with a plus at each border. */
export function ruleLine(widths) {
  const parts = [];
  for (const width of widths) parts.push('-'.repeat(width));
  return parts.join('-+-');
}

/** Formats rows as a table; the first row is the head. */
export function formatTable(rows, sides = []) {
  const widths = columnWidths(rows);
  const lines = [];
  for (const row of rows) {
    lines.push(formatRow(row, widths, sides));
  }
  lines.splice(1, 0, ruleLine(widths));
  return lines.join('\n');
}
