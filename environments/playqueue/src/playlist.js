import { trackKey } from './track.js';

/** Sum of the lengths of all tracks. */
export function playingTime(tracks) {
  let seconds = 0;
  for (const track of tracks) seconds += track.seconds;
  return seconds;
}

/** Moves the track at one place to another place. */
export function moveTrack(tracks, from, to) {
  const moved = [...tracks];
  const [track] = moved.splice(from, 1);
  moved.splice(to, 0, track);
  return moved;
}

/** Leaves out tracks that came before, by their key. */
export function withoutRepeats(tracks) {
  const seen = new Set();
  const kept = [];
  for (const track of tracks) {
    const key = trackKey(track);
    if (seen.has(key)) continue;
    seen.add(key);
    kept.push(track);
  }
  return kept;
}

/** Place and offset of a moment in a list, or null after its end. */
export function locateMoment(tracks, moment) {
  let rest = moment;
  for (let i = 0; i < tracks.length; i++) {
    if (rest < tracks[i].seconds) return { index: i, offset: rest };
    rest -= tracks[i].seconds;
  }
  return null;
}

/** Seconds at which each track starts. */
export function startTimes(tracks) {
  const starts = [];
  let at = 0;
  for (const track of tracks) {
    starts.push(at);
    at += track.seconds;
  }
  return starts;
}
