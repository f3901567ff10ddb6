/** Pairs of one round: the first team stays, the others go around. */
export function pairRound(teams, round) {
  const others = teams.slice(1);
  const turn = round % others.length;
  const turned = [...others.slice(turn), ...others.slice(0, turn)];
  const circle = [teams[0], ...turned];
  const pairs = [];
  for (let i = 0; i < circle.length / 2; i++) {
    pairs.push([circle[i], circle[circle.length - 1 - i]]);
  }
  return pairs;
}

/** Adds a free place when the number of teams is odd. */
export function evenTeams(teams) {
  return teams.length % 2 === 0 ? teams : [...teams, null];
}

/** All rounds in which every team meets every other once. */
export function leagueRounds(teams) {
  const even = evenTeams(teams);
  const rounds = [];
  for (let round = 0; round < even.length - 1; round++) {
    const pairs = pairRound(even, round);
    rounds.push(pairs.filter((pair) => !pair.includes(null)));
  }
  return rounds;
}

/** The same rounds with home and away swapped. */
export function returnRounds(rounds) {
  return rounds.map((pairs) => pairs.map(([home, away]) => [away, home]));
}

/** How many matches a league has. */
export function matchCount(teams, legs = 1) {
  return (teams * (teams - 1) * legs) / 2;
}

/** Round, from 1, in which two teams meet; 0 when they never do. */
export function meetingRound(rounds, first, second) {
  for (let i = 0; i < rounds.length; i++) {
    for (const pair of rounds[i]) {
      if (pair.includes(first) && pair.includes(second)) return i + 1;
    }
  }
  return 0;
}
