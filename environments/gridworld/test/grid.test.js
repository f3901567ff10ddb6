import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { point } from '../src/point.js';
import {
  cellAt, findCells, isOnGrid, makeGrid, readGrid, withCell, writeGrid,
} from '../src/grid.js';
import {
  cutOut, frameGrid, mirror, rotateGrid, transpose,
} from '../src/reshape.js';
import {
  applyMatrix, determinant, dotProduct, identity, multiply, trace,
} from '../src/matrix.js';

const letters = readGrid('abc\ndef');

describe('grid', () => {
  it('makeGrid has independent rows', () => {
    const grid = makeGrid(3, 2, 7);
    assert.deepEqual(grid, [[7, 7, 7], [7, 7, 7]]);
    grid[0][1] = 1;
    assert.equal(grid[1][1], 7);
  });
  it('readGrid checks the length of rows', () => {
    assert.deepEqual(letters, [['a', 'b', 'c'], ['d', 'e', 'f']]);
    assert.throws(() => readGrid('ab\ncd\ne'), {
      message: 'row 2 has another length',
    });
    assert.throws(() => readGrid('ab\ncde\nfg'), /row 1 has/);
  });
  it('writeGrid is the inverse', () => {
    assert.equal(writeGrid(letters), 'abc\ndef');
  });
  it('isOnGrid knows all four edges', () => {
    const inside = [[0, 0], [2, 1]].map(([x, y]) => point(x, y));
    const outside = [[-1, 0], [0, -1], [3, 0], [0, 2]];
    assert.ok(inside.every((place) => isOnGrid(letters, place)));
    for (const [x, y] of outside) {
      assert.equal(isOnGrid(letters, point(x, y)), false);
    }
  });
  it('cellAt has a default outside', () => {
    assert.equal(cellAt(letters, point(2, 1)), 'f');
    assert.equal(cellAt(letters, point(3, 1)), null);
    assert.equal(cellAt(letters, point(3, 1), '#'), '#');
  });
  it('withCell changes a copy', () => {
    assert.equal(writeGrid(withCell(letters, point(2, 0), 'x')), 'abx\ndef');
    assert.equal(letters[0][2], 'c');
  });
  it('findCells goes row by row', () => {
    const grid = readGrid('.#.\n#..');
    assert.deepEqual(findCells(grid, '#'), [point(1, 0), point(0, 1)]);
  });
});

describe('reshape', () => {
  it('transpose', () => {
    assert.equal(writeGrid(transpose(letters)), 'ad\nbe\ncf');
  });
  it('mirror', () => {
    assert.equal(writeGrid(mirror(letters)), 'cba\nfed');
  });
  it('rotateGrid turns to the right', () => {
    assert.equal(writeGrid(rotateGrid(letters)), 'da\neb\nfc');
  });
  it('cutOut copies a part', () => {
    const grid = readGrid('abcd\nefgh\nijkl\nmnop');
    assert.equal(writeGrid(cutOut(grid, 1, 2, 3, 1)), 'jkl');
    assert.equal(writeGrid(cutOut(grid, 0, 1, 1, 2)), 'e\ni');
  });
  it('frameGrid adds one cell on every side', () => {
    assert.equal(writeGrid(frameGrid([['a', 'b']], '*')), '****\n*ab*\n****');
  });
});

describe('matrix', () => {
  it('identity', () => {
    assert.deepEqual(identity(2), [[1, 0], [0, 1]]);
  });
  it('dotProduct', () => {
    assert.equal(dotProduct([1, 2, 3], [4, 5, 6]), 32);
    assert.throws(() => dotProduct([1], [1, 2]), {
      name: 'RangeError', message: 'lengths differ',
    });
  });
  it('applyMatrix', () => {
    assert.deepEqual(applyMatrix([[1, 2], [3, 4]], [5, 6]), [17, 39]);
  });
  it('multiply', () => {
    const product = multiply([[1, 2], [3, 4], [5, 6]], [[1, 2], [0, 3]]);
    assert.deepEqual(product, [[1, 8], [3, 18], [5, 28]]);
  });
  it('determinant and trace', () => {
    assert.equal(determinant([[3, 8], [4, 6]]), -14);
    assert.equal(trace([[3, 8], [4, 6]]), 9);
  });
});
