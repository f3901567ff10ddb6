/** Validates a stored task again, from nothing but what it holds. */
import * as v from "valibot";
import { EnvironmentError, environmentFromFiles, isCleanPath } from "./environment.ts";
import { gradingFiles } from "./grade.ts";
import { diffHunks } from "./hunks.ts";
import type { Task, Verdict } from "./types.ts";
import type { Validator } from "./validate.ts";

const Path = v.pipe(v.string(), v.check(isCleanPath, "must be a path relative to the repository root, such as src/a.js"));
const Files = v.pipe(
  v.record(Path, v.string()),
  v.check((files) => Object.keys(files).every((path) => !path.split("/").some((_, i, parts) => i > 0 && Object.hasOwn(files, parts.slice(0, i).join("/")))), "has a path that is both a file and a folder"),
);
const Names = v.array(v.string());
const TaskSchema = v.object({
  id: v.pipe(v.string(), v.regex(/^[0-9a-f]{16,64}$/, "must be a hex hash")),
  version: v.literal(1),
  env: v.string(),
  split: v.picklist(["train", "adapt", "heldout", "user"]),
  use: v.picklist(["demonstration", "rl", "evaluation"]),
  operators: Names,
  statement: v.string(),
  level: v.picklist([0, 1, 2, 3]),
  files: Files,
  gold: Files,
  tests: Files,
  failToPass: Names,
  passToPass: Names,
});

/** A stored value is not a task: says which field is wrong. */
export class TaskError extends Error {
  override name = "TaskError";
}

/** Checks the form of a stored task. Throws TaskError. */
export function parseTask(value: unknown): Task {
  const parsed = v.safeParse(TaskSchema, value);
  if (parsed.success) return parsed.output;
  const [first] = parsed.issues;
  throw new TaskError(`not a task of version 1: ${v.getDotPath(first) ?? "the value"}: ${first.message}`);
}

/**
 * Takes a task through every gate again: the pristine repository is put together from its parts, its suite run, the bug
 * found by comparing files; what the task claims must be what comes out. The last verdict is a failed one, or "same".
 */
export async function checkTask(task: Task, validator: Validator, signal?: AbortSignal): Promise<Verdict[]> {
  const pristine = gradingFiles(task, { ...task.files, ...task.gold });
  const hunks = Object.entries(task.gold).flatMap(([file, text]) => diffHunks(file, text, task.files[file] ?? "", ""));
  try {
    const env = environmentFromFiles(task.env, task.split, pristine);
    const { verdicts, task: again } = await validator.validate(env, hunks, () => ({ statement: task.statement, level: task.level }), signal);
    if (!again) return verdicts;
    const fields = ["id", "use", "files", "tests", "failToPass", "passToPass"] as const;
    const different = fields.filter((field) => canonicalJson(again[field]) !== canonicalJson(task[field]));
    const same: Verdict = different.length === 0
      ? { gate: "same", ok: true }
      : { gate: "same", ok: false, reason: `validating again gives other ${different.join(", ")}` };
    return [...verdicts, same];
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    return [{ gate: "clean", ok: false, reason: error.message }];
  }
}

function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return JSON.stringify(value);
  return JSON.stringify(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
