/** Messages between the pool and its workers. Paths are absolute ("/repo/src/a.js", "/tmp/x"). */
import type { ExecResult, SandboxLimits, TestRun } from "../sandbox.ts";

/** What an episode holds; explicit directories are those that may be empty. */
export interface FileTree {
  files: Map<string, string>;
  directories: Set<string>;
}

export type Job =
  | ({ kind: "exec"; command: string; cwd: string; limits: SandboxLimits } & FileTree)
  | ({ kind: "test"; files: Map<string, string>; directories: Set<string>; paths: string[] | undefined; limits: SandboxLimits });

export interface Changes {
  written: Map<string, string>;
  removed: string[];
  directories: Set<string>;
}

export interface ExecOutcome extends ExecResult {
  cwd: string;
  changes: Changes;
}

export type Outcome = { kind: "exec"; result: ExecOutcome } | { kind: "test"; result: TestRun };

export type ToWorker = { id: number; job: Job };
export type FromWorker = { ready: true } | { id: number; outcome: Outcome } | { id: number; fault: string };
