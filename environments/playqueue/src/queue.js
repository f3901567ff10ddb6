/** Waiting tracks; a request waits in front of what has fewer votes. */
export class RequestQueue {
  constructor(limit = 100) {
    this.limit = limit;
    this.entries = [];
  }

  /** Number of waiting tracks. */
  get size() {
    return this.entries.length;
  }

  /** Adds a track with votes and returns its place. */
  request(track, votes = 1) {
    if (this.size >= this.limit) throw new Error('queue is full');
    let place = this.size;
    while (place > 0 && this.entries[place - 1].votes < votes) {
      place -= 1;
    }
    this.entries.splice(place, 0, { track, votes });
    return place;
  }

  /** Gives the entry at a place one more vote; returns its place. */
  upvote(place) {
    if (place < 0 || place >= this.size) {
      throw new RangeError('no entry ' + place);
    }
    const [entry] = this.entries.splice(place, 1);
    return this.request(entry.track, entry.votes + 1);
  }

  /** Takes the first track, or null when nobody waits. */
  shift() {
    if (this.size === 0) return null;
    return this.entries.shift().track;
  }

  /** Seconds until the track at a place starts. */
  waitingTime(place) {
    let seconds = 0;
    for (let i = 0; i < place; i++) {
      seconds += this.entries[i].track.seconds;
    }
    return seconds;
  }
}
