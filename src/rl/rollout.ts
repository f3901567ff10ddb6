/** Episodes of a policy on tasks, many at a time, each graded in a sandbox of its own. */
import { EpisodeError, type Caps, runEpisode, type Trajectory } from "../agent/index.ts";
import type { EpisodeKey, Policy, Sampling } from "../policy/index.ts";
import { SandboxError, type SandboxFactory } from "../sandbox/index.ts";
import { EPISODE_LIMITS, grade, type Task } from "../tasks/index.ts";

export interface RolloutSetup {
  policy: Policy;
  sandboxes: SandboxFactory;
  caps: Caps;
  /** Episodes under way at once; they decode together. */
  concurrency: number;
}

export interface RolloutJob {
  task: Task;
  key: EpisodeKey;
  sampling: Sampling;
}

/** Not one rollout of a batch could be graded: something is broken that more rollouts would not mend. */
export class RolloutError extends Error {
  override name = "RolloutError";
}

export interface RolloutOptions {
  signal?: AbortSignal;
  /** Called as rollouts end, in any order; `trajectory` is null for a lost one. */
  onRollout?: (index: number, trajectory: Trajectory | null) => void | Promise<void>;
  /** Seconds a graded rollout spent making its sandbox, in tools and in grading. */
  onSandboxSeconds?: (seconds: number) => void;
}

/**
 * Graded trajectories in the order of the jobs. One that was lost to the sandbox or the wall clock, or whose statement
 * leaves no room in the context, is null: it says nothing about the policy, so it must not become a reward of 0. Rejects with the signal's reason on abort, with
 * `RolloutError` when all were lost, and with the first error of any other kind.
 */
export async function runRollouts(setup: RolloutSetup, jobs: readonly RolloutJob[], { signal, onRollout, onSandboxSeconds }: RolloutOptions = {}): Promise<(Trajectory | null)[]> {
  const results: (Trajectory | null)[] = Array(jobs.length).fill(null);
  // A signal per lane: with dozens of episodes listening to one, Node would suspect a leak.
  const stops = Array.from({ length: Math.min(setup.concurrency, jobs.length) }, () => new AbortController());
  const stopAll = (reason: unknown) => stops.forEach((stop) => stop.abort(reason));
  const cancel = () => stopAll(signal!.reason);
  if (signal?.aborted) cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  let next = 0;
  let lastLoss = "";
  const lane = async (stop: AbortSignal) => {
    while (next < jobs.length) {
      stop.throwIfAborted();
      const index = next++;
      try {
        results[index] = await rollout(setup, jobs[index], stop, onSandboxSeconds);
        if (!results[index]) lastLoss = `it took more than ${setup.caps.seconds} s`;
      } catch (error) {
        if (!(error instanceof SandboxError || error instanceof EpisodeError)) throw error;
        lastLoss = error.message;
      }
      await onRollout?.(index, results[index]);
    }
  };
  try {
    const lanes = stops.map((stop) =>
      lane(stop.signal).catch((error: unknown) => {
        stopAll(error);
        throw error;
      }),
    );
    await Promise.allSettled(lanes);
    await Promise.all(lanes);
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
  if (jobs.length > 0 && results.every((result) => result === null)) throw new RolloutError(`all ${jobs.length} rollouts were lost; the last one because ${lastLoss}`);
  return results;
}

/** Null when the wall clock ended the episode. */
async function rollout({ policy, sandboxes, caps }: RolloutSetup, { task, key, sampling }: RolloutJob, signal: AbortSignal, onSandboxSeconds?: (seconds: number) => void): Promise<Trajectory | null> {
  const started = performance.now();
  const sandbox = await sandboxes.create(task.files, EPISODE_LIMITS);
  const created = performance.now();
  try {
    const trajectory = await runEpisode({ task, policy, sandbox, key, sampling, caps, signal });
    if (trajectory.stop === "cancelled") throw signal.reason;
    if (trajectory.stop === "time") return null;
    const ended = performance.now();
    const result = await grade(task, await sandbox.snapshot(), sandboxes, { signal });
    const tools = trajectory.steps.reduce((sum, { seconds }) => sum + seconds.tools, 0);
    onSandboxSeconds?.(tools + (created - started + performance.now() - ended) / 1000);
    return { ...trajectory, grade: result };
  } finally {
    await sandbox.dispose();
  }
}
