/**
 * The bundle that the VM's snapshot holds: Node's globals and built-ins on virtual time, and the test runner. The
 * worker takes `__guest` from the global object after restoring the snapshot, then removes it.
 */
import "./globals.ts";
import { runNext } from "./clock.ts";
import { type GuestJob, isOutOfMemory, OUT_OF_MEMORY } from "../guest-protocol.ts";
import { host } from "./host.ts";
import { inspect } from "./inspect.ts";
import { builtin, builtinNames, moduleError, requireAbsolute } from "./modules.ts";
import { ExitSignal, installProcess, process } from "./process.ts";
import { exited, finish, loadFailed, onIdle, uncaught } from "./test-runner.ts";

const g = globalThis as Record<string, any>;
/** Read by the ES modules that the worker writes for built-ins and for CommonJS files. */
Object.defineProperty(g, "__frogpond", { value: Object.freeze({ builtin, require: requireAbsolute }) });

let job: GuestJob;
let loading = true;

function report(error: any): void {
  if (error instanceof ExitSignal) return;
  if (isOutOfMemory(error)) return host.exit(OUT_OF_MEMORY);
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
  host.out(2, uncaughtText(error));
  host.exit(1);
}

/** What Node prints before it ends: the place, the source line, the error with its stack. */
function uncaughtText(error: any): string {
  const text = error instanceof Error ? inspect(error) : `Uncaught ${inspect(error)}`;
  const place = /(\/[^\s()]+):(\d+):(\d+)/.exec(String(error?.stack ?? ""));
  const line = place && (JSON.parse(host.fs("read", place[1], "")).ok as string | undefined)?.split("\n")[Number(place[2]) - 1];
  const where = place && line !== undefined && line !== null ? `${place[1]}:${place[2]}\n${line}\n${" ".repeat(Number(place[3]) - 1)}^\n\n` : "";
  return `${where}${text}\n\nNode.js ${process.version}\n`;
}

g.__guest = {
  names: () => JSON.stringify(builtinNames()),
  start(json: string) {
    job = JSON.parse(json);
    installProcess(job, job.mode === "test" ? exited : () => {});
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
  moduleError: (json: string) => moduleError(JSON.parse(json)),
};

function uncaughtError(error: unknown): void {
  if (process.listenerCount("uncaughtException") > 0) process.emit("uncaughtException", error);
  else report(error);
}
