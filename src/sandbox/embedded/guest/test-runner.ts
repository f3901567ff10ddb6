/**
 * node:test for one file: tests run one after another, hooks in Node's order. A result is reported to the worker as
 * soon as it is known, so that a file that is stopped half-way keeps what it had.
 */
import { assert } from "./assert.ts";
import { setImmediate } from "./clock.ts";
import { describeFailure } from "../../failure.ts";
import { type CaseEvent, isOutOfMemory, OUT_OF_MEMORY } from "../guest-protocol.ts";
import { host } from "./host.ts";
import { MockTracker } from "./mock.ts";
import { CANCELLED, type Hook, invoke, parse, STUCK, TestFailure, type TestFn, TestNode, type TestOptions } from "./test-tree.ts";

const root = new TestNode(true, "<root>", {}, () => {}, null);
/** The suite whose body is running, or the test that is running; new tests become its children. */
let current: TestNode = root;
let active: TestNode | undefined;
let started = false;
let ended = false;
let pendingRoot = 0;
let fileError: { error: unknown } | undefined;

async function runHooks(kind: "before" | "after" | "beforeEach" | "afterEach", owner: TestNode, arg: unknown, runner: TestNode): Promise<void> {
  for (const hook of owner.hooks[kind]) {
    if (kind === "before" || kind === "after") {
      hook.done ??= invoke(hook.fn, [arg], hook.timeout, runner, "hook");
      await hook.done;
    }
    else await invoke(hook.fn, [arg], hook.timeout, runner, "hook");
  }
}

function report(node: TestNode): void {
  if (node.finished) return;
  node.finished = true;
  const event: CaseEvent = { path: node.path, status: "pass" };
  if (node.isSuite) event.suite = true;
  if (node.todo) event.todo = true;
  if (node.skipped || node.todo) event.status = "skip";
  else if (node.failed) {
    event.status = "fail";
    if (isOutOfMemory(node.error)) host.exit(OUT_OF_MEMORY);
    const kind = node.error instanceof TestFailure ? node.error.kind : undefined;
    if (kind === "subtests") event.childFailed = true;
    if (kind === "stuck") event.stuck = true;
    if (kind === "cancelled") event.cancelled = true;
    Object.assign(event, describeFailure(node.error));
  }
  if (node.parent && event.status === "fail") node.parent.failedChildren++;
  host.event(JSON.stringify(event));
}

function cancelTree(node: TestNode): void {
  if (node.finished) return;
  for (const child of node.children) cancelTree(child);
  node.fail(new TestFailure(stuck ? STUCK : CANCELLED, "cancelled"));
  report(node);
}

/** Subtests that nobody awaited are cancelled, but those that need no event loop get to their end first. */
async function endChildren(node: TestNode): Promise<void> {
  for (let tick = 0; tick < 30 && node.children.some((c) => !c.finished); tick++) await Promise.resolve();
  for (const child of node.children) cancelTree(child);
}

function subtestFailure(node: TestNode): void {
  const n = node.failedChildren;
  if (n > 0) node.fail(new TestFailure(`${n} subtest${n > 1 ? "s" : ""} failed`, "subtests"));
}

async function runSuite(suite: TestNode): Promise<void> {
  if (suite.skipped) return report(suite);
  await suite.building?.catch((error) => suite.fail(error));
  const context = { name: suite.name, signal: suite.abort.signal };
  try {
    if (suite.failed) throw suite.error;
    await runHooks("before", suite.parent!, context, suite);
    await runHooks("before", suite, context, suite);
    for (const child of suite.children) await run(child);
  } catch (error) {
    suite.fail(error);
  }
  try {
    await runHooks("after", suite, context, suite);
  } catch (error) {
    suite.fail(error);
  }
  for (const child of suite.children) cancelTree(child);
  subtestFailure(suite);
  report(suite);
}

