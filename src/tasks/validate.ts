/**
 * The gates between a proposed bug and a task, in the order of GATES. Each repository's clean suite and each buggy
 * version is run once and remembered, so that composing and re-validating bugs costs few further runs.
 */
import { type Files, isTestFile, type SandboxFactory, type SandboxLimits, type TestCase } from "../sandbox/index.ts";
import { EnvironmentError } from "./environment.ts";
import { gradingFiles, judge, protectedFiles, SUITE_STEPS } from "./grade.ts";
import { applyHunks } from "./hunks.ts";
import { testDependencies } from "./import-graph.ts";
import { hashText, taskId } from "./normalise.ts";
import { scriptProblem, SHOWN_BY } from "./reproduction.ts";
import { sitePlace, siteUse } from "./sites.ts";
import { statementProblem } from "./statement.ts";
import { namesWith, runSuite, type SuiteRun } from "./suite.ts";
import type { Environment, Hunk, StatementLevel, Task, Verdict } from "./types.ts";
import { withholdTests } from "./withhold.ts";

/**
 * parse: the buggy version parses and differs · clean: the repository's own suite passes three times · time: the buggy
 * suite ends within the limits · fail-to-pass: at least one test fails and one still passes · gold: the gold patch gives
 * back the repository whose suite passed · hunks: every edit changes a test · nothing: untouched files are not solved ·
 * visible: what the agent can run passes and shows no withheld test · statement: it tells enough and quotes no gold line ·
 * script: where the statement names one that shows the bug, it does, and is content with the gold patch ·
 * duplicate: no earlier task has this id (left to the caller, who knows the earlier ones).
 */
export const GATES = [
  "parse", "clean", "time", "fail-to-pass", "gold", "hunks", "nothing", "visible", "statement", "script", "duplicate",
] as const;
export type Gate = (typeof GATES)[number];

/** One edit of a task: where it is and which tests it breaks on its own. */
export interface Bug {
  hunk: Hunk;
  function: string;
  failures: TestCase[];
}

/** A task that passed every gate but those about its statement. */
export type BareTask = Omit<Task, "statement" | "level">;
export type WriteStatement = (task: BareTask, bugs: Bug[], env: Environment) => Written | Promise<Written>;
interface Written {
  statement: string;
  level: StatementLevel;
  /** What the agent gets instead of the bare task's files. */
  files?: Files;
}

export interface Validation {
  verdicts: Verdict[];
  /** Set when every gate but "duplicate" was passed. */
  task?: Task;
}

export interface CleanSuite {
  passed: string[];
  dependencies: Map<string, ReadonlySet<string> | null>;
  /** Milliseconds allowed for one run of a buggy version: far above the clean suite's own time. */
  timeMs: number;
}

/** A clean suite may be slow; what it takes sets the limit for buggy versions. It must get through with the steps that grading allows. */
const CLEAN_LIMITS: Partial<SandboxLimits> = { timeMs: 10_000, steps: SUITE_STEPS };
const MIN_BUGGY_MS = 5_000;

/**
 * Put before the first line of each test file in the three clean runs. A sandbox draws the same random numbers every
 * time, so the later runs draw others, equally uniform ones: a test that depends on them is flaky outside.
 */
const CLEAN_RUNS = [
  "",
  "{ const draw = Math.random; Math.random = () => 1 - 2 ** -53 - draw(); } ",
  "for (let i = 0; i < 7; i++) Math.random(); ",
];

class Rejected extends Error {
  constructor(readonly gate: Gate, message: string) {
    super(message);
  }
}

/** Validates bugs and tasks of any number of environments. */
export class Validator {
  private readonly suites = new Map<string, Promise<CleanSuite>>();
  private readonly runs = new Map<string, Promise<SuiteRun>>();
  private readonly keys = new WeakMap<Environment, string>();

  constructor(private readonly factory: SandboxFactory, private readonly cleanLimits: Partial<SandboxLimits> = CLEAN_LIMITS) {}

  /**
   * The clean suite of an environment, run three times. Throws EnvironmentError naming the tests that fail, that do not
   * always give the same result, or saying why the suite did not end.
   */
  clean(env: Environment, signal?: AbortSignal): Promise<CleanSuite> {
    return remember(this.suites, this.key(env), () => this.runClean(env, signal));
  }

