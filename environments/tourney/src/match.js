/** Makes a match between two teams that has been played. */
export function playedMatch(home, away, homeGoals, awayGoals) {
  if (home === away) throw new Error(home + ' cannot play itself');
  if (homeGoals < 0 || awayGoals < 0) {
    throw new RangeError('goals must not be negative');
  }
  return { home, away, homeGoals, awayGoals };
}

/** Name of the winner, or null for a draw. */
export function winnerOf(match) {
  if (match.homeGoals > match.awayGoals) return match.home;
  if (match.awayGoals > match.homeGoals) return match.away;
  return null;
}

/** Name of the loser, or null for a draw. */
export function loserOf(match) {
  const winner = winnerOf(match);
  if (winner === null) return null;
  return winner === match.home ? match.away : match.home;
}

/** Reads goals such as "2:1" into two numbers. */
export function readGoals(text) {
  const parts = text.split(':');
  const goals = parts.map(Number);
  const whole = goals.every(Number.isInteger);
  if (!whole || goals.length !== 2 || parts.includes('')) {
    throw new SyntaxError('bad goals: ' + text);
  }
  return goals;
}

/** Reads a line such as "Reds 2:1 Blues". */
export function readMatch(line) {
  const words = line.split(' ');
  if (words.length !== 3) throw new SyntaxError('bad match: ' + line);
  const [homeGoals, awayGoals] = readGoals(words[1]);
  return playedMatch(words[0], words[2], homeGoals, awayGoals);
}

/** Writes a match the way readMatch reads it. */
export function writeMatch(match) {
  const goals = match.homeGoals + ':' + match.awayGoals;
  return match.home + ' ' + goals + ' ' + match.away;
}

/** Tells whether a team takes part in a match. */
export function hasTeam(match, team) {
  return match.home === team || match.away === team;
}
