/**
 * Demonstrations that begin with the model's own mistakes: it works on problems, and its wrong and refused edits are put
 * before the right one, not to be imitated. What to do after a mistake is then learned where the model makes them (the
 * idea of DAgger: Ross, Gordon and Bagnell, 2011).
 */
import { CAPS, runEpisode, type Trajectory } from "../../src/agent/index.ts";
import { Random } from "../../src/compute/index.ts";
import type { Policy } from "../../src/policy/index.ts";
import { EPISODE_LIMITS } from "../../src/tasks/index.ts";
import type { Document } from "./batches.ts";
import { demonstrate, type Harness, type Problem } from "./documents.ts";
import type { KnownFix, Mistake } from "./expert.ts";

/** Most mistakes in one demonstration. */
const MOST = 5;
const LANES = 64;

/** One document for each problem the model makes a mistake on, in the order of the problems. */
export async function correctionDocuments(harness: Harness, policy: Policy, problems: readonly Problem[], seed: number, onProgress: (done: number) => void): Promise<Document[]> {
  const found: (Document | null)[] = problems.map(() => null);
  let next = 0;
  let done = 0;
  const lane = async () => {
    while (next < problems.length) {
      const index = next++;
      const mistakes = await attempt(harness, policy, problems[index], { seed, update: -2, task: String(index), attempt: 0 });
      if (mistakes.length > 0) found[index] = await demonstrate(harness, problems[index], { random: Random.stream(seed, "corrections", index), mistakes });
      onProgress(++done);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return found.filter((document) => document !== null);
}

async function attempt(harness: Harness, policy: Policy, { task, fix }: Problem, key: Trajectory["key"]): Promise<Mistake[]> {
  const sandbox = await harness.factory.create(task.files, EPISODE_LIMITS);
  try {
    return mistakesIn(await runEpisode({ task, policy, sandbox, key, caps: CAPS.tadpole, sampling: { temperature: 1, topK: 0, topP: 1 } }), fix);
  } finally {
    await sandbox.dispose();
  }
}

/** The different edits before the right one; none where the model did not see the code. */
export function mistakesIn({ steps }: Pick<Trajectory, "steps">, fix: KnownFix): Mistake[] {
  const mistakes: Mistake[] = [];
  if (!steps[0]?.results[0]?.content.startsWith("exit code 0\n")) return mistakes;
  for (const { calls, results } of steps) {
    for (const [i, { name, arguments: { file_path: file, old_string: old, new_string: text } }] of calls.entries()) {
      const result = results[i];
      if (name !== "Edit" || result === undefined || typeof file !== "string" || typeof old !== "string" || typeof text !== "string") continue;
      if (result.ok && file === fix.file && fix.buggy.replace(old, () => text) === fix.fixed) return mistakes;
      if (mistakes.length < MOST && !mistakes.some((one) => one.file === file && one.old === old && one.new === text)) mistakes.push({ file, old, new: text, refused: !result.ok });
    }
  }
  return mistakes;
}
