import { Sheet } from './sheet.js';
import { cellNames } from './area.js';
import { moveRef, readRef, writeRef } from './ref.js';

/** Types a number series into cells downwards. */
export function fillSeries(sheet, name, start, step, count) {
  for (let i = 0; i < count; i++) {
    sheet.type(moveRef(name, 0, i), String(start + i * step));
  }
  return sheet;
}

/** Copies what was typed in an area to another place. */
export function copyArea(sheet, area, cols, rows) {
  const copies = cellNames(area).map((name) => {
    return [moveRef(name, cols, rows), sheet.typedIn(name)];
  });
  for (const [name, typed] of copies) sheet.type(name, typed);
  return copies.length;
}

/** A new sheet with a free row before a row; rows count from 1. */
export function insertRow(sheet, before) {
  const result = new Sheet();
  for (const [name, typed] of sheet.cells) {
    const { col, row } = readRef(name);
    const target = row + 1 >= before ? row + 1 : row;
    result.type(writeRef({ col, row: target }), typed);
  }
  return result;
}

/** A new sheet without one row; later rows move up. */
export function removeRow(sheet, gone) {
  const result = new Sheet();
  for (const [name, typed] of sheet.cells) {
    const { col, row } = readRef(name);
    if (row + 1 === gone) continue;
    const target = row + 1 > gone ? row - 1 : row;
    result.type(writeRef({ col, row: target }), typed);
  }
  return result;
}
