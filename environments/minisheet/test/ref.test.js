import test from 'node:test';
import assert from 'node:assert/strict';
import {
  columnIndex, columnName, countCapitals, moveRef, readRef, writeRef,
} from '../src/ref.js';
import {
  areaHolds, areaSize, cellNames, readArea, writeArea,
} from '../src/area.js';

const block = { left: 1, right: 3, top: 1, bottom: 2 };

for (const [index, name] of [[0, 'A'], [25, 'Z'], [731, 'ABD']]) {
  test(`columnName and columnIndex of ${name}`, () => {
    assert.equal(columnName(index), name);
    assert.equal(columnIndex(name), index);
  });
}

test('countCapitals', () => {
  assert.equal(countCapitals('AZ7B'), 2);
  assert.equal(countCapitals('7'), 0);
  assert.equal(countCapitals('@A'), 0);
  assert.equal(countCapitals('[A'), 0);
});

test('readRef counts from 0', () => {
  assert.deepEqual(readRef('B3'), { col: 1, row: 2 });
  assert.deepEqual(readRef('AB10'), { col: 27, row: 9 });
  assert.deepEqual(readRef('A1'), { col: 0, row: 0 });
});

test('readRef refuses bad names', () => {
  for (const name of ['B', 'B0', '3', 'B1.5', 'b3', 'B3C']) {
    assert.throws(() => readRef(name), { message: 'bad cell name: ' + name });
  }
});

test('writeRef', () => {
  assert.equal(writeRef({ col: 1, row: 2 }), 'B3');
});

test('moveRef goes both ways', () => {
  assert.equal(moveRef('B3', 2, 5), 'D8');
  assert.equal(moveRef('B3', -1, -2), 'A1');
  assert.throws(() => moveRef('B3', -2, 0), {
    name: 'RangeError', message: 'outside the sheet',
  });
  assert.throws(() => moveRef('B3', 0, -3), RangeError);
});

test('readArea sorts its corners', () => {
  assert.deepEqual(readArea('B2:D3'), block);
  assert.deepEqual(readArea('D2:B3'), block);
  assert.deepEqual(readArea('C1'), { left: 2, right: 2, top: 0, bottom: 0 });
  assert.throws(() => readArea('A1:B2:C3'), /bad area: A1:B2:C3/);
});

test('writeArea', () => {
  assert.equal(writeArea(block), 'B2:D3');
  assert.equal(writeArea(readArea('C7')), 'C7');
});

test('cellNames go row by row', () => {
  assert.equal(cellNames(block).join(' '), 'B2 C2 D2 B3 C3 D3');
});

test('areaSize', () => {
  assert.deepEqual(areaSize(block), { cols: 3, rows: 2, cells: 6 });
});

test('areaHolds all four edges', () => {
  const inside = ['B2', 'D3', 'C2'];
  const outside = ['A2', 'E2', 'C1', 'C4'];
  assert.ok(inside.every((name) => areaHolds(block, name)));
  for (const name of outside) assert.equal(areaHolds(block, name), false);
});
