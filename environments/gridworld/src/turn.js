import { plus, point, times } from './point.js';

const NAMES = ['north', 'east', 'south', 'west'];
const STEPS = [point(0, -1), point(1, 0), point(0, 1), point(-1, 0)];

/** One step towards a compass direction. */
export function stepOf(name) {
  const index = NAMES.indexOf(name);
  if (index < 0) throw new Error('no such direction: ' + name);
  return STEPS[index];
}

/** Direction after quarter turns to the right; negative to the left. */
export function turnRight(name, quarters = 1) {
  const index = NAMES.indexOf(name) + quarters;
  return NAMES[((index % 4) + 4) % 4];
}

/** Tells whether two directions point away from each other. */
export function areOpposite(first, second) {
  return turnRight(first, 2) === second;
}

/** Place of a walker after orders: F is forward, L and R turn. */
export function walk(start, facing, orders) {
  let place = start;
  let name = facing;
  for (const order of orders) {
    if (order === 'F') place = plus(place, stepOf(name));
    else if (order === 'R') name = turnRight(name);
    else if (order === 'L') name = turnRight(name, -1);
    else throw new Error('unknown order: ' + order);
  }
  return { place, facing: name };
}

/** All points of a straight walk, with both ends. */
export function straightPath(start, name, length) {
  const path = [];
  for (let i = 0; i <= length; i++) {
    path.push(plus(start, times(stepOf(name), i)));
  }
  return path;
}
