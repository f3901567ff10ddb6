/** Plays a queue of tracks on a virtual clock. */
export class Player {
  constructor(clock, queue) {
    this.clock = clock;
    this.queue = queue;
    this.current = null;
    this.alarm = null;
    this.rest = 0;
    this.history = [];
  }

  /** Starts to play, or goes on after a stop. */
  play() {
    if (this.alarm !== null) return;
    if (this.current === null) this.load();
    if (this.current === null) return;
    this.alarm = this.clock.after(this.rest, () => this.finish());
  }

  /** Takes the next track from the queue. */
  load() {
    this.current = this.queue.shift();
    if (this.current !== null) this.rest = this.current.seconds;
  }

  /** Stops and remembers the place in the track. */
  stop() {
    if (this.alarm === null) return;
    this.rest = this.alarm.due - this.clock.now;
    this.clock.cancel(this.alarm);
    this.alarm = null;
  }

  /** Goes to the next track without noting this one. */
  skip() {
    this.stop();
    this.current = null;
    this.play();
  }

  /** Notes the track that has ended and plays the next one. */
  finish() {
    this.history.push({ title: this.current.title, end: this.clock.now });
    this.alarm = null;
    this.current = null;
    this.play();
  }

  /** Seconds of the track that have been played. */
  position() {
    if (this.current === null) return 0;
    if (this.alarm === null) return this.current.seconds - this.rest;
    return this.current.seconds - (this.alarm.due - this.clock.now);
  }
}
