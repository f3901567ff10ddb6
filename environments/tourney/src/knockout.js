import { winnerOf } from './match.js';

/** Smallest power of two that has room for all teams. */
export function bracketSize(teams) {
  let size = 1;
  while (size < teams) size *= 2;
  return size;
}

/** Places of the seeds, so that the best two meet at the end. */
export function seedOrder(size) {
  let order = [1];
  while (order.length < size) {
    const total = order.length * 2 + 1;
    order = order.flatMap((seed) => [seed, total - seed]);
  }
  return order;
}

/** Pairs of the first round; a missing opponent is null. */
export function firstRound(teams) {
  const order = seedOrder(bracketSize(teams.length));
  const pairs = [];
  for (let i = 0; i < order.length; i += 2) {
    const home = teams[order[i] - 1];
    pairs.push([home, teams[order[i + 1] - 1] ?? null]);
  }
  return pairs;
}

/** Teams that go on; results are the matches that were played. */
export function goOn(pairs, matches) {
  return pairs.map(([home, away]) => {
    if (away === null) return home;
    const match = matches.find((one) => {
      return one.home === home && one.away === away;
    });
    const winner = match === undefined ? null : winnerOf(match);
    if (winner === null) throw new Error('no winner: ' + home + ' ' + away);
    return winner;
  });
}

/** Name of a round by the number of teams in it. */
export function roundName(teams) {
  if (teams === 2) return 'final';
  if (teams === 4) return 'semifinal';
  if (teams === 8) return 'quarterfinal';
  return 'round of ' + teams;
}
