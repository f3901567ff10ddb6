import test from 'node:test';
import assert from 'node:assert/strict';
import {
  kingDistance, plus, point, samePoint, squaredDistance, stepTo,
  taxiDistance, times,
} from '../src/point.js';
import {
  areOpposite, stepOf, straightPath, turnRight, walk,
} from '../src/turn.js';

test('point, plus and times', () => {
  assert.deepEqual(point(3, 4), { x: 3, y: 4 });
  assert.deepEqual(plus(point(3, 4), point(10, 20)), point(13, 24));
  assert.deepEqual(times(point(3, -4), 3), point(9, -12));
});

test('stepTo leads to the second point', () => {
  assert.deepEqual(stepTo(point(1, 9), point(5, 2)), point(4, -7));
});

test('samePoint compares both parts', () => {
  assert.equal(samePoint(point(1, 2), point(1, 2)), true);
  assert.equal(samePoint(point(1, 2), point(1, 3)), false);
  assert.equal(samePoint(point(1, 2), point(0, 2)), false);
});

test('taxiDistance', () => {
  assert.equal(taxiDistance(point(1, 2), point(4, -2)), 7);
});

test('kingDistance', () => {
  assert.equal(kingDistance(point(1, 2), point(4, -2)), 4);
  assert.equal(kingDistance(point(9, 2), point(4, 3)), 5);
});

test('squaredDistance', () => {
  assert.equal(squaredDistance(point(1, 2), point(4, -3)), 34);
});

for (const [name, x, y] of [
  ['north', 0, -1], ['east', 1, 0], ['south', 0, 1], ['west', -1, 0],
]) {
  test('stepOf ' + name, () => {
    assert.deepEqual(stepOf(name), { x, y });
  });
}

test('stepOf refuses other names', () => {
  assert.throws(() => stepOf('up'), { message: 'no such direction: up' });
});

test('turnRight goes around', () => {
  assert.equal(turnRight('north'), 'east');
  assert.equal(turnRight('west'), 'north');
  assert.equal(turnRight('north', -1), 'west');
  assert.equal(turnRight('north', -6), 'south');
  assert.equal(turnRight('east', 7), 'north');
});

test('areOpposite', () => {
  assert.equal(areOpposite('west', 'east'), true);
  assert.equal(areOpposite('west', 'south'), false);
});

test('walk obeys orders', () => {
  assert.deepEqual(walk(point(0, 0), 'north', 'FFRFLF'), {
    place: point(1, -3), facing: 'north',
  });
  assert.deepEqual(walk(point(0, 0), 'east', 'FLL'), {
    place: point(1, 0), facing: 'west',
  });
  assert.throws(() => walk(point(0, 0), 'east', 'FX'), /unknown order: X/);
});

test('straightPath has both ends', () => {
  const path = straightPath(point(5, 5), 'west', 2);
  assert.deepEqual(path, [point(5, 5), point(4, 5), point(3, 5)]);
});
