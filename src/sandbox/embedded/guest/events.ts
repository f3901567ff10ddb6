/** node:events. */
type Listener = (...args: any[]) => void;

export class EventEmitter {
  _events: Map<PropertyKey, Listener[]> = new Map();

  constructor() {
    Object.defineProperty(this, "_events", { enumerable: false });
  }
  #list(name: PropertyKey): Listener[] {
    return this._events?.get(name) ?? [];
  }
  #add(name: PropertyKey, fn: Listener, front: boolean): this {
    if (typeof fn !== "function") {
      throw Object.assign(new TypeError(`The "listener" argument must be of type function. Received ${fn === null ? "null" : typeof fn}`), {
        code: "ERR_INVALID_ARG_TYPE",
      });
    }
    if (this.#list("newListener").length > 0) this.emit("newListener", name, (fn as any).listener ?? fn);
    this._events.set(name, front ? [fn, ...this.#list(name)] : [...this.#list(name), fn]);
    return this;
  }
  on(name: PropertyKey, fn: Listener): this {
    return this.#add(name, fn, false);
  }
  addListener(name: PropertyKey, fn: Listener): this {
    return this.on(name, fn);
  }
  prependListener(name: PropertyKey, fn: Listener): this {
    return this.#add(name, fn, true);
  }
  #once(name: PropertyKey, fn: Listener): Listener {
    const wrapper = (...args: unknown[]) => {
      this.removeListener(name, wrapper);
      return Reflect.apply(fn, this, args);
    };
    return typeof fn === "function" ? Object.assign(wrapper, { listener: fn }) : fn;
  }
  once(name: PropertyKey, fn: Listener): this {
    return this.on(name, this.#once(name, fn));
  }
  prependOnceListener(name: PropertyKey, fn: Listener): this {
    return this.prependListener(name, this.#once(name, fn));
  }
  removeListener(name: PropertyKey, fn: Listener): this {
    const list = this.#list(name);
    const i = list.findLastIndex((l) => l === fn || (l as any).listener === fn);
    if (i < 0) return this;
    if (list.length === 1) this._events.delete(name);
    else this._events.set(name, list.toSpliced(i, 1));
    if (this.#list("removeListener").length > 0) this.emit("removeListener", name, fn);
    return this;
  }
  off(name: PropertyKey, fn: Listener): this {
    return this.removeListener(name, fn);
  }
  removeAllListeners(name?: PropertyKey): this {
    if (name === undefined) this._events.clear();
    else this._events.delete(name);
    return this;
  }
  emit(name: PropertyKey, ...args: unknown[]): boolean {
    const list = this.#list(name);
    if (list.length === 0) {
      if (name !== "error") return false;
      if (args[0] instanceof Error) throw args[0];
      throw Object.assign(new Error(`Unhandled error. (${String(args[0])})`), { code: "ERR_UNHANDLED_ERROR", context: args[0] });
    }
    for (const fn of list) Reflect.apply(fn, this, args);
    return true;
  }
  listenerCount(name: PropertyKey): number {
    return this.#list(name).length;
  }
  listeners(name: PropertyKey): Listener[] {
    return this.#list(name).map((l) => (l as any).listener ?? l);
  }
  rawListeners(name: PropertyKey): Listener[] {
    return this.#list(name).slice();
  }
  eventNames(): PropertyKey[] {
    return [...this._events.keys()];
  }
  setMaxListeners(): this {
    return this;
  }
  getMaxListeners(): number {
    return events.defaultMaxListeners;
  }
}

function once(emitter: EventEmitter, name: PropertyKey): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    const onError = (error: unknown) => {
      emitter.removeListener(name, onEvent);
      reject(error);
    };
    const onEvent = (...args: unknown[]) => {
      emitter.removeListener("error", onError);
      resolve(args);
    };
    emitter.once(name, onEvent);
    if (name !== "error") emitter.once("error", onError);
  });
}

/** The module is the class itself, with the functions on it. */
export const events = Object.assign(EventEmitter, {
  EventEmitter, once, defaultMaxListeners: 10,
  listenerCount: (emitter: EventEmitter, name: PropertyKey) => emitter.listenerCount(name),
});
