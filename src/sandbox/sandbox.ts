/**
 * A sandbox holds one episode's files and runs commands and tests over them. Paths are POSIX and relative to the
 * repository root ("src/a.js"); the shell sees the root as /repo. Every back end passes the same contract suite.
 */
export type Files = Record<string, string>;

export interface ExecResult {
  stdout: string;
  stderr: string;
  exitCode: number;
  /** True when the time limit ended the command. */
  timedOut: boolean;
}

export interface TestCase {
  /** Full name: file, then the nested describe/test titles, joined by " > ", e.g. "test/sum.test.js > sum > adds". */
  name: string;
  status: "pass" | "fail" | "skip";
  /** First lines of the failure, without stack frames of the runner. */
  error?: string;
  /** For an assertion: what the test saw and wanted, as short literal text. */
  actual?: string;
  expected?: string;
}

export interface TestRun {
  cases: TestCase[];
  /**
   * Why the run itself ended badly; null when every file ran to its end. A memory bomb or endless test is told here.
   * `byClock`: the wall clock ended it, so a busy machine may be to blame; without it, a count of steps did.
   */
  failure: null | { kind: "timeout" | "memory" | "load" | "crash"; message: string; byClock?: true };
  /** What the tests printed (capped). */
  output: string;
  durationMs: number;
}

export interface SandboxLimits {
  /** Wall-clock milliseconds for one command or test run. */
  timeMs: number;
  /**
   * Calls and loop rounds after which the embedded engine ends a program, at the same place on every machine. Default:
   * 10,000 for each millisecond of `timeMs`. Other back ends go by the clock alone.
   */
  steps?: number;
  memoryBytes: number;
  /** Characters of stdout or stderr that are kept. */
  outputChars: number;
}

export interface Sandbox {
  readonly limits: SandboxLimits;
  /** Text of a file, exactly as stored (line ends, BOM). Throws `SandboxFileError` when there is none. */
  readFile(path: string): Promise<string>;
  writeFile(path: string, content: string): Promise<void>;
  removeFile(path: string): Promise<void>;
  /** All file paths, sorted. */
  list(): Promise<string[]>;
  snapshot(): Promise<Files>;
  /** Runs a shell command line in the repository root (the working directory persists between calls). `node --test` and `node FILE` work. */
  exec(command: string, options?: { timeMs?: number; signal?: AbortSignal }): Promise<ExecResult>;
  /** Runs test files (default: those that `node --test` finds, see `isTestFile`) and reports each case. */
  test(paths?: string[], options?: { signal?: AbortSignal }): Promise<TestRun>;
  dispose(): Promise<void>;
}

export interface SandboxFactory {
  readonly name: "embedded" | "node" | "webcontainer";
  /** A fresh episode over these files; nothing is shared with any other episode. */
  create(files: Files, limits?: Partial<SandboxLimits>): Promise<Sandbox>;
  /** Ends workers. */
  close(): Promise<void>;
}

export class SandboxFileError extends Error {
  override name = "SandboxFileError";
}
/** The sandbox itself failed (a worker died, out of memory outside the guest). Never a reward of 0: the sample is dropped. */
export class SandboxError extends Error {
  override name = "SandboxError";
}
