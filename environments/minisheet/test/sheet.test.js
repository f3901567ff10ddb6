import test from 'node:test';
import assert from 'node:assert/strict';
import { Sheet } from '../src/sheet.js';
import { readArea } from '../src/area.js';
import {
  copyArea, fillSeries, insertRow, removeRow,
} from '../src/edit.js';
import {
  exportLines, headerTexts, quoteField, rowTexts,
} from '../src/export.js';

/** A small sheet with a formula. */
function sample() {
  return new Sheet()
    .type('A1', 'tea, green')
    .type('B1', '3')
    .type('B2', '4')
    .type('C2', '=B1+B2');
}

test('Sheet type and typedIn', () => {
  const sheet = sample().type('B1', '');
  assert.equal(sheet.typedIn('B2'), '4');
  assert.equal(sheet.typedIn('B1'), '');
  assert.equal(sheet.cells.size, 3);
  assert.throws(() => sheet.type('7', '1'), /bad cell name/);
});

test('Sheet value follows formulas', () => {
  const sheet = sample().type('D1', '=C2*2+Z9').type('A3', '=C2*C2');
  assert.equal(sheet.value('A3'), 49);
  assert.equal(sheet.value('D1'), 14);
  assert.equal(sheet.value('A1'), 'tea, green');
});

test('Sheet value finds circles', () => {
  const sheet = new Sheet().type('A1', '=B1').type('B1', '=A1+1');
  assert.throws(() => sheet.value('A1'), { message: 'circle: A1 B1 A1' });
});

test('Sheet extent', () => {
  assert.deepEqual(sample().extent(), { cols: 3, rows: 2 });
  assert.deepEqual(new Sheet().extent(), { cols: 0, rows: 0 });
});

test('fillSeries types downwards', () => {
  const sheet = fillSeries(new Sheet(), 'B2', 10, 5, 3);
  assert.deepEqual([...sheet.cells], [
    ['B2', '10'], ['B3', '15'], ['B4', '20'],
  ]);
});

test('copyArea may overlap', () => {
  const sheet = fillSeries(new Sheet(), 'A1', 1, 1, 3);
  assert.equal(copyArea(sheet, readArea('A1:A3'), 0, 1), 3);
  const typed = ['A1', 'A2', 'A3', 'A4'].map((name) => sheet.typedIn(name));
  assert.deepEqual(typed, ['1', '1', '2', '3']);
});

test('insertRow moves later rows down', () => {
  const moved = insertRow(sample(), 2);
  assert.equal(moved.typedIn('B1'), '3');
  assert.equal(moved.typedIn('B2'), '');
  assert.equal(moved.typedIn('C3'), '=B1+B2');
});

test('removeRow moves later rows up', () => {
  const sheet = sample().type('A3', 'end');
  const shorter = removeRow(sheet, 2);
  assert.equal(shorter.typedIn('B1'), '3');
  assert.equal(shorter.typedIn('A2'), 'end');
  assert.equal(shorter.cells.size, 3);
});

test('quoteField', () => {
  assert.equal(quoteField('plain'), 'plain');
  assert.equal(quoteField('a,b'), '"a,b"');
  assert.equal(quoteField('say "hi"'), '"say ""hi"""');
  assert.equal(quoteField('a\nb'), '"a\nb"');
});

test('rowTexts leaves empty cells empty', () => {
  assert.deepEqual(rowTexts(sample(), 1), ['', '4', '7']);
});

test('exportLines', () => {
  assert.deepEqual(exportLines(sample()), ['"tea, green",3,', ',4,7']);
});

test('headerTexts', () => {
  assert.deepEqual(headerTexts(sample()), ['A', 'B', 'C']);
});
