import { makeGrid } from './grid.js';

/** Square matrix with ones from the top left to the bottom right. */
export function identity(size) {
  const matrix = makeGrid(size, size, 0);
  for (let i = 0; i < size; i++) matrix[i][i] = 1;
  return matrix;
}

/** Sum of the products of two lists of one length. */
export function dotProduct(first, second) {
  if (first.length !== second.length) {
    throw new RangeError('lengths differ');
  }
  let sum = 0;
  for (let i = 0; i < first.length; i++) {
    sum += first[i] * second[i];
  }
  return sum;
}

/** Multiplies a matrix with a list of numbers. */
export function applyMatrix(matrix, numbers) {
  return matrix.map((row) => dotProduct(row, numbers));
}

/** Product of two matrices. */
export function multiply(first, second) {
  const result = makeGrid(second[0].length, first.length, 0);
  for (let y = 0; y < first.length; y++) {
    for (let x = 0; x < second[0].length; x++) {
      const column = second.map((row) => row[x]);
      result[y][x] = dotProduct(first[y], column);
    }
  }
  return result;
}

/** Determinant of a matrix with two rows and two columns. */
export function determinant(matrix) {
  const [[a, b], [c, d]] = matrix;
  return a * d - b * c;
}

/** Sum of the cells from the top left to the bottom right. */
export function trace(matrix) {
  let sum = 0;
  for (let i = 0; i < matrix.length; i++) sum += matrix[i][i];
  return sum;
}
