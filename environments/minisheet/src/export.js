import { showValue } from './content.js';
import { columnName, writeRef } from './ref.js';

/** Puts quotes around a text that needs them. */
export function quoteField(text) {
  const special = [',', '"', '\n'];
  if (!special.some((char) => text.includes(char))) return text;
  return '"' + text.split('"').join('""') + '"';
}

/** Shown values of one row, as far as the sheet is used. */
export function rowTexts(sheet, row) {
  const texts = [];
  for (let col = 0; col < sheet.extent().cols; col++) {
    const name = writeRef({ col, row });
    const empty = sheet.typedIn(name) === '';
    texts.push(empty ? '' : showValue(sheet.value(name)));
  }
  return texts;
}

/** All shown values with commas between, one line for each row. */
export function exportLines(sheet) {
  const lines = [];
  for (let row = 0; row < sheet.extent().rows; row++) {
    lines.push(rowTexts(sheet, row).map(quoteField).join(','));
  }
  return lines;
}

/** Letters of the used columns. */
export function headerTexts(sheet) {
  const texts = [];
  for (let col = 0; col < sheet.extent().cols; col++) {
    texts.push(columnName(col));
  }
  return texts;
}
