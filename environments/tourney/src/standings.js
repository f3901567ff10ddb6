import { goalDifference, teamRecord } from './record.js';

/** All teams of some matches, sorted by name. */
export function teamNames(matches) {
  const names = new Set();
  for (const match of matches) {
    names.add(match.home);
    names.add(match.away);
  }
  return [...names].sort();
}

/** Orders records: points, then difference, then goals shot. */
export function compareRecords(first, second) {
  if (first.points !== second.points) return second.points - first.points;
  const lead = goalDifference(second) - goalDifference(first);
  if (lead !== 0) return lead;
  return second.shot - first.shot;
}

/** Records of all teams, the best one first. */
export function standings(matches) {
  const teams = teamNames(matches);
  const records = teams.map((team) => teamRecord(matches, team));
  return records.sort(compareRecords);
}

/** Ranks from 1; equal records share a rank and the next are left out. */
export function rankRecords(sorted) {
  const ranks = [];
  for (let i = 0; i < sorted.length; i++) {
    const tied = i > 0 && compareRecords(sorted[i - 1], sorted[i]) === 0;
    ranks.push(tied ? ranks[i - 1] : i + 1);
  }
  return ranks;
}

/** Points that a team is behind the first. */
export function pointsBehind(sorted, team) {
  const record = sorted.find((one) => one.team === team);
  if (record === undefined) throw new Error('no team ' + team);
  return sorted[0].points - record.points;
}

/** Tells whether the first can no longer be reached. */
export function isDecided(sorted, matchesLeft) {
  if (sorted.length < 2) return true;
  const lead = sorted[0].points - sorted[1].points;
  return lead > matchesLeft * 3;
}
