/** Runs test files, each in a VM of its own as Node gives each a process of its own. */
import { isTestFile, ROOT, SEPARATOR, uniqueNames } from "../../names.ts";
import type { SandboxLimits, TestCase, TestRun } from "../../sandbox.ts";
import type { CaseEvent } from "../guest-protocol.ts";
import type { EpisodeFiles } from "./files.ts";
import { Modules } from "./modules.ts";
import type { Engine } from "./vm.ts";

export interface FileEvent extends CaseEvent {
  /** Test file relative to the root. */
  file: string;
}

/** Test files below the root (or below `directory`), sorted. */
export function findTestFiles(files: EpisodeFiles, directory = ROOT): string[] {
  return [...files.files.keys()].filter((p) => p.startsWith(directory + "/") && isTestFile(p.slice(ROOT.length + 1))).toSorted();
}

/**
 * @param paths absolute paths of test files
 * @param leftMs wall-clock milliseconds that are left of the limit
 * @param onEvent called for each finished test, in order
 */
export async function runTests(
  engine: Engine,
  files: EpisodeFiles,
  paths: string[],
  limits: SandboxLimits,
  leftMs: number,
  cwd: string,
  env: Record<string, string>,
  onEvent: (event: FileEvent) => void = () => {},
): Promise<TestRun> {
  const begin = performance.now();
  const cases: TestCase[] = [];
  let failure: TestRun["failure"] = null;
  let output = "";
  const out = (text: string) => {
    if (output.length < limits.outputChars) output += text.slice(0, limits.outputChars - output.length);
  };
  for (const path of paths) {
    const file = path.startsWith(ROOT + "/") ? path.slice(ROOT.length + 1) : path;
    const emit = (event: CaseEvent) => {
      if (event.stuck) {
        const name = [file, ...event.path].join(SEPARATOR);
        failure ??= { kind: "timeout", message: `${name} never ended: its promise was still pending when nothing was left to run` };
      }
      onEvent({ ...event, file });
      const testCase = toCase(file, event);
      if (testCase) cases.push(testCase);
    };
    if (!files.files.has(path)) {
      emit({ path: [], status: "fail", error: `Could not find '${file}'` });
      failure ??= { kind: "load", message: `${file}: no such test file` };
      continue;
    }
    let sawFileFailure = false;
    const left = leftMs - (performance.now() - begin);
    const result = await engine.run(
      {
        job: { mode: "test", file: path, kind: moduleKind(engine, files, path), argv: [path], env, cwd },
        files,
        limits,
        leftMs: Math.max(1, left),
      },
      {
        out: (_fd, text) => out(text),
        event: (event) => {
          if (event.path.length === 0 && event.status === "fail") {
            sawFileFailure = true;
            failure ??= { kind: "load", message: `${file}: ${event.error ?? "failed"}` };
          }
          emit(event);
        },
      },
    );
    if (result.failure) {
      failure = { ...result.failure, message: `${file}: ${result.failure.message}` };
      emit({ path: [], status: "fail", error: failure.message });
      // A run that used up its time has none left for other files.
      if (result.failure.kind === "timeout") break;
    } else if (result.exitCode !== 0 && !sawFileFailure) {
      failure ??= { kind: "load", message: `${file}: process.exit(${result.exitCode})` };
      emit({ path: [], status: "fail", error: `process.exit(${result.exitCode})` });
    }
  }
  return { cases: uniqueNames(cases), failure, output, durationMs: performance.now() - begin };
}

function moduleKind(engine: Engine, files: EpisodeFiles, path: string): "esm" | "cjs" {
  return new Modules(files, engine.builtins).kindOf(path) === "esm" ? "esm" : "cjs";
}

/** Suites are not cases, unless one fails by itself (a hook or its body threw). */
function toCase(file: string, event: CaseEvent): TestCase | undefined {
  if (event.suite && (event.status !== "fail" || event.childFailed || event.cancelled || event.stuck)) return undefined;
  const out: TestCase = { name: [file, ...event.path].join(SEPARATOR), status: event.status };
  if (event.error !== undefined) out.error = event.error;
  if (event.actual !== undefined) out.actual = event.actual;
  if (event.expected !== undefined) out.expected = event.expected;
  return out;
}
