import { goalDifference } from './record.js';
import { rankRecords } from './standings.js';

/** A number with its sign; zero has none. */
export function signedText(number) {
  return number > 0 ? '+' + number : String(number);
}

/** One line of a printed table. */
export function standingLine(rank, record) {
  const difference = signedText(goalDifference(record));
  return rank + '. ' + record.team + ' ' + record.points
    + ' (' + difference + ')';
}

/** All lines of a printed table. */
export function standingLines(sorted) {
  const ranks = rankRecords(sorted);
  return sorted.map((record, i) => standingLine(ranks[i], record));
}

/** Describes the end of a match in words. */
export function describeMatch(match) {
  const margin = Math.abs(match.homeGoals - match.awayGoals);
  if (margin === 0) return match.home + ' and ' + match.away + ' draw';
  const homeWins = match.homeGoals > match.awayGoals;
  const winner = homeWins ? match.home : match.away;
  const loser = homeWins ? match.away : match.home;
  const verb = margin >= 3 ? ' crush ' : ' beat ';
  return winner + verb + loser;
}
