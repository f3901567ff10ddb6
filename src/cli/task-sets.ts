/** Task sets from the built-in environments, and task files. */
import { readFile } from "node:fs/promises";
import type { SandboxFactory } from "../sandbox/index.ts";
import { builtInEnvironments, loadEnvironment } from "../tasks/index.node.ts";
import { makeTasks, parseTask, type SiteUse, type StatementLevel, type Task } from "../tasks/index.ts";
import { CommandError } from "./command.ts";
import type { SplitName, TaskSetSpec } from "./presets.ts";

/**
 * Statements name the function and, where one is known, give a failing input and output: a context of 1,024 tokens leaves
 * no room to search a repository for a symptom.
 */
const LEVELS: readonly StatementLevel[] = [3];

export interface TaskSet {
  tasks: Task[];
  environments: string[];
  /** One line per environment that had fewer tasks than its share. */
  shortages: string[];
}

/**
 * Tasks of a split from sites of one use, the same number from each environment (the first ones give one more where it
 * does not divide), environments taking turns.
 */
export async function makeTaskSet(
  split: SplitName,
  spec: TaskSetSpec,
  use: SiteUse,
  seed: number,
  sandboxes: SandboxFactory,
  options: { signal?: AbortSignal; onProgress?: (done: number) => void } = {},
): Promise<TaskSet> {
  const names = (await builtInEnvironments(split)).slice(0, spec.environments === "all" ? undefined : spec.environments);
  if (names.length === 0) throw new CommandError(`split ${split} has no environments`);
  const perEnvironment: Task[][] = [];
  const shortages: string[] = [];
  let done = 0;
  for (const [i, name] of names.entries()) {
    const count = Math.floor(spec.tasks / names.length) + (i < spec.tasks % names.length ? 1 : 0);
    if (count === 0) continue;
    const before = done;
    const { tasks, shortage } = await makeTasks({
      environment: await loadEnvironment(name),
      factory: sandboxes,
      count,
      seed,
      use,
      levels: LEVELS,
      signal: options.signal,
      onProgress: (made) => options.onProgress?.(before + made),
    });
    done += tasks.length;
    perEnvironment.push(tasks);
    if (shortage) shortages.push(shortage);
  }
  const longest = Math.max(0, ...perEnvironment.map((tasks) => tasks.length));
  const tasks = Array.from({ length: longest }, (_, i) => perEnvironment.flatMap((list) => list.slice(i, i + 1))).flat();
  if (tasks.length === 0) throw new CommandError(`no task could be made for split ${split}: ${shortages.join("; ")}`);
  return { tasks, environments: names.slice(0, perEnvironment.length), shortages };
}

/** Finds a task by FILE#ID, where the id may be shortened to any unambiguous beginning. Throws `CommandError` and `TaskError`. */
export async function findTask(reference: string): Promise<Task> {
  const at = reference.lastIndexOf("#");
  if (at <= 0 || at === reference.length - 1) throw new CommandError(`--task takes FILE#ID, not "${reference}"`);
  const [file, id] = [reference.slice(0, at), reference.slice(at + 1)];
  const tasks = await readTasks(file);
  const found = tasks.filter((task) => task.id.startsWith(id));
  if (found.length === 1) return found[0];
  const ids = tasks.slice(0, 3).map((task) => task.id.slice(0, 12)).join(", ");
  throw new CommandError(found.length > 1 ? `"${id}" is the beginning of ${found.length} task ids in ${file}; give more of it` : `${file} has no task ${id}; it holds ${tasks.length} tasks, for example ${ids}`);
}

async function readTasks(file: string): Promise<Task[]> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    const { code, message } = error as { code?: string; message: string };
    throw new CommandError(code === "ENOENT" ? `there is no task file ${file}` : `cannot read the task file ${file}: ${message}`);
  });
  return text.split("\n").flatMap((line, i) => {
    if (line.trim() === "") return [];
    try {
      return [parseTask(JSON.parse(line))];
    } catch (error) {
      throw new CommandError(`${file}, line ${i + 1}: ${(error as Error).message}`);
    }
  });
}
