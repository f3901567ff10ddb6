/** Next state of the dice, a whole number below 2147483648. */
export function nextState(state) {
  return (state * 1103 + 12345) % 2147483648;
}

/** Shuffles a copy of a list; one seed gives one order. */
export function shuffleTracks(tracks, seed) {
  const mixed = [...tracks];
  let state = nextState(seed);
  for (let i = mixed.length - 1; i > 0; i--) {
    const other = state % (i + 1);
    [mixed[i], mixed[other]] = [mixed[other], mixed[i]];
    state = nextState(state);
  }
  return mixed;
}

/** Takes one from each list in turn until all are used up. */
export function takeTurns(lists) {
  const result = [];
  const longest = Math.max(0, ...lists.map((list) => list.length));
  for (let turn = 0; turn < longest; turn++) {
    for (const list of lists) {
      if (turn < list.length) result.push(list[turn]);
    }
  }
  return result;
}

/** How many neighbours in a list have the same artist. */
export function countClashes(tracks) {
  let clashes = 0;
  for (let i = 1; i < tracks.length; i++) {
    if (tracks[i].artist === tracks[i - 1].artist) clashes += 1;
  }
  return clashes;
}

/** Spreads artists: picks the first track that does not clash. */
export function spreadArtists(tracks) {
  const waiting = [...tracks];
  const result = [];
  while (waiting.length > 0) {
    const before = result.at(-1)?.artist;
    let pick = waiting.findIndex((track) => track.artist !== before);
    if (pick < 0) pick = 0;
    result.push(waiting[pick]);
    waiting.splice(pick, 1);
  }
  return result;
}
