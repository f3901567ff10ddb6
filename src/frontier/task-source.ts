import type { Task } from "../tasks/index.ts";

/** What training saw of one task in one update. */
export interface TaskResult {
  task: string;
  solved: number;
  attempts: number;
}

/** Chooses the tasks of each update. */
export interface TaskSource {
  /** `n` distinct tasks. Throws `TaskSourceError` when there are not that many. */
  next(n: number): Promise<Task[]>;
  record(results: readonly TaskResult[]): void;
  /** JSON-serialisable; a new source over the same tasks continues from it with `restore`. */
  state(): unknown;
  restore(state: unknown): void;
}

export class TaskSourceError extends Error {
  override name = "TaskSourceError";
}
