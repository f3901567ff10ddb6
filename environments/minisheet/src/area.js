import { readRef, writeRef } from './ref.js';

/** Reads an area such as A1:C2; its corners may come in any order. */
export function readArea(text) {
  const names = text.split(':');
  if (names.length > 2) throw new Error('bad area: ' + text);
  const from = readRef(names[0]);
  const to = readRef(names.at(-1));
  return {
    left: Math.min(from.col, to.col),
    right: Math.max(from.col, to.col),
    top: Math.min(from.row, to.row),
    bottom: Math.max(from.row, to.row),
  };
}

/** Writes an area; a single cell is written once. */
export function writeArea(area) {
  const first = writeRef({ col: area.left, row: area.top });
  const last = writeRef({ col: area.right, row: area.bottom });
  return first === last ? first : first + ':' + last;
}

/** Names of all cells of an area, row by row. */
export function cellNames(area) {
  const names = [];
  for (let row = area.top; row <= area.bottom; row++) {
    for (let col = area.left; col <= area.right; col++) {
      names.push(writeRef({ col, row }));
    }
  }
  return names;
}

/** Columns and rows of an area. */
export function areaSize(area) {
  const cols = area.right - area.left + 1;
  const rows = area.bottom - area.top + 1;
  return { cols, rows, cells: cols * rows };
}

/** Tells whether a cell lies in an area. */
export function areaHolds(area, name) {
  const { col, row } = readRef(name);
  if (col < area.left || col > area.right) return false;
  return row >= area.top && row <= area.bottom;
}
