/** Makes a track; its length is in whole seconds. */
export function createTrack(title, artist, seconds) {
  if (title.trim() === '') throw new Error('a track needs a title');
  if (!Number.isInteger(seconds) || seconds <= 0) {
    throw new RangeError('bad track length: ' + seconds);
  }
  return { title, artist, seconds };
}

/** Writes seconds as 3:07 or 1:02:09. */
export function showDuration(seconds) {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = seconds % 60;
  const tail = rest < 10 ? '0' + rest : String(rest);
  if (hours === 0) return minutes + ':' + tail;
  const middle = minutes < 10 ? '0' + minutes : String(minutes);
  return hours + ':' + middle + ':' + tail;
}

/** Reads a duration with one, two or three parts. */
export function readDuration(text) {
  const parts = text.split(':');
  if (parts.length > 3) throw new Error('bad duration: ' + text);
  let seconds = 0;
  for (const part of parts) {
    const number = Number(part);
    if (part === '' || !(number >= 0)) {
      throw new Error('bad duration: ' + text);
    }
    seconds = seconds * 60 + number;
  }
  return seconds;
}

/** Key for finding a track again; case and edges do not matter. */
export function trackKey(track) {
  const artist = track.artist.trim().toLowerCase();
  return artist + '/' + track.title.trim().toLowerCase();
}
