/** `eval`: pass@1 at temperature 1 on fresh tasks of a split. Attempts of an interrupted one are kept and used by the same command. */
import { evaluate, measure } from "../rl/index.ts";
import { createFileStorage } from "../storage/index.node.ts";
import { hashText } from "../tasks/index.ts";
import { type CommandContext, CommandError, type Outcome } from "./command.ts";
import type { SplitName } from "./presets.ts";
import { type ModelOptions, openSession } from "./session.ts";
import { estimate, SPLIT_LABELS } from "./summary.ts";
import { makeTaskSet } from "./task-sets.ts";

export interface EvalOptions extends ModelOptions {
  split: string;
  tasks: number;
  k: number;
  seed: number;
}

/** Where attempts are kept until the evaluation is done. */
const KEPT = "runs/eval";

export async function evalCommand(context: CommandContext, options: EvalOptions): Promise<Outcome> {
  const { split, tasks: count, k, seed } = options;
  if (!Object.hasOwn(SPLIT_LABELS, split)) throw new CommandError(`there is no split "${split}"; splits: ${Object.keys(SPLIT_LABELS).join(", ")}`);
  const session = await openSession(options);
  try {
    const making = context.progress("making tasks", count);
    const { tasks, environments, shortages } = await makeTaskSet(split as SplitName, { environments: "all", tasks: count }, "evaluation", seed, session.sandboxes, {
      signal: context.signal,
      onProgress: (done) => making.update(done),
    });
    making.end();
    for (const shortage of shortages) context.print(`note: ${shortage}`);
    const progress = context.progress("attempts", tasks.length * k);
    const storage = createFileStorage(KEPT);
    const { device, policy: { identity: { modelHash, adapterHash } } } = session;
    const key = `${hashText(JSON.stringify([device.name, modelHash, adapterHash, tasks, k, seed]), 16)}.jsonl`;
    const attempts = await evaluate(session, {
      tasks, attempts: k, sampling: { temperature: 1, topK: 0, topP: 1 }, seed, signal: context.signal,
      record: { storage, key },
      onProgress: (done) => progress.update(done),
    }).catch((error: unknown) => {
      if (context.signal.aborted) throw new CommandError(`interrupted; the attempts so far are in ${KEPT}/${key}: give the same command again to go on`);
      throw error;
    });
    await storage.remove(key);
    progress.end();
    const measurement = measure(attempts, [], seed);
    const { n, pass1, ci, passK } = measurement;
    const lost = tasks.length * k - attempts.length;
    if (lost > 0) context.print(`note: ${lost} attempts were lost to the sandbox or the wall clock and are not counted`);
    context.print(`${n} tasks of ${environments.join(", ")} × ${k} attempts at temperature 1`);
    context.print(`pass@1 ${estimate({ mean: pass1, ci })} %, pass@${measurement.k} ${estimate(passK)} %  (95 % bootstrap intervals over tasks)`);
    return { ok: true, result: { split, seed, ...measurement, lost } };
  } finally {
    await session.close();
  }
}
