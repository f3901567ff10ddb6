import test from 'node:test';
import assert from 'node:assert/strict';
import {
  evenTeams, leagueRounds, matchCount, meetingRound, pairRound,
  returnRounds,
} from '../src/fixtures.js';
import {
  bracketSize, firstRound, goOn, roundName, seedOrder,
} from '../src/knockout.js';
import { readMatch } from '../src/match.js';

const four = ['A', 'B', 'C', 'D'];

/** Writes pairs as a short text. */
function pairsText(pairs) {
  return pairs.map((pair) => pair.join('')).join(' ');
}

for (const [round, want] of [[1, 'AB CD'], [2, 'AC DB']]) {
  test('pairRound number ' + round, () => {
    assert.equal(pairsText(pairRound(four, round)), want);
  });
}

test('pairRound of six teams', () => {
  const pairs = pairRound(['A', 'B', 'C', 'D', 'E', 'F'], 0);
  assert.equal(pairsText(pairs), 'AF BE CD');
});

test('evenTeams adds a free place', () => {
  assert.deepEqual(evenTeams(four), four);
  assert.deepEqual(evenTeams(['A']), ['A', null]);
});

test('leagueRounds of four and three teams', () => {
  const rounds = leagueRounds(four).map(pairsText);
  assert.deepEqual(rounds, ['AD BC', 'AB CD', 'AC DB']);
  const odd = leagueRounds(['A', 'B', 'C']).map(pairsText);
  assert.deepEqual(odd, ['BC', 'AB', 'AC']);
});

test('returnRounds swaps home and away', () => {
  assert.deepEqual(returnRounds([[['A', 'B']]]), [[['B', 'A']]]);
});

test('matchCount', () => {
  assert.equal(matchCount(6), 15);
  assert.equal(matchCount(5, 2), 20);
});

test('meetingRound', () => {
  const rounds = leagueRounds(four);
  assert.equal(meetingRound(rounds, 'D', 'A'), 1);
  assert.equal(meetingRound(rounds, 'B', 'A'), 2);
  assert.equal(meetingRound(rounds, 'C', 'A'), 3);
  assert.equal(meetingRound(rounds, 'A', 'E'), 0);
});

test('bracketSize', () => {
  assert.deepEqual([1, 2, 3, 4, 5, 9].map(bracketSize), [1, 2, 4, 4, 8, 16]);
});

test('seedOrder', () => {
  assert.deepEqual(seedOrder(1), [1]);
  assert.deepEqual(seedOrder(4), [1, 4, 2, 3]);
  assert.deepEqual(seedOrder(8), [1, 8, 4, 5, 2, 7, 3, 6]);
});

test('firstRound pairs by seed', () => {
  assert.equal(pairsText(firstRound(four)), 'AD BC');
  assert.deepEqual(firstRound(['A', 'B', 'C']), [['A', null], ['B', 'C']]);
});

test('goOn lists the winners', () => {
  const played = ['B 3:0 E', 'D 9:0 C', 'B 1:2 C'].map(readMatch);
  const pairs = [['A', null], ['B', 'C']];
  assert.deepEqual(goOn(pairs, played), ['A', 'C']);
});

test('goOn needs winners', () => {
  assert.throws(() => goOn([['B', 'C']], [readMatch('B 1:1 C')]), {
    message: 'no winner: B C',
  });
  assert.throws(() => goOn([['B', 'C']], []), /no winner: B C/);
});

test('roundName', () => {
  const names = [2, 4, 8, 16].map(roundName);
  assert.deepEqual(names, [
    'final', 'semifinal', 'quarterfinal', 'round of 16',
  ]);
});
