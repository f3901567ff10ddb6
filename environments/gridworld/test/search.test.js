import test from 'node:test';
import assert from 'node:assert/strict';
import { point, taxiDistance } from '../src/point.js';
import { readGrid } from '../src/grid.js';
import {
  boundingBox, boxCells, chainLength, doubleArea, inBox, sideOfLine,
} from '../src/shape.js';
import {
  besides, countBeside, fewestSteps, flood, stepMap,
} from '../src/search.js';

const maze = readGrid('..#\n.#.\n...');
const box = { left: 2, top: 1, right: 5, bottom: 3 };

test('boundingBox', () => {
  const points = [point(4, 1), point(2, 3), point(5, 2)];
  assert.deepEqual(boundingBox(points), box);
});

test('boxCells counts the edges too', () => {
  assert.equal(boxCells(box), 12);
});

test('inBox includes the edges', () => {
  assert.equal(inBox(box, point(2, 1)), true);
  assert.equal(inBox(box, point(5, 3)), true);
  assert.equal(inBox(box, point(6, 2)), false);
  assert.equal(inBox(box, point(3, 4)), false);
});

for (const [x, y] of [[1, 2], [3, 0]]) {
  test(`inBox leaves out ${x},${y}`, () => {
    assert.equal(inBox(box, point(x, y)), false);
  });
}

test('sideOfLine', () => {
  const start = point(1, 1);
  assert.equal(sideOfLine(start, point(5, 1), point(3, 4)), 12);
  assert.equal(sideOfLine(start, point(5, 3), point(7, 2)), -8);
  assert.equal(sideOfLine(start, point(3, 3), point(6, 6)), 0);
});

test('doubleArea', () => {
  const corners = [point(1, 1), point(5, 1), point(5, 4), point(2, 3)];
  assert.equal(doubleArea(corners), 17);
  assert.equal(doubleArea(corners.reverse()), 17);
});

test('chainLength', () => {
  const chain = [point(0, 0), point(3, 1), point(3, 6)];
  assert.equal(chainLength(chain, taxiDistance), 9);
  assert.equal(chainLength([point(4, 4)], taxiDistance), 0);
});

test('besides goes clockwise', () => {
  assert.deepEqual(besides(point(5, 5)), [
    point(5, 4), point(6, 5), point(5, 6), point(4, 5),
  ]);
});

test('countBeside', () => {
  assert.equal(countBeside(maze, point(1, 0), '#'), 2);
  assert.equal(countBeside(maze, point(1, 2), '#'), 1);
});

test('flood stays on the same value', () => {
  assert.deepEqual(flood(maze, point(1, 0)), [
    point(1, 0), point(0, 0), point(0, 1), point(0, 2), point(1, 2),
    point(2, 2), point(2, 1),
  ]);
  assert.deepEqual(flood(maze, point(2, 0)), [point(2, 0)]);
});

test('stepMap goes around walls', () => {
  assert.deepEqual(stepMap(maze, point(1, 0)), [
    [1, 0, -1], [2, -1, 6], [3, 4, 5],
  ]);
  assert.deepEqual(stepMap([['x', 'o', 'o']], point(2, 0), 'x'), [[-1, 1, 0]]);
});

test('fewestSteps', () => {
  assert.equal(fewestSteps(maze, point(0, 0), point(2, 1)), 5);
  assert.equal(fewestSteps(maze, point(0, 0), point(1, 1)), -1);
  assert.equal(fewestSteps(maze, point(0, 0), point(9, 9)), -1);
});
