/**
 * The Node back end: child processes over a temporary folder. It runs with the rights of the user who starts it, so it
 * is for trusted code only; the embedded back end is the one with walls.
 */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { DEFAULT_LIMITS } from "../limits.ts";
import { isTestFile, relativePath, ROOT, SEPARATOR, uniqueNames } from "../names.ts";
import {
  type ExecResult, type Files, type Sandbox, SandboxError, type SandboxFactory, SandboxFileError, type SandboxLimits, type TestCase, type TestRun,
} from "../sandbox.ts";
import { runCommand } from "./command.ts";
import type { NodeEvent, NodeLine } from "./reporter.ts";

const PRELOAD = fileURLToPath(new URL("preload.cjs", import.meta.url));
const REPORTER = fileURLToPath(new URL("../../../build/sandbox/node-reporter.mjs", import.meta.url));

export function createNodeSandboxes(): SandboxFactory {
  const open = new Set<NodeSandbox>();
  return {
    name: "node",
    create: async (files, limits) => {
      if (!existsSync(REPORTER)) throw new SandboxError('the sandbox is not built: run "npm run build:sandbox"');
      const sandbox = await NodeSandbox.open(files, { ...DEFAULT_LIMITS, ...limits }, (s) => open.delete(s));
      open.add(sandbox);
      return sandbox;
    },
    close: async () => {
      await Promise.all([...open].map((s) => s.dispose()));
    },
  };
}

