/** The `mock` object of node:test: mock functions, methods, getters, setters and timers. */
import { MockTimers } from "./mock-timers.ts";

interface Call {
  arguments: unknown[];
  this: unknown;
  target: Function | undefined;
  result: unknown;
  error: unknown;
  stack: Error;
}

type AnyFunction = (this: unknown, ...args: any[]) => any;

/** What `fn.mock` gives access to. */
class MockFunctionContext {
  #calls: Call[] = [];
  #implementation: AnyFunction;
  #once = new Map<number, AnyFunction>();
  readonly #original: AnyFunction;
  #undo: (() => void) | undefined;

  constructor(original: AnyFunction, implementation: AnyFunction, undo?: () => void) {
    this.#original = original;
    this.#implementation = implementation;
    this.#undo = undo;
  }
  get calls(): Call[] {
    return this.#calls.slice();
  }
  callCount(): number {
    return this.#calls.length;
  }
  mockImplementation(implementation: AnyFunction): void {
    this.#implementation = implementation;
  }
  mockImplementationOnce(implementation: AnyFunction, onCall = this.#calls.length): void {
    this.#once.set(onCall, implementation);
  }
  resetCalls(): void {
    this.#calls = [];
  }
  restore(): void {
    this.#undo?.();
    this.#undo = undefined;
    this.#implementation = this.#original;
    this.#once.clear();
  }
  invoke(self: unknown, args: unknown[], target: Function | undefined): unknown {
    const n = this.#calls.length;
    const fn = this.#once.get(n) ?? this.#implementation;
    this.#once.delete(n);
    const call: Call = { arguments: args, this: self, target, result: undefined, error: undefined, stack: new Error() };
    try {
      if (target) {
        call.result = Reflect.construct(fn, args, target);
        call.this = call.result;
      } else call.result = Reflect.apply(fn, self, args);
      return call.result;
    } catch (error) {
      call.error = error;
      throw error;
    } finally {
      this.#calls.push(call);
    }
  }
}

interface MockOptions {
  times?: number;
  getter?: boolean;
  setter?: boolean;
}

export class MockTracker {
  readonly timers = new MockTimers();
  #mocks: MockFunctionContext[] = [];

  fn(original?: AnyFunction | MockOptions, implementation?: AnyFunction | MockOptions, options: MockOptions = {}): AnyFunction {
    if (typeof original !== "function") {
      options = original ?? options;
      original = function () {};
    }
    if (typeof implementation !== "function") {
      options = implementation ?? options;
      implementation = original;
    }
    return this.#create(original, implementation, options);
  }

  #create(original: AnyFunction, implementation: AnyFunction, options: MockOptions, undo?: () => void): AnyFunction {
    const context = new MockFunctionContext(original, implementation, undo);
    this.#mocks.push(context);
    const times = options.times ?? Infinity;
    const call = (self: unknown, args: unknown[], target?: Function) => {
      const result = context.invoke(self, args, target);
      if (context.callCount() === times) context.restore();
      return result;
    };
    return new Proxy(original, {
      apply: (_fn, self, args) => call(self, args),
      construct: (_fn, args, target) => call(undefined, args, target) as object,
      get: (fn, key, receiver) => (key === "mock" ? context : Reflect.get(fn, key, receiver)),
      has: (fn, key) => key === "mock" || Reflect.has(fn, key),
    });
  }

  method(object: any, name: PropertyKey, implementation?: AnyFunction | MockOptions, options: MockOptions = {}): AnyFunction {
    if (typeof implementation !== "function") {
      options = implementation ?? options;
      implementation = undefined;
    }
    let owner = object;
    let descriptor: PropertyDescriptor | undefined;
    while (owner && !(descriptor = Object.getOwnPropertyDescriptor(owner, name))) owner = Object.getPrototypeOf(owner);
    const slot = options.getter ? "get" : options.setter ? "set" : "value";
    const original = descriptor?.[slot];
    if (typeof original !== "function") {
      throw Object.assign(new TypeError(`The argument 'methodName' must be a method. Received ${String(original)}`), { code: "ERR_INVALID_ARG_VALUE" });
    }
    const isOwn = owner === object;
    const mocked = this.#create(original, implementation ?? original, options, () => {
      if (isOwn) Object.defineProperty(object, name, descriptor!);
      else delete object[name];
    });
    Object.defineProperty(object, name, { ...descriptor, configurable: true, [slot]: mocked });
    return mocked;
  }

  getter(object: object, name: PropertyKey, implementation?: AnyFunction | MockOptions, options: MockOptions = {}): AnyFunction {
    if (typeof implementation !== "function") return this.method(object, name, { ...implementation, ...options, getter: true });
    return this.method(object, name, implementation, { ...options, getter: true });
  }
  setter(object: object, name: PropertyKey, implementation?: AnyFunction | MockOptions, options: MockOptions = {}): AnyFunction {
    if (typeof implementation !== "function") return this.method(object, name, { ...implementation, ...options, setter: true });
    return this.method(object, name, implementation, { ...options, setter: true });
  }

  restoreAll(): void {
    for (const mock of this.#mocks) mock.restore();
  }
  reset(): void {
    this.restoreAll();
    this.timers.reset();
    this.#mocks = [];
  }
}
