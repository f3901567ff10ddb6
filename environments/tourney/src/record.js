import { hasTeam, winnerOf } from './match.js';

/** Points of a team from one match: 3 for a win, 1 for a draw. */
export function pointsFrom(match, team) {
  if (!hasTeam(match, team)) return 0;
  const winner = winnerOf(match);
  if (winner === null) return 1;
  return winner === team ? 3 : 0;
}

/** Goals that a team shot in a match, or got against it. */
export function goalsOf(match, team) {
  if (match.home === team) {
    return { shot: match.homeGoals, against: match.awayGoals };
  }
  return { shot: match.awayGoals, against: match.homeGoals };
}

/** Everything about a team over some matches. */
export function teamRecord(matches, team) {
  const record = { team, played: 0, points: 0, shot: 0, against: 0 };
  for (const match of matches) {
    if (!hasTeam(match, team)) continue;
    const { shot, against } = goalsOf(match, team);
    record.played += 1;
    record.points += pointsFrom(match, team);
    record.shot += shot;
    record.against += against;
  }
  return record;
}

/** Goals shot minus goals against. */
export function goalDifference(record) {
  return record.shot - record.against;
}

/** Results of a team in order: W, D and L. */
export function formOf(matches, team) {
  let form = '';
  for (const match of matches) {
    if (!hasTeam(match, team)) continue;
    const points = pointsFrom(match, team);
    if (points === 3) form += 'W';
    else form += points === 1 ? 'D' : 'L';
  }
  return form;
}
