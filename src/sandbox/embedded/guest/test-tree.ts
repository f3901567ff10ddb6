/** The tree of suites and tests of one file, and how one of their functions is run. */
import { clearTimeout, setTimeout } from "./clock.ts";
import { MockTracker } from "./mock.ts";

export type TestFn = (...args: any[]) => unknown;
export interface TestOptions {
  skip?: boolean | string;
  todo?: boolean | string;
  only?: boolean;
  timeout?: number;
  plan?: number;
  signal?: AbortSignal;
}
export interface Hook {
  fn: TestFn;
  timeout?: number;
  done?: Promise<void>;
}
interface Hooks {
  before: Hook[];
  after: Hook[];
  beforeEach: Hook[];
  afterEach: Hook[];
  ownAfterEach: number;
}

/** Why a test failed without its code having thrown. */
export class TestFailure extends Error {
  readonly code = "ERR_TEST_FAILURE";
  readonly kind: "subtests" | "cancelled" | "stuck" | "timeout" | "other";
  constructor(message: string, kind: TestFailure["kind"]) {
    super(message);
    this.kind = kind;
  }
}
export const STUCK = "Promise resolution is still pending but the event loop has already resolved";
export const CANCELLED = "test did not finish before its parent and was cancelled";

export class TestNode {
  readonly isSuite: boolean;
  readonly name: string;
  readonly parent: TestNode | null;
  readonly options: TestOptions;
  readonly fn: TestFn;
  readonly hooks: Hooks;
  readonly children: TestNode[] = [];
  readonly mock = new MockTracker();
  readonly abort = new AbortController();
  queue: Promise<unknown> = Promise.resolve();
  failedChildren = 0;
  finished = false;
  error: unknown;
  failed = false;
  skipped: boolean | string | undefined;
  todo: boolean | string | undefined;
  plan: number | undefined;
  planned = 0;
  building: Promise<unknown> | undefined;
  /** Ends the running function from outside (uncaught error, stuck). */
  interrupt: ((error: unknown) => void) | undefined;

  constructor(isSuite: boolean, name: string, options: TestOptions, fn: TestFn, parent: TestNode | null) {
    this.isSuite = isSuite;
    this.name = name;
    this.options = options;
    this.fn = fn;
    this.parent = parent;
    this.skipped = options.skip;
    this.todo = options.todo;
    this.plan = options.plan;
    // Hooks are inherited as they stand when the child is made, as in Node.
    this.hooks = {
      before: [],
      after: [],
      beforeEach: parent ? parent.hooks.beforeEach.slice() : [],
      afterEach: parent ? parent.hooks.afterEach.slice() : [],
      ownAfterEach: 0,
    };
  }
  get path(): string[] {
    return this.parent === null ? [] : [...this.parent.path, this.name];
  }
  fail(error: unknown): void {
    if (this.failed) return;
    this.failed = true;
    this.error = error;
  }
}

export function parse(name: unknown, options: unknown, fn: unknown): [string, TestOptions, TestFn] {
  if (typeof name === "function") {
    fn = name;
    options = undefined;
    name = undefined;
  } else if (name !== null && typeof name === "object") {
    fn = options;
    options = name;
    name = (options as { name?: unknown }).name;
  } else if (typeof options === "function") {
    fn = options;
    options = undefined;
  }
  if (typeof fn !== "function") fn = () => {};
  const title = typeof name === "string" && name !== "" ? name : (fn as Function).name || "<anonymous>";
  return [title, { ...(options as TestOptions) }, fn as TestFn];
}

/** Runs a test or hook function with its context; handles callbacks, time-outs and interruption. */
export function invoke(fn: TestFn, args: unknown[], timeout: number | undefined, node: TestNode, label: string): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    let timer: any;
    const outer = node.interrupt;
    const settle = (done: (value?: any) => void) => (value?: unknown) => {
      node.interrupt = outer;
      if (timer !== undefined) clearTimeout(timer);
      done(value);
    };
    const ok = settle(resolve);
    const bad = settle(reject);
    node.interrupt = bad;
    if (timeout !== undefined && timeout !== Infinity) {
      timer = setTimeout(() => bad(new TestFailure(`${label} timed out after ${timeout}ms`, "timeout")), timeout);
    }
    try {
      let result: any;
      if (fn.length === args.length + 1) {
        // What the callback says counts once the function has returned.
        let returned = false;
        let calls = 0;
        let verdict: (() => void) | undefined;
        result = fn.call(args[0], ...args, (error?: unknown) => {
          calls++;
          verdict = calls > 1 ? () => bad(new TestFailure("callback invoked multiple times", "other")) : error ? () => bad(error) : ok;
          if (returned) verdict();
        });
        returned = true;
        if (typeof result?.then === "function") bad(new TestFailure("passed a callback but also returned a Promise", "other"));
        else verdict?.();
        return;
      }
      result = fn.call(args[0], ...args);
      if (typeof result?.then === "function") result.then(() => ok(), bad);
      else ok();
    } catch (error) {
      bad(error);
    }
  });
}
