/** Letters of a column: 0 is A, 25 is Z, 26 is AA. */
export function columnName(index) {
  let name = '';
  let rest = index;
  while (rest >= 0) {
    name = String.fromCharCode(65 + (rest % 26)) + name;
    rest = Math.floor(rest / 26) - 1;
  }
  return name;
}

/** Index of a column from its letters. */
export function columnIndex(name) {
  let index = 0;
  for (const letter of name) {
    index = index * 26 + letter.charCodeAt(0) - 64;
  }
  return index - 1;
}

/** Number of capital letters at the start of a text. */
export function countCapitals(text) {
  let count = 0;
  while (text[count] >= 'A' && text[count] <= 'Z') count += 1;
  return count;
}

/** Reads a cell name such as B3 into { col, row }. */
export function readRef(name) {
  const letters = countCapitals(name);
  const row = Number(name.slice(letters));
  if (letters === 0 || !Number.isInteger(row) || row < 1) {
    throw new Error('bad cell name: ' + name);
  }
  return { col: columnIndex(name.slice(0, letters)), row: row - 1 };
}

/** Writes { col, row } as a cell name. */
export function writeRef({ col, row }) {
  return columnName(col) + (row + 1);
}

/** Cell name some columns and rows away. */
export function moveRef(name, cols, rows) {
  const { col, row } = readRef(name);
  if (col + cols < 0 || row + rows < 0) {
    throw new RangeError('outside the sheet');
  }
  return writeRef({ col: col + cols, row: row + rows });
}