  private async runClean(env: Environment, signal?: AbortSignal): Promise<CleanSuite> {
    const fail = (problem: string): never => {
      throw new EnvironmentError(`environment "${env.name}": ${problem}`);
    };
    const runs: SuiteRun[] = [];
    for (const prefix of CLEAN_RUNS) {
      const files = Object.fromEntries(
        Object.entries(env.files).map(([path, text]) => [path, isTestFile(path) && !text.startsWith("#!") ? prefix + text : text]),
      );
      const run = await runSuite(this.factory, files, this.cleanLimits, { signal });
      if (run.failure !== null) fail(`its tests did not run to their end (${run.failure.kind}): ${run.failure.message}`);
      runs.push(run);
    }
    const names = [...new Set(runs.flatMap((run) => [...run.cases.keys()]))];
    const status = (name: string) => runs.map((run) => run.cases.get(name)?.status ?? "missing");
    const flaky = names.filter((name) => new Set(status(name)).size > 1);
    if (flaky.length > 0) fail(`these tests are flaky (their result changes from run to run): ${list(flaky)}`);
    const failing = names.filter((name) => status(name)[0] === "fail");
    if (failing.length > 0) {
      const first = runs[0].cases.get(failing[0])!.error?.split("\n")[0] ?? "";
      fail(`its own suite must pass before bugs are made, but these tests fail: ${list(failing)}${first ? ` (first: ${first})` : ""}`);
    }
    const passed = namesWith(runs[0], "pass");
    if (passed.length === 0) fail("no test passes: every test is skipped");
    const slowest = Math.max(...runs.map((run) => run.durationMs));
    return {
      passed,
      dependencies: testDependencies(env.files),
      timeMs: Math.max(MIN_BUGGY_MS, 10 * slowest),
    };
  }

  /**
   * Takes a bug, given as edits of the pristine files, through the gates and stops at the first it fails. `write` makes
   * the statement. Throws EnvironmentError for the environment's own faults.
   */
  async validate(
    env: Environment,
    hunks: readonly Hunk[],
    write: WriteStatement,
    signal?: AbortSignal,
  ): Promise<Validation> {
    const verdicts: Verdict[] = [];
    try {
      const { task, bugs } = await this.throughGates(env, hunks, (gate) => verdicts.push({ gate, ok: true }), signal);
      const written: Task = { ...task, ...(await write(task, bugs, env)) };
      const problem = statementProblem(written);
      if (problem !== null) throw new Rejected("statement", problem);
      verdicts.push({ gate: "statement", ok: true });
      if (written.statement.includes(SHOWN_BY)) {
        const fault = await scriptProblem(written, this.factory, signal);
        if (fault !== null) throw new Rejected("script", fault);
        verdicts.push({ gate: "script", ok: true });
      }
      return { verdicts, task: written };
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      return { verdicts: [...verdicts, { gate: error.gate, ok: false, reason: error.message }] };
    }
  }

  private async throughGates(
    env: Environment,
    hunks: readonly Hunk[],
    passed: (gate: Gate) => void,
    signal?: AbortSignal,
  ): Promise<{ task: BareTask; bugs: Bug[] }> {
    const buggy = applyHunks(env.files, hunks);
    const { id, places } = identify(env, hunks, buggy);
    passed("parse");

    const suite = await this.clean(env, signal);
    passed("clean");

    const run = await this.runBuggy(env, suite, buggy, hunks, signal);
    if (run.failure?.kind === "timeout" || run.failure?.kind === "memory") throw new Rejected("time", run.failure.message);
    passed("time");

    // A test that is missing because its file no longer loads has failed too.
    const failToPass = failuresOf(suite, run);
    const failing = new Set(failToPass);
    const passToPass = suite.passed.filter((name) => !failing.has(name));
    if (failToPass.length === 0) throw new Rejected("fail-to-pass", "no test notices the bug");
    if (passToPass.length === 0) throw new Rejected("fail-to-pass", "no test passes with the bug");
    passed("fail-to-pass");

    const uses = new Set(places.map((place) => siteUse(env, place)));
    const [use] = uses;
    const changed = [...new Set(hunks.map((hunk) => hunk.file))].toSorted();
    const task: BareTask = {
      id, version: 1, env: env.name, split: env.split, use,
      operators: hunks.map((hunk) => hunk.operator),
      files: withholdTests(buggy, failToPass),
      gold: Object.fromEntries(changed.map((file) => [file, env.files[file]])),
      tests: protectedFiles(env.files),
      failToPass, passToPass,
    };

    // These are the files whose suite passed three times, each time in a fresh sandbox.
    const restored = gradingFiles(task, { ...task.files, ...task.gold });
    const wrong = differingPaths(restored, env.files);
    if (wrong.length > 0) throw new Rejected("gold", `the gold patch does not restore ${wrong.join(", ")}`);
    passed("gold");

    if (uses.size > 1) throw new Rejected("hunks", "the edits lie on sites of different use");
    const bugs = await this.needed(env, suite, hunks, places, failToPass, signal);
    passed("hunks");

    const untouched = differingPaths(gradingFiles(task, task.files), buggy);
    if (untouched.length > 0) throw new Rejected("nothing", `withholding tests changed ${untouched.join(", ")}`);
    if (judge(task, run).solved) throw new Rejected("nothing", "the untouched files count as solved");
    passed("nothing");

    await this.checkVisible(task, suite, hunks, signal);
    passed("visible");
    return { task, bugs };
  }