async function runTest(test: TestNode): Promise<void> {
  if (test.skipped) return report(test);
  const parent = test.parent!;
  const context = new TestContext(test);
  const outer = current;
  const outerActive = active;
  current = active = test;
  const afterEach = async () => {
    const hooks = parent.hooks.afterEach;
    if (hooks.length > 0 && !afterEachDone) {
      afterEachDone = true;
      await runHooks("afterEach", parent, context, test);
    }
  };
  let afterEachDone = false;
  try {
    await runHooks("before", parent, context, test);
    await runHooks("beforeEach", parent, context, test);
    await invoke(test.fn, [context], test.options.timeout, test, "test");
    if (test.plan !== undefined && test.planned !== test.plan) {
      throw new TestFailure(`plan expected ${test.plan} assertions but received ${test.planned}`, "other");
    }
    await endChildren(test);
    subtestFailure(test);
    await runHooks("after", test, context, test);
    await afterEach();
  } catch (error) {
    test.fail(error);
    try {
      await endChildren(test);
      await runHooks("after", test, context, test).catch(() => {});
      await afterEach();
    } catch {
      // The first error is the one to show.
    }
  } finally {
    current = outer;
    active = outerActive;
  }
  test.mock.reset();
  test.abort.abort();
  report(test);
}

/** After a test that can never end, Node cancels whatever has not run yet. */
function run(node: TestNode): Promise<void> {
  if (!stuck) return node.isSuite ? runSuite(node) : runTest(node);
  cancelTree(node);
  return Promise.resolve();
}

function register(isSuite: boolean, preset: TestOptions, parentOf: () => TestNode) {
  return (name?: unknown, options?: unknown, fn?: unknown): Promise<void> => {
    const [title, given, body] = parse(name, options, fn);
    const parent = parentOf();
    const node = new TestNode(isSuite, title, { ...given, ...preset }, body, parent);
    if (parent.finished && parent !== root) {
      node.fail(new TestFailure("test could not be started because its parent finished", "other"));
      report(node);
      return Promise.resolve();
    }
    parent.children.push(node);
    parent.planned++;
    if (isSuite && !node.skipped) buildSuite(node);
    if (parent.isSuite && parent !== root) return Promise.resolve();
    if (parent === root) {
      pendingRoot++;
      return new Promise((resolve) => {
        const go = async () => {
          if (!ended) await run(node);
          pendingRoot--;
          resolve();
        };
        if (started) root.queue = root.queue.then(go);
        else beforeStart.push(() => (root.queue = root.queue.then(go)));
        start();
      });
    }
    // The first subtest starts at once, as in Node; the others wait for their turn.
    const first = parent.children.every((c) => c === node || c.finished);
    const result = first ? run(node) : parent.queue.then(() => (node.finished ? undefined : run(node)));
    parent.queue = result;
    return result as Promise<void>;
  };
}

function buildSuite(node: TestNode): void {
  const outer = current;
  let building = true;
  // An async body goes on after its first await: this microtask, queued before, makes the suite current again.
  queueMicrotask(() => {
    if (building && node.building) current = node;
  });
  current = node;
  try {
    const context = { name: node.name, signal: node.abort.signal };
    const result = node.fn.call(context, context);
    if (typeof (result as any)?.then === "function") {
      const done = () => {
        building = false;
        if (current === node) current = outer;
      };
      node.building = (result as Promise<unknown>).finally(done);
      node.building.catch(() => {});
    }
  } catch (error) {
    node.fail(error);
  }
  current = outer;
}

const beforeStart: (() => void)[] = [];
let scheduled = false;
/** The first test begins after the module's synchronous code, so that later hooks are known. */
function start(): void {
  if (scheduled) return;
  scheduled = true;
  setImmediate(() => {
    started = true;
    for (const go of beforeStart) go();
  });
}

