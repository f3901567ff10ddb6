import { pause } from './clock.js';

/** Calls back once for each track at the time when it starts. */
export async function announce(clock, tracks, callback) {
  for (const track of tracks) {
    callback(track.title, clock.now);
    await pause(clock, track.seconds);
  }
  return clock.now;
}

/** Resolves with a value, or fails when the clock passes a limit. */
export function withDeadline(clock, promise, limit) {
  const late = pause(clock, limit).then(() => {
    throw new Error('too late after ' + limit + ' seconds');
  });
  return Promise.race([promise, late]);
}

/** First tracks that fit into a time, without skipping any. */
export function fitInto(tracks, limit) {
  const chosen = [];
  let used = 0;
  for (const track of tracks) {
    if (used + track.seconds > limit) break;
    used += track.seconds;
    chosen.push(track);
  }
  return chosen;
}

/** Puts a jingle after every few tracks, but not at the end. */
export function insertJingles(tracks, jingle, every) {
  const result = [];
  for (let i = 0; i < tracks.length; i++) {
    if (i > 0 && i % every === 0) result.push(jingle);
    result.push(tracks[i]);
  }
  return result;
}

/** Volume while one track fades out: from 100 down to 0. */
export function fadeVolume(position, length, fade) {
  const left = length - position;
  if (left >= fade) return 100;
  if (left <= 0) return 0;
  return Math.round((left * 100) / fade);
}
