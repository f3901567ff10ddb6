import type { Files } from "../sandbox/index.ts";

/** A repository the tasks are made from: a plain folder with package.json, src, test and README. */
export interface Environment {
  name: string;
  split: "train" | "adapt" | "heldout" | "user";
  files: Files;
}

/**
 * L0 symptom only, L1 behavioural contract, L2 names the function, L3 also gives a failing input and output and, where it
 * is a call of the function itself, a script that makes it.
 */
export type StatementLevel = 0 | 1 | 2 | 3;

/** Which purpose a mutation site may serve; decided by a hash of the site, so the three never overlap. */
export type SiteUse = "demonstration" | "rl" | "evaluation";

/** One edit: in `file`, the source text at [start, end) (UTF-16 offsets of the pristine file) becomes `text`. */
export interface Hunk {
  file: string;
  start: number;
  end: number;
  text: string;
  operator: string;
}

export interface Task {
  /** Hex hash of the normalised diff between pristine and buggy syntax trees. */
  id: string;
  version: 1;
  env: string;
  split: Environment["split"];
  use: SiteUse;
  operators: string[];
  statement: string;
  level: StatementLevel;
  /** What the agent gets: the buggy repository, with the fail-to-pass test cases taken out of the test files. */
  files: Files;
  /** Hidden from the agent. Contents of the changed files before the bug: applying them is the gold patch. */
  gold: Files;
  /** Hidden from the agent. Pristine test and config files, restored before grading. */
  tests: Files;
  /** Full test names (see TestCase.name) that fail on the snapshot and pass with the gold patch. */
  failToPass: string[];
  /** Full test names that pass before and after. */
  passToPass: string[];
}

export interface Verdict {
  gate: string;
  ok: boolean;
  reason?: string;
}

export interface Grade {
  /** True when every failToPass and passToPass test passes and the set of test names is exactly the expected one. */
  solved: boolean;
  failed: string[];
  /** Test or config files the agent had changed (they are restored before grading). */
  touchedTests: string[];
}
