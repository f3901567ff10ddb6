/** `demo`: what the program does, shown in one go: solve a task, adapt to a repository never seen, measure before and after. */
import type { CommandContext, Outcome } from "./command.ts";
import { type ExperimentOptions, withExperiment } from "./experiment.ts";
import { PRESETS } from "./presets.ts";
import { showEpisode } from "./solve.ts";
import { measureTrainMeasure } from "./study.ts";

export async function demo(context: CommandContext, options: ExperimentOptions & { quick?: boolean }): Promise<Outcome> {
  return withExperiment(context, options.quick ? PRESETS.quick : PRESETS.demo, options, async (experiment) => {
    const { split } = experiment.preset.train;
    const [task] = await experiment.evaluationTasks(split);
    context.print("\n1. The untrained model tries one task\n");
    await showEpisode(context, experiment.session, task, { seed: experiment.seed, temperature: 0 });
    context.print("\n2. Measure, train on other places of the same repository, measure again\n");
    const summary = await measureTrainMeasure(context, experiment, options.out);
    context.print(`\nThe same task with the trained adapter:\n  npm run -s frogpond -- solve --task ${options.out}/tasks/eval-${split}.jsonl#${task.id.slice(0, 10)} --adapter ${options.out}/adapter`);
    return { ok: true, result: summary };
  });
}