  /** The edits one by one, each with the tests it alone breaks. Taking one out must change what fails. */
  private async needed(
    env: Environment, suite: CleanSuite, hunks: readonly Hunk[], places: { function: string }[], failToPass: string[], signal?: AbortSignal,
  ): Promise<Bug[]> {
    const bugs: Bug[] = [];
    for (const [i, hunk] of hunks.entries()) {
      const rest = hunks.filter((other) => other !== hunk);
      if (rest.length > 0) {
        const without = await this.runBuggy(env, suite, applyHunks(env.files, rest), rest, signal);
        if (failuresOf(suite, without).join("\n") === failToPass.join("\n")) {
          throw new Rejected("hunks", `the edit in ${hunk.file} changes no test's result`);
        }
      }
      const alone = await this.runBuggy(env, suite, applyHunks(env.files, [hunk]), [hunk], signal);
      const failures = failuresOf(suite, alone).map((name): TestCase => alone.cases.get(name) ?? { name, status: "fail" });
      bugs.push({ hunk, function: places[i].function, failures });
    }
    return bugs;
  }

  /** The suite the agent can see must pass on the buggy files and must not hold a withheld test. */
  private async checkVisible(task: BareTask, suite: CleanSuite, hunks: readonly Hunk[], signal?: AbortSignal): Promise<void> {
    const affected = affectedTests(suite, hunks);
    const paths = affected.filter((path) => path in task.files);
    const cases = new Map<string, TestCase>();
    if (paths.length > 0) {
      const run = await runSuite(this.factory, task.files, { timeMs: suite.timeMs, steps: SUITE_STEPS }, { paths, signal });
      if (run.failure !== null) throw new Rejected("visible", `the visible suite does not run: ${run.failure.message}`);
      for (const [name, one] of run.cases) cases.set(name, one);
    }
    const hidden = new Set(task.failToPass);
    const shown = [...cases.keys()].find((name) => hidden.has(name));
    if (shown !== undefined) throw new Rejected("visible", `a withheld test is still there: ${shown}`);
    const red = [...cases.values()].find((one) => one.status === "fail");
    if (red) throw new Rejected("visible", `a visible test fails: ${red.name}`);
    const elsewhere = suite.passed.some((name) => !affected.some((path) => belongsTo(name, path)));
    if (cases.size === 0 && !elsewhere) throw new Rejected("visible", "no visible test is left");
  }

  /** Runs the test files the edits can reach; the tests of the others pass, as they did on the clean files. */
  private runBuggy(env: Environment, suite: CleanSuite, buggy: Files, hunks: readonly Hunk[], signal?: AbortSignal): Promise<SuiteRun> {
    const changed = [...new Set(hunks.map((hunk) => hunk.file))].toSorted();
    const key = this.key(env) + hashText(JSON.stringify(changed.map((file) => [file, buggy[file]])));
    return remember(this.runs, key, async () => {
      const paths = affectedTests(suite, hunks);
      const run: SuiteRun = paths.length > 0
        ? await runSuite(this.factory, buggy, { timeMs: suite.timeMs, steps: SUITE_STEPS }, { paths, signal })
        : { cases: new Map(), failure: null, durationMs: 0 };
      for (const name of suite.passed) {
        if (!paths.some((path) => belongsTo(name, path))) run.cases.set(name, { name, status: "pass" });
      }
      return run;
    });
  }

  private key(env: Environment): string {
    let key = this.keys.get(env);
    if (key === undefined) {
      key = hashText(JSON.stringify(Object.entries(env.files).toSorted(([a], [b]) => (a < b ? -1 : 1))));
      this.keys.set(env, key);
    }
    return key;
  }
}

function identify(env: Environment, hunks: readonly Hunk[], buggy: Files) {
  if (hunks.length === 0) throw new Rejected("parse", "there is no edit");
  let id: string | null;
  try {
    id = taskId(env.files, buggy);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Rejected("parse", error.message);
  }
  if (id === null) throw new Rejected("parse", "the edit does not change the program");
  const places = hunks.map((hunk) => {
    const place = sitePlace(env, hunk);
    if (place === null) throw new Rejected("parse", `the edit at ${hunk.file}:${hunk.start} lies outside functions`);
    return place;
  });
  return { id, places };
}

/** Test files whose result the edits can change. */
function affectedTests(suite: CleanSuite, hunks: readonly Hunk[]): string[] {
  const tests = [...suite.dependencies].filter(([, modules]) => modules === null || hunks.some((hunk) => modules.has(hunk.file)));
  return tests.map(([path]) => path);
}

function failuresOf(suite: CleanSuite, run: SuiteRun): string[] {
  return suite.passed.filter((name) => run.cases.get(name)?.status !== "pass");
}

function belongsTo(name: string, testFile: string): boolean {
  return name === testFile || name.startsWith(`${testFile} > `);
}

function differingPaths(a: Files, b: Files): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((path) => a[path] !== b[path]).toSorted();
}

function list(names: string[]): string {
  const shown = names.slice(0, 5).map((name) => `"${name}"`).join(", ");
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}

/** One computation per key, shared by those who ask meanwhile; a failed one is forgotten. */
function remember<T>(memory: Map<string, Promise<T>>, key: string, compute: () => Promise<T>): Promise<T> {
  let value = memory.get(key);
  if (value === undefined) {
    value = compute();
    memory.set(key, value);
    value.catch(() => memory.delete(key));
  }
  return value;
}
