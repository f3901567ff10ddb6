/** One run of test files in a fresh sandbox, by test name. */
import type { Files, SandboxFactory, SandboxLimits, TestCase, TestRun } from "../sandbox/index.ts";

export interface SuiteRun {
  /** By full name; the sandbox numbers cases of the same name. */
  cases: Map<string, TestCase>;
  failure: TestRun["failure"];
  durationMs: number;
}

/** Runs the given test files, or all of them. SandboxError passes through: it is nobody's wrong answer. */
export async function runSuite(
  factory: SandboxFactory,
  files: Files,
  limits: Partial<SandboxLimits>,
  options: { paths?: string[]; signal?: AbortSignal } = {},
): Promise<SuiteRun> {
  options.signal?.throwIfAborted();
  const sandbox = await factory.create(files, limits);
  try {
    const run = await sandbox.test(options.paths, { signal: options.signal });
    options.signal?.throwIfAborted();
    return { cases: new Map(run.cases.map((one) => [one.name, one])), failure: run.failure, durationMs: run.durationMs };
  } finally {
    await sandbox.dispose();
  }
}

export function namesWith(run: SuiteRun, status: TestCase["status"]): string[] {
  return [...run.cases.values()].filter((one) => one.status === status).map((one) => one.name);
}
