/** `study`: the long measurement of what RL over the training environments does, there and elsewhere. */
import type { CommandContext, Outcome } from "./command.ts";
import { type Experiment, type ExperimentOptions, withExperiment } from "./experiment.ts";
import { PRESETS } from "./presets.ts";
import { estimate, SPLIT_LABELS, type Summary, summaryTable } from "./summary.ts";

export async function study(context: CommandContext, options: ExperimentOptions): Promise<Outcome> {
  return withExperiment(context, "study", PRESETS.study, options, async (experiment) => ({ ok: true, result: await measureTrainMeasure(context, experiment, options.out) }));
}

/** The experiment itself: before, training, after, and what came of it. */
export async function measureTrainMeasure(context: CommandContext, experiment: Experiment, out: string): Promise<Summary> {
  await experiment.trainingTasks();
  const before = await experiment.measureSplits("before");
  const baseTemperatures = await experiment.measureTemperatures();
  const training = await experiment.train();
  const after = await experiment.measureSplits("after");
  const summary = await experiment.finish({ before, after, baseTemperatures, training });
  context.print(`\n${summaryTable(summary)}\n\n% of tasks; in brackets 95 % bootstrap intervals over tasks, those of the change paired by task`);
  for (const { temperature, pass1, ci } of baseTemperatures) context.print(`before, at temperature ${temperature}: pass@1 ${estimate({ mean: pass1, ci })} on the ${SPLIT_LABELS[experiment.preset.train.split]}`);
  for (const note of summary.notes) context.print(`- ${note}`);
  context.print(`\n${out}/report.html  ${out}/summary.json  ${out}/metrics.jsonl  ${out}/adapter (PEFT)`);
  return summary;
}