class NodeSandbox implements Sandbox {
  readonly limits: SandboxLimits;
  /** The temporary folder; the repository is `repo` in it. */
  readonly #base: string;
  readonly #root: string;
  readonly #onDispose: (sandbox: NodeSandbox) => void;
  #cwd: string;
  #disposed = false;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(base: string, limits: SandboxLimits, onDispose: (sandbox: NodeSandbox) => void) {
    this.limits = limits;
    this.#base = base;
    this.#root = this.#cwd = join(base, "repo");
    this.#onDispose = onDispose;
  }

  static async open(files: Files, limits: SandboxLimits, onDispose: (sandbox: NodeSandbox) => void): Promise<NodeSandbox> {
    const sandbox = new NodeSandbox(await realpath(await mkdtemp(join(tmpdir(), "frogpond-"))), limits, onDispose);
    try {
      await mkdir(sandbox.#root);
      await mkdir(join(sandbox.#base, "tmp"));
      for (const [path, text] of Object.entries(files)) await sandbox.writeFile(path, text);
    } catch (error) {
      await sandbox.dispose();
      throw error;
    }
    return sandbox;
  }

  #path(path: string): string {
    this.#check();
    return join(this.#root, relativePath(path));
  }
  #check(): void {
    if (this.#disposed) throw new SandboxError("this sandbox was disposed");
  }

  async readFile(path: string): Promise<string> {
    try {
      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await readFile(this.#path(path)));
    } catch (error) {
      throw fileError(error, path);
    }
  }
  async writeFile(path: string, content: string): Promise<void> {
    const file = this.#path(path);
    try {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    } catch (error) {
      throw fileError(error, path);
    }
  }
  async removeFile(path: string): Promise<void> {
    try {
      await rm(this.#path(path));
    } catch (error) {
      throw fileError(error, path);
    }
  }
  async list(): Promise<string[]> {
    this.#check();
    const entries = await readdir(this.#root, { recursive: true, withFileTypes: true });
    return entries
      .filter((e) => e.isFile())
      .map((e) => join(e.parentPath ?? e.path, e.name).slice(this.#root.length + 1))
      .toSorted();
  }
  async snapshot(): Promise<Files> {
    const files: Files = {};
    for (const path of await this.list()) files[path] = await this.readFile(path);
    return files;
  }

  async #environment(): Promise<Record<string, string>> {
    const options = [`--max-old-space-size=${Math.max(16, this.limits.memoryBytes >> 20)}`, `--require=${JSON.stringify(PRELOAD)}`];
    // Node 20 cannot read TypeScript by itself.
    if ((await this.list()).some((p) => /\.[cm]?ts$/.test(p))) options.push(`--import=${import.meta.resolve("tsx")}`);
    return {
      PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? "/usr/bin:/bin"}`,
      HOME: this.#base,
      TMPDIR: join(this.#base, "tmp"),
      LANG: "C.UTF-8",
      TZ: "UTC",
      CI: "1",
      NODE_NO_WARNINGS: "1",
      NODE_OPTIONS: options.join(" "),
    };
  }
  /** Output shows the repository where the interface says it is. */
  #shown(text: string): string {
    return text.replaceAll(this.#root, ROOT);
  }

  exec(command: string, options: { timeMs?: number; signal?: AbortSignal } = {}): Promise<ExecResult> {
    return this.#inOrder(async () => {
      const cwdFile = join(this.#base, "cwd");
      const script = `trap 'pwd -P > "$FROGPOND_CWD"' EXIT\n${command.replaceAll(/(?<![\w./-])\/repo(?![\w.-])/g, this.#root)}`;
      const result = await runCommand("/bin/sh", ["-c", script], {
        cwd: this.#cwd,
        env: { ...(await this.#environment()), FROGPOND_CWD: cwdFile },
        timeMs: options.timeMs ?? this.limits.timeMs,
        outputChars: this.limits.outputChars,
        signal: options.signal,
      });
      const cwd = existsSync(cwdFile) ? (await readFile(cwdFile, "utf8")).trimEnd() : this.#cwd;
      if (existsSync(cwd)) this.#cwd = cwd;
      return { ...result, stdout: this.#shown(result.stdout), stderr: this.#shown(result.stderr) };
    });
  }

  test(paths?: string[], options: { signal?: AbortSignal } = {}): Promise<TestRun> {
    return this.#inOrder(async () => {
      const begin = performance.now();
      const all = await this.list();
      const chosen = paths?.map(relativePath) ?? all.filter(isTestFile);
      const missing = chosen.filter((p) => !all.includes(p));
      const present = chosen.filter((p) => all.includes(p));
      const cases: TestCase[] = missing.map((p) => ({ name: p, status: "fail", error: `Could not find '${p}'` }));
      const run: TestRun = { cases, failure: null, output: "", durationMs: 0 };
      if (missing.length > 0) run.failure = { kind: "load", message: `${missing[0]}: no such test file` };
      if (chosen.length === 0) run.failure = { kind: "load", message: "there are no test files (*.test.js, *.test.mjs, *.test.ts)" };
      if (present.length > 0) await this.#runNode(present, run, options.signal);
      run.cases = uniqueNames(run.cases);
      run.durationMs = performance.now() - begin;
      return run;
    });
  }

  async #runNode(paths: string[], run: TestRun, signal: AbortSignal | undefined): Promise<void> {
    const outputOf = new Map<string, string>();
    let pending = "";
    const receive = (text: string) => {
      const lines = (pending + text).split("\n");
      pending = lines.pop()!;
      for (const line of lines) {
        const value = JSON.parse(line) as NodeLine;
        const file = value.file.slice(this.#root.length + 1);
        if ("output" in value) {
          outputOf.set(file, (outputOf.get(file) ?? "") + value.output);
          run.output = (run.output + value.output).slice(0, this.limits.outputChars);
        } else this.#addCase(file, value, outputOf.get(file) ?? "", run);
      }
    };
    const result = await runCommand(process.execPath, ["--test", `--test-reporter=${REPORTER}`, ...paths], {
      cwd: this.#root,
      env: await this.#environment(),
      timeMs: this.limits.timeMs,
      outputChars: this.limits.outputChars,
      signal,
      onStdout: receive,
    });
    run.output = this.#shown(run.output);
    if (result.timedOut) run.failure = { kind: "timeout", message: `did not end within its limit of ${this.limits.timeMs} ms: an endless loop or endless timers`, byClock: true };
    else if (run.cases.length === 0) throw new SandboxError(`node --test reported nothing: ${result.stderr.slice(0, 500)}`);
  }

  #addCase(file: string, event: NodeEvent, output: string, run: TestRun): void {
    const name = [file, ...event.path].join(SEPARATOR);
    let { error } = event;
    if (event.path.length === 0 && event.status === "fail") {
      const kind = /heap out of memory|Array buffer allocation failed/.test(output) ? "memory" : "load";
      // Node says only "test failed"; what the process printed tells why.
      const reason = /^(?:Uncaught )?(\w*Error.*|Error.*|FATAL ERROR.*)$/m.exec(output)?.[1];
      error = this.#shown(reason ?? error ?? "failed");
      if (run.failure === null || kind === "memory") run.failure = { kind, message: `${file}: ${kind === "memory" ? "out of memory" : error}` };
    }
    const cancelled = event.failureType === "cancelledByParent";
    if (cancelled && error?.startsWith("Promise resolution is still pending")) {
      run.failure ??= { kind: "timeout", message: `${name} never ended: its promise was still pending when nothing was left to run` };
    }
    if (event.suite && (event.status !== "fail" || cancelled || event.failureType === "subtestsFailed")) return;
    const testCase: TestCase = { name, status: event.status };
    if (error !== undefined) testCase.error = this.#shown(error);
    if (event.actual !== undefined) testCase.actual = event.actual;
    if (event.expected !== undefined) testCase.expected = event.expected;
    run.cases.push(testCase);
  }

  #inOrder<T>(f: () => Promise<T>): Promise<T> {
    const next = this.#last.then(() => {
      this.#check();
      return f();
    });
    this.#last = next.catch(() => {});
    return next;
  }

  async dispose(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#onDispose(this);
    await rm(this.#base, { recursive: true, force: true, maxRetries: 3 });
  }
}

function fileError(error: unknown, path: string): Error {
  if (error instanceof SandboxFileError || error instanceof SandboxError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return new SandboxFileError(`${path}: no such file`);
  if (code === "EISDIR" || code === "ERR_FS_EISDIR") return new SandboxFileError(`${path}: is a directory`);
  if (code === "ENOTDIR" || code === "EEXIST") return new SandboxFileError(`${path}: a part of this path is a file, not a directory`);
  return new SandboxError(`${path}: ${message}`);
}
