/**
 * The bundle that the VM's snapshot holds: Node's globals and built-ins on virtual time, and the test runner. The
 * worker takes `__guest` from the global object after restoring the snapshot, then removes it.
 */
import "./globals.ts";
import { runNext } from "./clock.ts";
import { type GuestJob, host } from "./host.ts";
import { inspect } from "./inspect.ts";
import { builtin, builtinNames, requireAbsolute } from "./modules.ts";
import { ExitSignal, installProcess, process } from "./process.ts";
import { finish, loadFailed, onIdle, uncaught } from "./test-runner.ts";

const g = globalThis as Record<string, any>;
/** Read by the ES modules that the worker writes for built-ins and for CommonJS files. */
Object.defineProperty(g, "__frogpond", { value: Object.freeze({ builtin, require: requireAbsolute }) });

let job: GuestJob;
let loading = true;

function report(error: any): void {
  if (error instanceof ExitSignal) return;
  if (error instanceof SyntaxError) {
    // In Node's words.
    const missing = /^Could not find export '(.*)' in module '(?:\/repo\/)?(.*)'$/.exec(error.message);
    if (missing) error.message = `The requested module '${missing[2]}' does not provide an export named '${missing[1]}'`;
  }
  if (job.mode === "test") {
    if (loading) loadFailed(error);
    else uncaught(error);
    return;
  }
  process.exitCode = 1;
  const stack = typeof error?.stack === "string" ? error.stack.trimEnd() : "";
  const head = error instanceof Error ? `${error.name}: ${error.message}` : `Uncaught ${inspect(error)}`;
  host.out(2, `${head}\n${stack.startsWith(head) ? stack.slice(head.length + 1) : stack}${stack ? "\n" : ""}`);
  host.exit(1);
}

g.__guest = {
  names: () => JSON.stringify(builtinNames()),
  start(json: string) {
    job = JSON.parse(json);
    installProcess(job);
    const entry: Promise<unknown> = job.kind === "esm" ? import(job.file) : new Promise((resolve) => resolve(requireAbsolute(job.file)));
    entry.then(
      () => (loading = false),
      (error) => {
        report(error);
        loading = false;
      },
    );
  },
  /** One macrotask; "idle" when none is left. */
  step(): string {
    try {
      return runNext() ? "more" : "idle";
    } catch (error) {
      uncaughtError(error);
      return "more";
    }
  },
  idle(): string {
    if (job.mode === "test") {
      if (onIdle()) return "more";
      finish(process.exitCode);
      return "done";
    }
    if (loading) {
      host.out(2, "Warning: Detected unsettled top-level await\n");
      process.exitCode = 13;
    }
    process.emit("beforeExit", process.exitCode ?? 0);
    host.exit(Number(process.exitCode ?? 0));
    return "done";
  },
  uncaught: (error: unknown) => uncaughtError(error),
};

function uncaughtError(error: unknown): void {
  if (process.listenerCount("uncaughtException") > 0) process.emit("uncaughtException", error);
  else report(error);
}
