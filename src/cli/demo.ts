/** `demo`: what the program does, shown in one go: solve a task, adapt to a repository never seen, measure before and after. */
import type { CommandContext, Outcome } from "./command.ts";
import { evaluate } from "../rl/index.ts";
import type { Task } from "../tasks/index.ts";
import { type Experiment, type ExperimentOptions, withExperiment } from "./experiment.ts";
import { PRESETS } from "./presets.ts";
import { showEpisode } from "./solve.ts";
import { measureTrainMeasure } from "./study.ts";

/** The task to show is the first of so many that the model solves. */
const SHOWN_FROM = 12;

/** The first task that greedy decoding solves, or the first of all; says how many were. */
async function solvable(context: CommandContext, { session, seed }: Experiment, tasks: Task[]): Promise<Task> {
  const attempts = await evaluate(session, { tasks, attempts: 1, sampling: { temperature: 0, topK: 0, topP: 1 }, seed, signal: context.signal });
  const solved = new Set(attempts.filter((attempt) => attempt.solved).map((attempt) => attempt.task));
  context.print(`greedily the model solves ${solved.size} of the first ${tasks.length} tasks${solved.size > 0 ? "; here is one of them" : ""}`);
  return tasks.find((task) => solved.has(task.id)) ?? tasks[0];
}

export async function demo(context: CommandContext, options: ExperimentOptions & { quick?: boolean }): Promise<Outcome> {
  return withExperiment(context, "demo", options.quick ? PRESETS.quick : PRESETS.demo, options, async (experiment) => {
    const { split } = experiment.preset.train;
    const tasks = await experiment.evaluationTasks(split);
    const task = await solvable(context, experiment, tasks.slice(0, SHOWN_FROM));
    context.print("\n1. The model, not yet trained here, works on one task\n");
    await showEpisode(context, experiment.session, task, { seed: experiment.seed, temperature: 0 });
    context.print("\n2. Measure, train on other places of the same repository, measure again\n");
    const summary = await measureTrainMeasure(context, experiment, options.out);
    context.print(`\nThe same task before and after training:\n  npm run -s frogpond -- solve --task ${options.out}/tasks/eval-${split}.jsonl#${task.id.slice(0, 10)} --adapter ${options.out}/adapter`);
    return { ok: true, result: summary };
  });
}
