/** Decides whether an agent's files solve a task: pristine tests in a fresh sandbox, against the exact set of names. */
import { type Files, SandboxError, type SandboxFactory, type SandboxLimits } from "../sandbox/index.ts";
import { isConfigFile, isTestSupport } from "./environment.ts";
import { namesWith, runSuite, type SuiteRun } from "./suite.ts";
import type { Grade, Task } from "./types.ts";

/** Calls and loop rounds of one test file. Ordinary suites take far fewer; loops that an agent wrote end in a fraction of a second. */
export const SUITE_STEPS = 2e6;
/** The clock is far above what the steps take: it speaks on a starved machine, and where single steps are huge. */
const GRADING_LIMITS: Partial<SandboxLimits> = { timeMs: 2_000, steps: SUITE_STEPS };

/** An agent's own programs may take what a graded test file may: an endless loop ends in a fraction of a second. */
export const EPISODE_LIMITS: Partial<SandboxLimits> = { steps: SUITE_STEPS };

export type GradedTask = Pick<Task, "files" | "tests" | "failToPass" | "passToPass">;

const isProtected = (path: string) => isTestSupport(path) || isConfigFile(path);

/** What is graded: the agent's files, with every test and config file as it was; those the agent added are left out. */
export function gradingFiles(task: Pick<Task, "tests">, patched: Files): Files {
  const kept = Object.entries(patched).filter(([path]) => !isProtected(path));
  return { ...Object.fromEntries(kept), ...task.tests };
}

/** Every test and config file of a repository. */
export function protectedFiles(files: Files): Files {
  return Object.fromEntries(Object.entries(files).filter(([path]) => isProtected(path)));
}

/**
 * Grades an agent's files. Code that never ends by the count of its steps, eats the memory or does not load is not
 * solved. A failure of the sandbox itself, or an end by the wall clock, which a busy machine may bring about, throws
 * SandboxError, and the sample must be dropped.
 */
export async function grade(
  task: GradedTask,
  patched: Files,
  factory: SandboxFactory,
  options: { signal?: AbortSignal } = {},
): Promise<Grade> {
  const run = await runSuite(factory, gradingFiles(task, patched), GRADING_LIMITS, options);
  if (run.failure?.byClock) throw new SandboxError(`grading was ended by the wall clock: ${run.failure.message}`);
  return judge(task, run, touchedTests(task, patched));
}

/** Test and config files that differ from what the agent was given: changed, added or removed. */
function touchedTests(task: GradedTask, patched: Files): string[] {
  const paths = new Set([...Object.keys(task.files), ...Object.keys(patched)]);
  return [...paths].filter((path) => isProtected(path) && task.files[path] !== patched[path]).toSorted();
}

export function judge(task: Pick<Task, "failToPass" | "passToPass">, run: SuiteRun, touched: string[] = []): Grade {
  const expected = [...task.failToPass, ...task.passToPass];
  const failed = expected.filter((name) => run.cases.get(name)?.status !== "pass");
  const known = new Set(expected);
  const strange = [...namesWith(run, "pass"), ...namesWith(run, "fail")].some((name) => !known.has(name));
  return { solved: run.failure === null && failed.length === 0 && !strange, failed, touchedTests: touched };
}
