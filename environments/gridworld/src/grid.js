import { point } from './point.js';

/** A grid is a list of rows; every cell starts with one value. */
export function makeGrid(width, height, value) {
  const rows = [];
  for (let y = 0; y < height; y++) {
    rows.push(new Array(width).fill(value));
  }
  return rows;
}

/** Reads a grid from lines of text; all lines need one length. */
export function readGrid(text) {
  const rows = text.split('\n').map((line) => [...line]);
  for (let y = 1; y < rows.length; y++) {
    if (rows[y].length !== rows[0].length) {
      throw new Error('row ' + y + ' has another length');
    }
  }
  return rows;
}

/** Writes a grid as lines of text. */
export function writeGrid(grid) {
  return grid.map((row) => row.join('')).join('\n');
}

/** Tells whether a point lies on the grid. */
export function isOnGrid(grid, { x, y }) {
  if (x < 0 || y < 0) return false;
  return y < grid.length && x < grid[0].length;
}

/** Value of a cell, or a default outside of the grid. */
export function cellAt(grid, place, outside = null) {
  if (!isOnGrid(grid, place)) return outside;
  return grid[place.y][place.x];
}

/** A copy of the grid with one cell changed. */
export function withCell(grid, place, value) {
  const copy = grid.map((row) => [...row]);
  copy[place.y][place.x] = value;
  return copy;
}

/** Points of all cells with a value, row by row. */
export function findCells(grid, value) {
  const found = [];
  for (let y = 0; y < grid.length; y++) {
    for (let x = 0; x < grid[y].length; x++) {
      if (grid[y][x] === value) found.push(point(x, y));
    }
  }
  return found;
}
