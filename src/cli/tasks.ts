/** `tasks make` writes validated tasks as JSONL; `tasks check` validates such a file again from nothing. */
import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { createEmbeddedSandboxes } from "../sandbox/index.node.ts";
import type { SandboxFactory } from "../sandbox/index.ts";
import { toJsonLines } from "../storage/index.ts";
import { builtInEnvironments, loadEnvironment } from "../tasks/index.node.ts";
import { checkTask, makeTasks, parseTask, REPRODUCTION, type Task, TaskError, Validator, type Verdict } from "../tasks/index.ts";
import { type CommandContext, CommandError, type Outcome } from "./command.ts";

/** A few tasks have two bugs; where an environment runs out of single ones, pairs make up the number. */
const PAIR_SHARE = 0.1;

export async function tasksMake(
  context: CommandContext,
  options: { env: string; count: number; seed: number; out: string },
): Promise<Outcome> {
  const environment = await loadEnvironment(options.env);
  const { out } = options;
  if (await stat(out).then((info) => info.isDirectory(), () => out.endsWith("/"))) throw new CommandError(`--out takes a file, and ${out} is a folder`);
  // Found out before the work, not after it.
  await mkdir(dirname(out), { recursive: true });
  const factory = createEmbeddedSandboxes();
  const progress = context.progress(`tasks from ${environment.name}`, options.count);
  try {
    const start = performance.now();
    const { tasks, shortage, yields } = await makeTasks({
      environment, factory, count: options.count, seed: options.seed, pairShare: PAIR_SHARE,
      onProgress: (done) => progress.update(done), signal: context.signal,
    }).finally(() => progress.end());
    const seconds = (performance.now() - start) / 1000;
    if (tasks.length > 0) {
      await writeFile(`${out}.part`, toJsonLines(tasks));
      await rename(`${out}.part`, out);
    }
    for (const [operator, { tried, valid }] of Object.entries(yields.operators)) {
      context.print(`${operator.padEnd(18)} ${valid} of ${tried} valid`);
    }
    for (const [gate, rejected] of Object.entries(yields.gates)) context.print(`${rejected} stopped by gate ${gate}`);
    context.print(tasks.length === 0 ? `no tasks; ${out} was not written` : `${tasks.length} tasks in ${out}, ${(tasks.length / seconds).toFixed(1)} a second`);
    if (shortage !== null) context.print(shortage);
    return { ok: shortage === null, result: { out, env: environment.name, count: tasks.length, wanted: options.count, shortage, yields, seconds } };
  } finally {
    await factory.close();
  }
}

/** What was found wrong with one line of a task file. */
interface Problem {
  line: number;
  id: string | null;
  gate: string;
  reason: string;
}

export async function tasksCheck(context: CommandContext, file: string): Promise<Outcome> {
  const lines = await readLines(file);
  const factory = createEmbeddedSandboxes();
  const progress = context.progress(`checking ${file}`, lines.length);
  try {
    const problems = await checkLines(lines, factory, (done) => progress.update(done), context.signal).finally(() => progress.end());
    for (const { line, id, gate, reason } of problems) {
      context.print(`${file}:${line}${id === null ? "" : ` (${id})`}: gate ${gate}: ${reason}`);
    }
    context.print(`${lines.length - new Set(problems.map(({ line }) => line)).size} of ${lines.length} tasks are valid`);
    return { ok: problems.length === 0, result: { file, count: lines.length, problems } };
  } finally {
    await factory.close();
  }
}

async function readLines(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw new CommandError(`cannot read the task file ${file}: ${error.message}`);
  });
  const lines = text.split(/\r?\n/);
  if (lines[lines.length - 1] === "") lines.pop();
  if (lines.length === 0) throw new CommandError(`the task file ${file} is empty`);
  return lines;
}

async function checkLines(
  lines: readonly string[], factory: SandboxFactory, onProgress: (done: number) => void, signal: AbortSignal,
): Promise<Problem[]> {
  const validator = new Validator(factory);
  const builtIn = new Set(await builtInEnvironments());
  const ids = new Map<string, number>();
  const problems: Problem[] = [];
  let next = 0;
  let done = 0;
  const lane = async () => {
    while (next < lines.length) {
      const line = ++next;
      const task = read(lines[line - 1], line, problems);
      if (task) {
        const first = ids.get(task.id);
        if (first === undefined) ids.set(task.id, line);
        else problems.push({ line, id: task.id, gate: "duplicate", reason: `line ${first} has the same id` });
        const verdicts = [...(await checkTask(task, validator, signal)), await checkOrigin(task, builtIn)];
        const failed = verdicts.find((verdict) => !verdict.ok);
        if (failed) problems.push({ line, id: task.id, gate: failed.gate, reason: failed.reason ?? "" });
      }
      onProgress(++done);
    }
  };
  await Promise.all(Array.from({ length: 4 }, lane));
  return problems.toSorted((a, b) => a.line - b.line);
}

function read(text: string, line: number, problems: Problem[]): Task | null {
  try {
    return parseTask(JSON.parse(text));
  } catch (error) {
    if (!(error instanceof TaskError || error instanceof SyntaxError)) throw error;
    problems.push({ line, id: null, gate: "form", reason: error.message });
    return null;
  }
}

/** A task that names a built-in environment must have been made from it as it is now. */
async function checkOrigin(task: Task, builtIn: ReadonlySet<string>): Promise<Verdict> {
  if (task.split === "user") return { gate: "origin", ok: true };
  if (!builtIn.has(task.env)) return { gate: "origin", ok: false, reason: `there is no built-in environment ${task.env}` };
  const env = await loadEnvironment(task.env);
  if (env.split !== task.split) return { gate: "origin", ok: false, reason: `${task.env} is of split ${env.split}, not ${task.split}` };
  // The script that shows the bug came with the statement.
  const changed = Object.entries({ ...task.files, ...task.gold, ...task.tests }).find(([path, text]) => path !== REPRODUCTION && env.files[path] !== text);
  return changed
    ? { gate: "origin", ok: false, reason: `${changed[0]} is not the one of the environment ${task.env}` }
    : { gate: "origin", ok: true };
}
