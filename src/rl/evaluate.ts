/** Attempts of a policy at evaluation tasks, kept on storage as they come, so that an interrupted evaluation goes on where it stopped. */
import type { Trajectory } from "../agent/index.ts";
import type { Sampling } from "../policy/index.ts";
import { JsonLinesError, mendJsonLines, type Storage, toJsonLines } from "../storage/index.ts";
import type { Task } from "../tasks/index.ts";
import { type RolloutSetup, runRollouts } from "./rollout.ts";
import type { Attempt } from "./score.ts";

export interface EvaluateOptions {
  tasks: readonly Task[];
  /** Attempts per task. */
  attempts: number;
  sampling: Sampling;
  seed: number;
  signal?: AbortSignal;
  /** Where finished attempts are kept, and found again. */
  record?: { storage: Storage; key: string };
  /** `done` of tasks × attempts. */
  onProgress?: (done: number) => void;
  /** Trajectories of attempts made now (not of those found in the record). */
  onTrajectory?: (trajectory: Trajectory) => void | Promise<void>;
}

/**
 * Every graded attempt, by task and attempt. Lost ones are missing. Attempts draw from streams of their own that a
 * training update never uses (update −1), the same for every policy: two policies are compared on equal random numbers.
 */
export async function evaluate(setup: RolloutSetup, options: EvaluateOptions): Promise<Attempt[]> {
  const { tasks, attempts, sampling, seed, signal, record, onProgress, onTrajectory } = options;
  const known = new Map<string, Attempt>();
  if (record) for (const attempt of await mendJsonLines<Attempt>(record.storage, record.key)) {
    if (typeof attempt?.task !== "string" || typeof attempt.solved !== "boolean") throw new JsonLinesError(`${record.key} holds a line that is no attempt: ${JSON.stringify(attempt)}; remove that line and resume`);
    known.set(nameOf(attempt.task, attempt.attempt), attempt);
  }

  const all = tasks.flatMap((task) => Array.from({ length: attempts }, (_, attempt) => ({ task, attempt })));
  const jobs = all.filter(({ task, attempt }) => !known.has(nameOf(task.id, attempt))).map(({ task, attempt }) => ({ task, key: { seed, update: -1, task: task.id, attempt }, sampling }));
  let done = all.length - jobs.length;
  onProgress?.(done);
  let writing = Promise.resolve();
  await runRollouts(setup, jobs, {
    signal,
    onRollout: async (_, trajectory) => {
      onProgress?.(++done);
      if (!trajectory) return;
      const attempt: Attempt = { task: trajectory.taskId, env: trajectory.env, attempt: trajectory.key.attempt, solved: trajectory.grade!.solved };
      known.set(nameOf(attempt.task, attempt.attempt), attempt);
      // One line at a time, so that lines never mix.
      writing = writing.then(async () => {
        await onTrajectory?.(trajectory);
        if (record) await record.storage.append(record.key, toJsonLines([attempt]));
      });
      await writing;
    },
  });
  return all.flatMap(({ task, attempt }) => known.get(nameOf(task.id, attempt)) ?? []);
}

function nameOf(task: string, attempt: number): string {
  return `${task} ${attempt}`;
}
