/** `train`: RL updates by a preset, without measuring before and after. */
import type { CommandContext, Outcome } from "./command.ts";
import { Experiment, type ExperimentOptions } from "./experiment.ts";
import { findPreset } from "./presets.ts";

export async function train(context: CommandContext, options: ExperimentOptions & { preset: string }): Promise<Outcome> {
  const experiment = await Experiment.open(context, findPreset(options.preset), options);
  try {
    const training = await experiment.train();
    const summary = await experiment.finish({ before: {}, after: {}, baseTemperatures: [], training });
    context.print(`trained: ${options.out}/adapter (PEFT), ${options.out}/metrics.jsonl, ${options.out}/report.html`);
    return { ok: true, result: { training, hashes: summary.hashes } };
  } finally {
    await experiment.close();
  }
}
