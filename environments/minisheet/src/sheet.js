import { contentKind, plainValue } from './content.js';
import { computeFormula } from './compute.js';
import { readRef, writeRef } from './ref.js';

/** Cells with what was typed into them. */
export class Sheet {
  constructor() {
    this.cells = new Map();
  }

  /** Types into a cell; an empty text clears it. */
  type(name, typed) {
    const key = writeRef(readRef(name));
    if (typed === '') this.cells.delete(key);
    else this.cells.set(key, typed);
    return this;
  }

  /** What was typed into a cell. */
  typedIn(name) {
    return this.cells.get(name) ?? '';
  }

  /** Value of a cell; formulas may lead from cell to cell. */
  value(name, path = []) {
    if (path.includes(name)) {
      throw new Error('circle: ' + [...path, name].join(' '));
    }
    const typed = this.typedIn(name);
    if (contentKind(typed) !== 'formula') return plainValue(typed);
    const way = [...path, name];
    return computeFormula(typed, (other) => this.value(other, way));
  }

  /** Number of columns and rows that are in use. */
  extent() {
    let cols = 0;
    let rows = 0;
    for (const name of this.cells.keys()) {
      const { col, row } = readRef(name);
      cols = Math.max(cols, col + 1);
      rows = Math.max(rows, row + 1);
    }
    return { cols, rows };
  }
}
