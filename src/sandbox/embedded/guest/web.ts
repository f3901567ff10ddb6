/** Web globals that the engine lacks: Event, EventTarget, AbortController. */
type Listener = ((event: any) => void) | { handleEvent(event: any): void };

export class Event {
  readonly type: string;
  readonly cancelable: boolean;
  defaultPrevented = false;
  target: unknown = null;
  currentTarget: unknown = null;
  readonly timeStamp = 0;
  constructor(type: string, options: { cancelable?: boolean } = {}) {
    this.type = String(type);
    this.cancelable = !!options.cancelable;
  }
  preventDefault(): void {
    if (this.cancelable) this.defaultPrevented = true;
  }
  stopPropagation(): void {}
  stopImmediatePropagation(): void {
    this.stopped = true;
  }
  stopped = false;
}

export class CustomEvent extends Event {
  readonly detail: unknown;
  constructor(type: string, options: { cancelable?: boolean; detail?: unknown } = {}) {
    super(type, options);
    this.detail = options.detail ?? null;
  }
}

export class EventTarget {
  #listeners: { type: string; listener: Listener; once: boolean }[] = [];
  addEventListener(type: string, listener: Listener | null, options?: { once?: boolean; signal?: AbortSignal } | boolean): void {
    if (!listener || this.#listeners.some((l) => l.type === type && l.listener === listener)) return;
    const { once = false, signal } = typeof options === "object" ? options : {};
    this.#listeners.push({ type, listener, once });
    signal?.addEventListener("abort", () => this.removeEventListener(type, listener));
  }
  removeEventListener(type: string, listener: Listener | null): void {
    this.#listeners = this.#listeners.filter((l) => l.type !== type || l.listener !== listener);
  }
  dispatchEvent(event: any): boolean {
    event.target = event.currentTarget = this;
    for (const entry of this.#listeners.slice()) {
      if (entry.type !== event.type) continue;
      if (entry.once) this.removeEventListener(entry.type, entry.listener);
      if (typeof entry.listener === "function") entry.listener.call(this, event);
      else entry.listener.handleEvent(event);
      if (event.stopped) break;
    }
    return !event.defaultPrevented;
  }
}

const CREATE = Symbol("create");

class Signal extends EventTarget {
  aborted = false;
  reason: unknown = undefined;
  onabort: ((event: any) => void) | null = null;
  constructor(key?: symbol) {
    super();
    if (key !== CREATE) throw Object.assign(new TypeError("Illegal constructor"), { code: "ERR_ILLEGAL_CONSTRUCTOR" });
    for (const name of ["aborted", "reason", "onabort"]) Object.defineProperty(this, name, { enumerable: false });
  }
  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }
  static abort(reason?: unknown): Signal {
    const controller = new Controller();
    controller.abort(reason);
    return controller.signal;
  }
  static timeout(ms: number): Signal {
    const controller = new Controller();
    setTimeout(() => controller.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError")), ms);
    return controller.signal;
  }
  static any(signals: Signal[]): Signal {
    const controller = new Controller();
    for (const s of signals) {
      if (s.aborted) controller.abort(s.reason);
      else s.addEventListener("abort", () => controller.abort(s.reason));
    }
    return controller.signal;
  }
}

class Controller {
  readonly #signal = new Signal(CREATE);
  get signal(): Signal {
    return this.#signal;
  }
  abort(reason: unknown = new DOMException("This operation was aborted", "AbortError")): void {
    const signal = this.#signal;
    if (signal.aborted) return;
    signal.aborted = true;
    signal.reason = reason;
    const event = new Event("abort");
    signal.onabort?.(event);
    signal.dispatchEvent(event);
  }
}
Object.defineProperty(Signal, "name", { value: "AbortSignal" });
Object.defineProperty(Controller, "name", { value: "AbortController" });
export { Signal as AbortSignal, Controller as AbortController };
