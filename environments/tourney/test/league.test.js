import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import {
  hasTeam, loserOf, playedMatch, readGoals, readMatch, winnerOf,
  writeMatch,
} from '../src/match.js';
import {
  formOf, goalDifference, goalsOf, pointsFrom, teamRecord,
} from '../src/record.js';
import {
  compareRecords, isDecided, pointsBehind, rankRecords, standings,
  teamNames,
} from '../src/standings.js';

const matches = ['Reds 2:1 Blues', 'Greens 0:0 Reds', 'Blues 4:1 Greens']
  .map(readMatch);

/** A record with some numbers. */
function record(points, shot, against) {
  return { team: 'T', played: 9, points, shot, against };
}

describe('match', () => {
  it('playedMatch checks its parts', () => {
    assert.deepEqual(playedMatch('A', 'B', 0, 3), {
      home: 'A', away: 'B', homeGoals: 0, awayGoals: 3,
    });
    assert.throws(() => playedMatch('A', 'A', 0, 0), /A cannot play itself/);
    assert.throws(() => playedMatch('A', 'B', -1, 0), {
      name: 'RangeError', message: 'goals must not be negative',
    });
    assert.throws(() => playedMatch('A', 'B', 0, -1), RangeError);
  });
  it('winnerOf', () => {
    assert.deepEqual(matches.map(winnerOf), ['Reds', null, 'Blues']);
    assert.equal(winnerOf(readMatch('A 0:1 B')), 'B');
  });
  it('loserOf', () => {
    assert.deepEqual(matches.map(loserOf), ['Blues', null, 'Greens']);
    assert.equal(loserOf(readMatch('A 0:1 B')), 'A');
  });
  it('readMatch and writeMatch', () => {
    const match = readMatch('Reds 12:3 Blues');
    assert.deepEqual(match, playedMatch('Reds', 'Blues', 12, 3));
    assert.equal(writeMatch(match), 'Reds 12:3 Blues');
  });
  it('readMatch refuses other lines', () => {
    for (const line of ['Reds 2:1', 'A 1:2 B C', '']) {
      assert.throws(() => readMatch(line), {
        name: 'SyntaxError', message: 'bad match: ' + line,
      });
    }
  });
  it('readGoals', () => {
    assert.deepEqual(readGoals('10:2'), [10, 2]);
    for (const text of ['2', '2:', ':2', '1:2:3', 'a:1', '1:1.5']) {
      assert.throws(() => readGoals(text), {
        name: 'SyntaxError', message: 'bad goals: ' + text,
      });
    }
  });
  it('hasTeam', () => {
    const teams = ['Reds', 'Blues', 'Greens'];
    const answers = teams.map((team) => hasTeam(matches[0], team));
    assert.deepEqual(answers, [true, true, false]);
  });
});

describe('record', () => {
  for (const [team, want] of [['Reds', [3, 1, 0]], ['Blues', [0, 0, 3]]]) {
    it('pointsFrom matches of ' + team, () => {
      const points = matches.map((match) => pointsFrom(match, team));
      assert.deepEqual(points, want);
    });
  }
  it('goalsOf either side', () => {
    assert.deepEqual(goalsOf(matches[0], 'Reds'), { shot: 2, against: 1 });
    assert.deepEqual(goalsOf(matches[0], 'Blues'), { shot: 1, against: 2 });
  });
  it('teamRecord adds up', () => {
    assert.deepEqual(teamRecord(matches, 'Blues'), {
      team: 'Blues', played: 2, points: 3, shot: 5, against: 3,
    });
    assert.equal(teamRecord([...matches, matches[1]], 'Reds').points, 5);
  });
  it('goalDifference', () => {
    assert.equal(goalDifference(record(0, 3, 5)), -2);
  });
  it('formOf', () => {
    assert.equal(formOf(matches, 'Reds'), 'WD');
    assert.equal(formOf(matches, 'Blues'), 'LW');
  });
});

describe('standings', () => {
  it('teamNames', () => {
    assert.deepEqual(teamNames(matches), ['Blues', 'Greens', 'Reds']);
    assert.deepEqual(teamNames([matches[0]]), ['Blues', 'Reds']);
  });
  it('compareRecords looks at three numbers', () => {
    assert.equal(compareRecords(record(3, 0, 0), record(7, 0, 0)), 4);
    assert.equal(compareRecords(record(3, 5, 1), record(3, 9, 8)), -3);
    assert.equal(compareRecords(record(3, 5, 1), record(3, 6, 2)), 1);
    assert.equal(compareRecords(record(3, 5, 1), record(3, 5, 1)), 0);
  });
  it('standings start with the best', () => {
    const sorted = standings(matches);
    const teams = sorted.map((one) => one.team + one.points);
    assert.deepEqual(teams, ['Reds4', 'Blues3', 'Greens1']);
  });
  it('rankRecords share ranks', () => {
    const sorted = [record(6, 1, 0), record(3, 4, 2), record(3, 4, 2)];
    assert.deepEqual(rankRecords([...sorted, record(1, 0, 0)]), [1, 2, 2, 4]);
  });
  it('pointsBehind the first', () => {
    assert.equal(pointsBehind(standings(matches), 'Greens'), 3);
    assert.throws(() => pointsBehind(standings(matches), 'Pinks'), {
      message: 'no team Pinks',
    });
  });
  it('isDecided', () => {
    const sorted = [record(20, 0, 0), record(14, 0, 0)];
    assert.equal(isDecided(sorted, 1), true);
    assert.equal(isDecided(sorted, 2), false);
    assert.equal(isDecided([record(21, 0, 0), sorted[1]], 2), true);
    assert.equal(isDecided([record(0, 0, 0)], 5), true);
  });
});
