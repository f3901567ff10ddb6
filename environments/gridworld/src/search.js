import { cellAt, makeGrid } from './grid.js';
import { plus, samePoint } from './point.js';
import { stepOf } from './turn.js';

const AROUND = ['north', 'east', 'south', 'west'];

/** The four points beside a point, clockwise from the north. */
export function besides(place) {
  return AROUND.map((name) => plus(place, stepOf(name)));
}

/** How many of the four cells beside a point have a value. */
export function countBeside(grid, place, value) {
  let count = 0;
  for (const other of besides(place)) {
    if (cellAt(grid, other) === value) count += 1;
  }
  return count;
}

/** Cells that can be reached over cells of the same value. */
export function flood(grid, start) {
  const value = cellAt(grid, start);
  const reached = [start];
  for (const place of reached) {
    for (const other of besides(place)) {
      if (cellAt(grid, other) !== value) continue;
      if (reached.some((known) => samePoint(known, other))) continue;
      reached.push(other);
    }
  }
  return reached;
}

/** Steps from a start to every free cell; -1 where no way leads. */
export function stepMap(grid, start, wall = '#') {
  const steps = makeGrid(grid[0].length, grid.length, -1);
  steps[start.y][start.x] = 0;
  const queue = [start];
  for (const place of queue) {
    for (const other of besides(place)) {
      if (cellAt(grid, other, wall) === wall) continue;
      if (cellAt(steps, other) >= 0) continue;
      steps[other.y][other.x] = cellAt(steps, place) + 1;
      queue.push(other);
    }
  }
  return steps;
}

/** Fewest steps between two points, or -1. */
export function fewestSteps(grid, start, goal) {
  return cellAt(stepMap(grid, start), goal, -1);
}