class TestContext {
  readonly #test: TestNode;
  readonly test: ReturnType<typeof register>;
  readonly it: ReturnType<typeof register>;
  constructor(test: TestNode) {
    this.#test = test;
    this.test = register(false, {}, () => test);
    this.it = this.test;
  }
  get name(): string {
    return this.#test.name;
  }
  get fullName(): string {
    return this.#test.path.join(" > ");
  }
  get signal(): AbortSignal {
    return this.#test.abort.signal;
  }
  get mock(): MockTracker {
    return this.#test.mock;
  }
  get assert(): any {
    const test = this.#test;
    return new Proxy(assert, {
      get: (target, key) => {
        const value = target[key];
        if (typeof value !== "function" || key === "AssertionError") return value;
        return (...args: unknown[]) => {
          test.planned++;
          return value(...args);
        };
      },
    });
  }
  plan(count: number): void {
    this.#test.plan = count;
    this.#test.planned = 0;
  }
  diagnostic(message: unknown): void {
    host.out(1, `# ${String(message)}\n`);
  }
  skip(reason?: string): void {
    this.#test.skipped = reason ?? true;
  }
  todo(reason?: string): void {
    this.#test.todo = reason ?? true;
  }
  runOnly(): void {}
  before(fn: TestFn, options?: TestOptions): void {
    addHook(this.#test, "before", fn, options);
  }
  after(fn: TestFn, options?: TestOptions): void {
    addHook(this.#test, "after", fn, options);
  }
  beforeEach(fn: TestFn, options?: TestOptions): void {
    addHook(this.#test, "beforeEach", fn, options);
  }
  afterEach(fn: TestFn, options?: TestOptions): void {
    addHook(this.#test, "afterEach", fn, options);
  }
}

function addHook(node: TestNode, kind: "before" | "after" | "beforeEach" | "afterEach", fn: TestFn, options: TestOptions = {}): void {
  const hook: Hook = { fn, timeout: options.timeout };
  if (kind === "afterEach") node.hooks.afterEach.splice(node.hooks.ownAfterEach++, 0, hook);
  else node.hooks[kind].push(hook);
}

const here = (): TestNode => current;
function withVariants(isSuite: boolean): any {
  const base = (name?: unknown, options?: unknown, fn?: unknown) => register(isSuite, {}, here)(name, options, fn);
  return Object.assign(base, {
    skip: register(isSuite, { skip: true }, here),
    todo: register(isSuite, { todo: true }, here),
    only: register(isSuite, { only: true }, here),
  });
}

const test = withVariants(false);
const describe = withVariants(true);
const hook = (kind: "before" | "after" | "beforeEach" | "afterEach") => (fn: TestFn, options?: TestOptions) => addHook(current, kind, fn, options);
const mock = new MockTracker();

/** The node:test module; its default export is `test` with everything on it. */
export const testModule = Object.assign(test, {
  test, it: withVariants(false), describe, suite: withVariants(true), mock,
  before: hook("before"), after: hook("after"), beforeEach: hook("beforeEach"), afterEach: hook("afterEach"),
});

/** An error that no code caught: it fails the running test, or the whole file. */
export function uncaught(error: unknown): void {
  if (active?.interrupt) active.interrupt(error);
  else fileError ??= { error };
}

/** The module threw while loading: its tests do not run. */
export function loadFailed(error: unknown): void {
  fileError ??= { error };
  ended = true;
}

/**
 * Called when nothing is left to run. True when there is more to do: a test whose promise can no longer settle was
 * failed, the after hooks were started.
 */
export function onIdle(): boolean {
  if (ended) return false;
  if (pendingRoot > 0 && !stuck) {
    // A test, a hook or an async describe body never settles.
    stuck = true;
    if (active?.interrupt) active.interrupt(new TestFailure(STUCK, "stuck"));
    else for (const child of root.children) interruptTree(child);
    return true;
  }
  if (!closing) {
    closing = true;
    void runHooks("after", root, { name: "<root>" }, root).then(
      () => (ended = true),
      (error) => {
        fileError ??= { error };
        ended = true;
      },
    );
    return true;
  }
  ended = true;
  return false;
}
let stuck = false;
let closing = false;

function interruptTree(node: TestNode): void {
  if (node.finished) return;
  node.interrupt?.(new TestFailure(STUCK, "stuck"));
  for (const child of node.children) interruptTree(child);
}

/** process.exit() was called: tests that have not ended never will. */
export function exited(status: number): void {
  if (root.children.some((c) => !c.finished)) {
    const error = `process.exit(${status}) before the tests had ended`;
    host.event(JSON.stringify({ path: [], status: "fail", error } satisfies CaseEvent));
  } else finish(status);
}

/** Reports what concerns the file as a whole: an error of its own, or that it holds no tests. */
export function finish(exitCode: number | undefined): void {
  if (fileError) host.event(JSON.stringify({ path: [], status: "fail", ...describeFailure(fileError.error) } satisfies CaseEvent));
  else if (exitCode) {
    host.event(JSON.stringify({ path: [], status: "fail", error: `test file ended with exit code ${exitCode}` } satisfies CaseEvent));
  } else if (root.children.length === 0) host.event(JSON.stringify({ path: [], status: "pass" } satisfies CaseEvent));
}
