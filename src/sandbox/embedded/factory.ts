/** The embedded back end: files on this side, commands and tests in pooled workers. */
import { DEFAULT_LIMITS } from "../limits.ts";
import { isTestFile, relativePath, ROOT } from "../names.ts";
import {
  type ExecResult, type Files, type Sandbox, SandboxError, type SandboxFactory, SandboxFileError, type SandboxLimits, type TestRun,
} from "../sandbox.ts";
import { Pool, type SpawnWorker } from "./pool.ts";

export interface EmbeddedOptions {
  /** Worker threads; default 2. */
  workers?: number;
}

export function createFactory(spawn: SpawnWorker, { workers = 2 }: EmbeddedOptions): SandboxFactory {
  if (!Number.isInteger(workers) || workers < 1) throw new SandboxError(`workers must be a whole number of at least 1, not ${workers}`);
  const pool = new Pool(spawn, workers);
  return {
    name: "embedded",
    create: async (files, limits) => new EmbeddedSandbox(pool, files, { ...DEFAULT_LIMITS, ...limits }),
    close: () => pool.close(),
  };
}

class EmbeddedSandbox implements Sandbox {
  readonly limits: SandboxLimits;
  readonly #pool: Pool;
  /** By absolute path; the repository and what commands left elsewhere, such as /tmp. */
  readonly #files = new Map<string, string>();
  #directories = new Set<string>();
  #cwd = ROOT;
  #disposed = false;
  /** Commands of one episode run one after another. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(pool: Pool, files: Files, limits: SandboxLimits) {
    this.#pool = pool;
    this.limits = limits;
    for (const [path, text] of Object.entries(files)) this.#files.set(`${ROOT}/${relativePath(path)}`, text);
  }

  #path(path: string): string {
    if (this.#disposed) throw new SandboxError("this sandbox was disposed");
    return path.startsWith("/tmp/") ? path : `${ROOT}/${relativePath(path)}`;
  }

  async readFile(path: string): Promise<string> {
    const text = this.#files.get(this.#path(path));
    if (text === undefined) throw new SandboxFileError(`${path}: no such file`);
    return text;
  }

  async writeFile(path: string, content: string): Promise<void> {
    const p = this.#path(path);
    for (const known of this.#files.keys()) {
      if (known.startsWith(p + "/")) throw new SandboxFileError(`${path}: is a directory`);
      if (p.startsWith(known + "/")) throw new SandboxFileError(`${path}: ${known.slice(ROOT.length + 1)} is a file, not a directory`);
    }
    this.#files.set(p, content);
  }

  async removeFile(path: string): Promise<void> {
    if (!this.#files.delete(this.#path(path))) throw new SandboxFileError(`${path}: no such file`);
  }

  async list(): Promise<string[]> {
    this.#path("check");
    const out: string[] = [];
    for (const p of this.#files.keys()) if (p.startsWith(ROOT + "/")) out.push(p.slice(ROOT.length + 1));
    return out.toSorted();
  }

  async snapshot(): Promise<Files> {
    const files: Files = {};
    for (const path of await this.list()) files[path] = this.#files.get(`${ROOT}/${path}`)!;
    return files;
  }

  exec(command: string, options: { timeMs?: number; signal?: AbortSignal } = {}): Promise<ExecResult> {
    return this.#inOrder(async () => {
      const limits = { ...this.limits, timeMs: options.timeMs ?? this.limits.timeMs };
      const job = { kind: "exec" as const, command, cwd: this.#cwd, limits, files: this.#files, directories: this.#directories };
      const result = await this.#pool.run(job, limits.timeMs, options.signal);
      if (result.kind === "timeout") return { stdout: "", stderr: `command stopped after ${limits.timeMs} ms\n`, exitCode: 124, timedOut: true };
      if (result.kind === "memory") return { stdout: "", stderr: "command stopped: out of memory\n", exitCode: 137, timedOut: false };
      if (result.outcome.kind !== "exec") throw new SandboxError("the worker answered another job");
      const { changes, cwd, ...answer } = result.outcome.result;
      for (const path of changes.removed) this.#files.delete(path);
      for (const [path, text] of changes.written) this.#files.set(path, text);
      this.#directories = changes.directories;
      this.#cwd = cwd;
      return answer;
    });
  }

  test(paths?: string[], options: { signal?: AbortSignal } = {}): Promise<TestRun> {
    return this.#inOrder(async () => {
      const absolute = paths?.map((p) => `${ROOT}/${relativePath(p)}`);
      if (!absolute && !(await this.list()).some(isTestFile)) {
        return { cases: [], failure: { kind: "load", message: "there are no test files (*.test.js, *.test.mjs, *.test.ts)" }, output: "", durationMs: 0 };
      }
      const job = { kind: "test" as const, paths: absolute, limits: this.limits, files: this.#files, directories: this.#directories };
      const begin = performance.now();
      const result = await this.#pool.run(job, this.limits.timeMs, options.signal);
      if (result.kind === "done" && result.outcome.kind === "test") return result.outcome.result;
      const durationMs = performance.now() - begin;
      if (result.kind === "timeout") {
        const message = `the tests were stopped after ${this.limits.timeMs} ms: an endless loop inside one operation of the engine`;
        return { cases: [], failure: { kind: "timeout", message, byClock: true }, output: "", durationMs };
      }
      if (result.kind === "memory") return { cases: [], failure: { kind: "memory", message: "out of memory outside the engine's own limit" }, output: "", durationMs };
      throw new SandboxError("the worker answered another job");
    });
  }

  #inOrder<T>(f: () => Promise<T>): Promise<T> {
    const next = this.#last.then(() => {
      this.#path("check");
      return f();
    });
    this.#last = next.catch(() => {});
    return next;
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    this.#files.clear();
    this.#directories.clear();
  }
}
