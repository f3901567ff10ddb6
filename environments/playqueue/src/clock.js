/** A clock that moves only when it is told to. */
export class VirtualClock {
  constructor(now = 0) {
    this.now = now;
    this.alarms = [];
  }

  /** Plans an action; equal times run in the order of planning. */
  after(delay, action) {
    if (delay < 0) throw new RangeError('delay must not be negative');
    const alarm = { due: this.now + delay, action };
    this.alarms.push(alarm);
    return alarm;
  }

  /** Takes back a planned action; tells whether it was waiting. */
  cancel(alarm) {
    const index = this.alarms.indexOf(alarm);
    if (index < 0) return false;
    this.alarms.splice(index, 1);
    return true;
  }

  /** The alarm that is due first, or null. */
  upcoming() {
    let soonest = null;
    for (const alarm of this.alarms) {
      if (soonest === null || alarm.due < soonest.due) soonest = alarm;
    }
    return soonest;
  }

  /** Moves on and runs every action on the way. */
  advance(seconds) {
    const goal = this.now + seconds;
    let alarm = this.upcoming();
    while (alarm !== null && alarm.due <= goal) {
      this.now = alarm.due;
      this.cancel(alarm);
      alarm.action();
      alarm = this.upcoming();
    }
    this.now = goal;
  }
}

/** A promise that is kept once the clock has moved far enough. */
export function pause(clock, seconds) {
  return new Promise((resolve) => {
    clock.after(seconds, () => resolve(clock.now));
  });
}
