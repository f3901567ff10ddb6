/** `train`: RL updates by a preset, without measuring before and after. */
import type { CommandContext, Outcome } from "./command.ts";
import { type ExperimentOptions, withExperiment } from "./experiment.ts";
import { findPreset } from "./presets.ts";

export async function train(context: CommandContext, options: ExperimentOptions & { preset: string }): Promise<Outcome> {
  return withExperiment(context, "train", findPreset(options.preset), options, async (experiment) => {
    const training = await experiment.train();
    const { hashes } = await experiment.finish({ before: {}, after: {}, baseTemperatures: [], training });
    context.print(`${options.out}/adapter (PEFT)  ${options.out}/metrics.jsonl  ${options.out}/report.html`);
    return { ok: true, result: { training, hashes } };
  });
}
