import test from 'node:test';
import assert from 'node:assert/strict';
import {
  expectedPercent, fadeRating, rateMatch, ratingChange, ratingTitle,
} from '../src/rating.js';
import {
  bestScores, finalScore, judgedScore, medals,
} from '../src/judges.js';
import {
  describeMatch, signedText, standingLine, standingLines,
} from '../src/sheet.js';
import { readMatch } from '../src/match.js';

test('expectedPercent has limits', () => {
  assert.equal(expectedPercent(1200, 1200), 50);
  assert.equal(expectedPercent(1300, 1200), 61);
  assert.equal(expectedPercent(1200, 1300), 39);
  assert.equal(expectedPercent(1599, 1200), 95);
  assert.equal(expectedPercent(1600, 1200), 99);
  assert.equal(expectedPercent(1200, 1599), 5);
  assert.equal(expectedPercent(1200, 1600), 1);
});

test('ratingChange', () => {
  assert.equal(ratingChange(1200, 1200, 100), 16);
  assert.equal(ratingChange(1200, 1200, 0), -16);
  assert.equal(ratingChange(1300, 1200, 50), -4);
  assert.equal(ratingChange(1200, 1200, 100, 10), 5);
});

test('rateMatch moves both ratings', () => {
  assert.deepEqual(rateMatch(1300, 1200, 100), [1312, 1188]);
});

test('ratingTitle', () => {
  const ratings = [999, 1000, 1399, 1400, 1799, 1800];
  const titles = ratings.map(ratingTitle).join(' ');
  assert.equal(titles, 'novice player player expert expert master');
});

test('fadeRating goes back to 1200', () => {
  assert.equal(fadeRating(1400, 0), 1400);
  assert.equal(fadeRating(1400, 1), 1380);
  assert.equal(fadeRating(1405, 2), 1367);
  assert.equal(fadeRating(1000, 1), 1020);
});

test('judgedScore drops the ends', () => {
  assert.equal(judgedScore([9, 1, 7, 10, 8]), 8);
  assert.equal(judgedScore([5, 9, 6]), 6);
  assert.throws(() => judgedScore([5, 6]), {
    name: 'RangeError', message: 'three judges are needed',
  });
});

test('finalScore', () => {
  assert.equal(finalScore([5, 9, 6], 3, 4), 10);
  assert.equal(finalScore([5, 9, 6], 1, 9), 0);
});

test('bestScores', () => {
  assert.equal(bestScores([4, 10, 2, 7], 2), 17);
  assert.equal(bestScores([4], 3), 4);
});

test('medals are shared', () => {
  assert.deepEqual(medals([9, 9, 8, 7]), ['gold', 'gold', 'bronze', 'none']);
  assert.deepEqual(medals([9, 8]), ['gold', 'silver']);
});

test('signedText', () => {
  assert.deepEqual([1, 0, -1].map(signedText), ['+1', '0', '-1']);
});

test('standingLine and standingLines', () => {
  const reds = { team: 'Reds', points: 6, shot: 5, against: 2 };
  const blues = { team: 'Blues', points: 1, shot: 2, against: 3 };
  assert.equal(standingLine(4, blues), '4. Blues 1 (-1)');
  assert.deepEqual(standingLines([reds, reds, blues]), [
    '1. Reds 6 (+3)', '1. Reds 6 (+3)', '3. Blues 1 (-1)',
  ]);
});

test('describeMatch', () => {
  const lines = ['A 2:0 B', 'A 0:3 B', 'A 1:1 B', 'A 1:3 B'];
  const words = lines.map((line) => describeMatch(readMatch(line)));
  assert.deepEqual(words, [
    'A beat B', 'B crush A', 'A and B draw', 'B beat A',
  ]);
});
