/**
 * Demonstrations that hold the model's own mistakes: it works on problems, and its wrong replacements are put into the
 * list with the right one, not to be imitated. What to try after a mistake is then learned where the model makes them
 * (the idea of DAgger: Ross, Gordon and Bagnell, 2011).
 */
import { runEpisode, type Trajectory } from "../../src/agent/index.ts";
import { Random } from "../../src/compute/index.ts";
import type { Policy } from "../../src/policy/index.ts";
import { EPISODE_LIMITS } from "../../src/tasks/index.ts";
import type { Document } from "./batches.ts";
import { demonstrate, type Harness, type Problem } from "./documents.ts";
import { type KnownFix, substitution } from "./expert.ts";

/** Most mistakes in one demonstration. */
const MOST = 8;
/** How often the model tries each problem. */
const ATTEMPTS = 4;
const LANES = 64;

/** One document for each problem the model makes a mistake on, in the order of the problems. */
export async function correctionDocuments(harness: Harness, policy: Policy, problems: readonly Problem[], seed: number, onProgress: (done: number) => void): Promise<Document[]> {
  const found: (Document | null)[] = problems.map(() => null);
  let next = 0;
  let done = 0;
  const lane = async () => {
    while (next < problems.length) {
      const index = next++;
      const random = Random.stream(seed, "corrections", index);
      const attempts = await Promise.all(Array.from({ length: ATTEMPTS }, (_, attempt) => tryOnce(harness, policy, problems[index], { seed, update: -2, task: String(index), attempt })));
      const mistakes = random.shuffle([...new Set(attempts.flat())]).slice(0, random.int(1, MOST));
      if (mistakes.length > 0) found[index] = await demonstrate(harness, problems[index], { random, mistakes });
      onProgress(++done);
    }
  };
  await Promise.all(Array.from({ length: LANES / ATTEMPTS }, lane));
  return found.filter((document) => document !== null);
}

async function tryOnce(harness: Harness, policy: Policy, { task, fix }: Problem, key: Trajectory["key"]): Promise<string[]> {
  const sandbox = await harness.factory.create(task.files, EPISODE_LIMITS);
  try {
    return mistakesIn(await runEpisode({ task, policy, sandbox, key, caps: harness.caps, sampling: { temperature: 1, topK: 0, topP: 1 } }), fix);
  } finally {
    await sandbox.dispose();
  }
}

/** The different wrong replacements of its lists. None where the model did not see the code. */
export function mistakesIn({ steps }: Pick<Trajectory, "steps">, fix: KnownFix): string[] {
  if (!steps[0]?.results[0]?.content.startsWith("exit code 0\n")) return [];
  const right = substitution(fix.function, fix.buggy, fix.fixed)?.item;
  const commands = steps.slice(1).flatMap(({ calls }) => calls.map((call) => call.arguments.command));
  const items = commands.flatMap((command) => (typeof command === "string" ? [...command.matchAll(/ t (["'])([^#]+#[^#]*?)\1(?= \|\| |$)/g)].map((found) => found[2]) : []));
  return [...new Set(items)].filter((item) => item !== right);
}
