/** Swaps rows and columns. */
export function transpose(grid) {
  const result = [];
  for (let x = 0; x < grid[0].length; x++) {
    const column = [];
    for (let y = 0; y < grid.length; y++) column.push(grid[y][x]);
    result.push(column);
  }
  return result;
}

/** Mirrors a grid: left becomes right. */
export function mirror(grid) {
  return grid.map((row) => [...row].reverse());
}

/** Turns a grid by a quarter to the right. */
export function rotateGrid(grid) {
  return mirror(transpose(grid));
}

/** Cuts a part out of a grid. */
export function cutOut(grid, left, top, width, height) {
  const rows = grid.slice(top, top + height);
  return rows.map((row) => row.slice(left, left + width));
}

/** Puts a frame of one value around a grid. */
export function frameGrid(grid, value) {
  const width = grid[0].length + 2;
  const result = [new Array(width).fill(value)];
  for (const row of grid) result.push([value, ...row, value]);
  result.push(new Array(width).fill(value));
  return result;
}
