/** mock.timers of node:test: timers and Date under the test's own control, on top of the virtual clock. */
interface MockTimer {
  id: number;
  at: number;
  repeat: number | undefined;
  fn: (...args: unknown[]) => void;
  args: unknown[];
}
type Api = "setTimeout" | "setInterval" | "setImmediate" | "Date";
const delayOf = (ms: unknown): number => (Number(ms) >= 1 ? Math.trunc(Number(ms)) : 1);
const ALL: Api[] = ["setTimeout", "setInterval", "setImmediate", "Date"];

export class MockTimers {
  #enabled = false;
  #now = 0;
  #nextId = 1;
  #timers: MockTimer[] = [];
  #undo: (() => void)[] = [];

  enable(options: { apis?: Api[]; now?: number | Date } = {}): void {
    if (this.#enabled) throw Object.assign(new Error("Invalid state: MockTimers is already enabled!"), { code: "ERR_INVALID_STATE" });
    const apis = options.apis ?? ALL;
    for (const api of apis) {
      if (!ALL.includes(api)) {
        throw Object.assign(new TypeError(`The property 'options.apis' option ${api} is not supported. Received '${api}'`), { code: "ERR_INVALID_ARG_VALUE" });
      }
    }
    this.#enabled = true;
    this.#now = Number(options.now ?? 0);
    const replace = (name: string, value: unknown) => {
      const g = globalThis as any;
      const original = Object.getOwnPropertyDescriptor(g, name)!;
      Object.defineProperty(g, name, { value, writable: true, configurable: true, enumerable: original.enumerable });
      this.#undo.push(() => Object.defineProperty(g, name, original));
    };
    const add = (fn: MockTimer["fn"], delay: number, args: unknown[], repeat?: number) => {
      const timer: MockTimer = { id: this.#nextId++, at: this.#now + delay, repeat, fn, args };
      this.#timers.push(timer);
      const handle = { id: timer.id, ref: () => handle, unref: () => handle, hasRef: () => true, [Symbol.toPrimitive]: () => timer.id };
      return handle;
    };
    const clear = (handle: unknown) => {
      if (handle == null) return;
      const id = Number(handle);
      this.#timers = this.#timers.filter((t) => t.id !== id);
    };
    if (apis.includes("setTimeout")) {
      replace("setTimeout", (fn: MockTimer["fn"], ms?: number, ...args: unknown[]) => add(fn, delayOf(ms), args));
      replace("clearTimeout", clear);
    }
    if (apis.includes("setInterval")) {
      replace("setInterval", (fn: MockTimer["fn"], ms?: number, ...args: unknown[]) => add(fn, delayOf(ms), args, delayOf(ms)));
      replace("clearInterval", clear);
    }
    if (apis.includes("setImmediate")) {
      replace("setImmediate", (fn: MockTimer["fn"], ...args: unknown[]) => add(fn, 0, args));
      replace("clearImmediate", clear);
    }
    if (apis.includes("Date")) {
      const Real = Date;
      const realNow = Real.now;
      const mocked: DateConstructor = new Proxy(Real, {
        construct: (target, args, newTarget): Date => Reflect.construct(target, args.length === 0 ? [this.#now] : args, newTarget === mocked ? target : newTarget),
        apply: () => new Real(this.#now).toString(),
      });
      replace("Date", mocked);
      Real.now = () => this.#now;
      this.#undo.push(() => (Real.now = realNow));
    }
  }

  #assertEnabled(): void {
    if (!this.#enabled) {
      throw Object.assign(new Error("Invalid state: You should enable MockTimers first by calling the .enable function"), { code: "ERR_INVALID_STATE" });
    }
  }

  #next(limit: number): MockTimer | undefined {
    let first: MockTimer | undefined;
    for (const t of this.#timers) if (t.at <= limit && (!first || t.at < first.at)) first = t;
    return first;
  }

  tick(ms = 1): void {
    this.#assertEnabled();
    if (ms < 0) throw Object.assign(new TypeError(`The argument 'time' must be positive. Received ${ms}`), { code: "ERR_INVALID_ARG_VALUE" });
    this.#runUntil(this.#now + ms);
  }

  #runUntil(end: number): void {
    for (let timer = this.#next(end); timer; timer = this.#next(end)) {
      this.#now = Math.max(this.#now, timer.at);
      if (timer.repeat !== undefined) timer.at += timer.repeat;
      else this.#timers = this.#timers.filter((t) => t !== timer);
      Reflect.apply(timer.fn, undefined, timer.args);
    }
    this.#now = end;
  }

  runAll(): void {
    this.#assertEnabled();
    if (this.#timers.length > 0) this.#runUntil(Math.max(...this.#timers.map((t) => t.at)));
  }

  setTime(ms = 0): void {
    this.#assertEnabled();
    this.#now = ms;
    this.#runUntil(ms);
  }

  reset(): void {
    for (const undo of this.#undo.toReversed()) undo();
    this.#undo = [];
    this.#timers = [];
    this.#enabled = false;
  }
  [Symbol.dispose](): void {
    this.reset();
  }
}
