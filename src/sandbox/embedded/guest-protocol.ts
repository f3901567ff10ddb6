/** What the worker and the guest bundle inside the VM say to each other. */

/**
 * The functions that the worker lends to the guest: its only door to the outside. All arguments and results are strings
 * or numbers, so that nothing of the worker's realm leaks in.
 */
export interface GuestHost {
  /** Writes text to stdout (1) or stderr (2); the worker caps it. */
  out(fd: number, text: string): void;
  /** One finished test, as JSON of `CaseEvent`. */
  event(json: string): void;
  /** One file operation: `op` and path, returns JSON `{ok}` or `{code}`. */
  fs(op: string, path: string, data: string): string;
  /** Resolves and prepares a CommonJS dependency: JSON `{path, kind, source}`, or `{error, code}`. */
  load(from: string, specifier: string): string;
  /** Evaluates a script with a file name for stack traces and returns its value. */
  evaluate(code: string, filename: string): unknown;
  /** Loads an ES module for `require()`; returns its namespace. */
  requireModule(path: string): unknown;
  /** Ends the program; the worker stops the VM at its next chance. */
  exit(code: number): void;
}

/** Exit code for a program that ran out of memory; the engine may turn that into a rejection that the guest sees. */
export const OUT_OF_MEMORY = -1;
export const isOutOfMemory = (error: any): boolean => error?.name === "InternalError" && error.message === "out of memory";

/** What the VM is asked to run. */
export interface GuestJob {
  mode: "test" | "script";
  /** Absolute path of the entry file. */
  file: string;
  kind: "esm" | "cjs";
  argv: string[];
  env: Record<string, string>;
  cwd: string;
}

export interface CaseEvent {
  /** Nested titles below the file. */
  path: string[];
  status: "pass" | "fail" | "skip";
  todo?: boolean;
  /** A describe block; it becomes a case of its own only when it fails by itself. */
  suite?: boolean;
  /** Failed only because a test below it failed. */
  childFailed?: boolean;
  /** The test's promise never settled. */
  stuck?: boolean;
  /** Never ran to its end, because something else ended first. */
  cancelled?: boolean;
  error?: string;
  actual?: string;
  expected?: string;
}
