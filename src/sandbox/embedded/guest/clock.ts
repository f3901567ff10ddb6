/**
 * Virtual time: timers never wait. The clock stands still while code runs and jumps to a timer's due time when that
 * timer fires, so every run of a program sees the same times in the same order.
 */
const EPOCH = Date.UTC(2024, 0, 1);
const RealDate = Date;

interface Timer {
  id: number;
  at: number;
  repeat: number;
  refd: boolean;
  fn: (...args: unknown[]) => void;
  args: unknown[];
}

let now = 0;
let nextId = 1;
/** Sorted by due time, first in first out within one instant. */
const queue: Timer[] = [];
let immediates: { id: number; fn: (...args: unknown[]) => void; args: unknown[] }[] = [];

/** Virtual milliseconds since the program began. */
export const virtualNow = (): number => now;

/** The handle that setTimeout returns. */
export class Timeout {
  readonly #timer: Timer;
  constructor(timer: Timer) {
    this.#timer = timer;
  }
  ref(): this {
    this.#timer.refd = true;
    return this;
  }
  unref(): this {
    this.#timer.refd = false;
    return this;
  }
  hasRef(): boolean {
    return this.#timer.refd;
  }
  refresh(): this {
    remove(this.#timer.id);
    this.#timer.at = now + (this.#timer.repeat || this.#timer.at - now);
    insert(this.#timer);
    return this;
  }
  close(): this {
    remove(this.#timer.id);
    return this;
  }
  [Symbol.toPrimitive](): number {
    return this.#timer.id;
  }
}

function insert(timer: Timer): void {
  let i = queue.length;
  while (i > 0 && queue[i - 1].at > timer.at) i--;
  queue.splice(i, 0, timer);
}

function remove(id: number): void {
  const i = queue.findIndex((t) => t.id === id);
  if (i >= 0) queue.splice(i, 1);
}

function add(fn: unknown, ms: unknown, args: unknown[], repeat: boolean): Timeout {
  if (typeof fn !== "function") {
    throw Object.assign(new TypeError(`The "callback" argument must be of type function. Received ${String(fn)}`), {
      code: "ERR_INVALID_ARG_TYPE",
    });
  }
  let delay = Number(ms);
  if (!(delay >= 1 && delay <= 2147483647)) delay = 1;
  delay = Math.trunc(delay);
  const timer: Timer = { id: nextId++, at: now + delay, repeat: repeat ? delay : 0, refd: true, fn: fn as Timer["fn"], args };
  insert(timer);
  return new Timeout(timer);
}

const idOf = (handle: unknown): number => (handle == null ? -1 : Number(handle as number));

export const setTimeout = (fn: unknown, ms?: unknown, ...args: unknown[]): Timeout => add(fn, ms, args, false);
export const setInterval = (fn: unknown, ms?: unknown, ...args: unknown[]): Timeout => add(fn, ms, args, true);
export const clearTimeout = (handle: unknown): void => remove(idOf(handle));
export function setImmediate(fn: (...args: unknown[]) => void, ...args: unknown[]): object {
  const item = { id: nextId++, fn, args };
  immediates.push(item);
  return item;
}
export function clearImmediate(handle: unknown): void {
  immediates = immediates.filter((item) => item !== handle);
}

/** Runs one macrotask: an immediate, else the earliest timer. False when only unref'd timers, or none, are left. */
export function runNext(): boolean {
  const immediate = immediates.shift();
  if (immediate) {
    immediate.fn(...immediate.args);
    return true;
  }
  if (!queue.some((t) => t.refd)) return false;
  const timer = queue.shift()!;
  if (timer.at > now) now = timer.at;
  if (timer.repeat > 0) {
    timer.at = now + timer.repeat;
    insert(timer);
  }
  timer.fn(...timer.args);
  return true;
}

/** Date whose "now" is the virtual clock; a constructor call with arguments is the engine's own. */
const VirtualDate = new Proxy(RealDate, {
  construct(target, args, newTarget) {
    return Reflect.construct(target, args.length === 0 ? [EPOCH + Math.floor(now)] : args, newTarget);
  },
  apply: () => new RealDate(EPOCH + Math.floor(now)).toString(),
});
RealDate.now = () => EPOCH + Math.floor(now);
Object.defineProperty(RealDate.prototype, "constructor", { value: VirtualDate, writable: true, configurable: true });

/** mulberry32; the same sequence in every program. */
function seededRandom(seed: number): () => number {
  let s = seed | 0;
  return () => {
    s = (s + 0x6d2b79f5) | 0;
    let t = Math.imul(s ^ (s >>> 15), 1 | s);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export const performance = {
  timeOrigin: EPOCH,
  now: () => now,
  mark: (name: string) => ({ name, entryType: "mark", startTime: now, duration: 0 }),
  measure: (name: string) => ({ name, entryType: "measure", startTime: 0, duration: now }),
  toJSON: () => ({ timeOrigin: EPOCH }),
};

export const timers = { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval: clearTimeout, clearImmediate };
/** The globals that replace the engine's. */
export const clockGlobals = { ...timers, Date: VirtualDate, performance };
export const random = seededRandom(1);
