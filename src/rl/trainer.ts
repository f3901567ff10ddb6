/** The training loop's body: one call is one update. */
import type { Trajectory } from "../agent/index.ts";
import type { Decoder, LoraAdapter } from "../model/index.ts";
import type { LocalPolicy, Sampling } from "../policy/index.ts";
import type { Storage } from "../storage/index.ts";
import type { Task } from "../tasks/index.ts";
import { CheckpointError, readCheckpoint, saveCheckpoint } from "./checkpoint.ts";
import type { Group } from "./groups.ts";
import { Learner, type LearnerSettings } from "./learner.ts";
import { updateMetrics, type UpdateMetrics } from "./metrics.ts";
import { type RolloutSetup, runRollouts } from "./rollout.ts";

export interface TrainerConfig extends LearnerSettings {
  seed: number;
  /** Rollouts per task. */
  groupSize: number;
}

/** The objective compares the trainer's probabilities with the sampler's, so the policy samples its plain distribution. */
const SAMPLING: Sampling = { temperature: 1, topK: 0, topP: 1 };

export interface TrainerParts extends Omit<RolloutSetup, "policy"> {
  decoder: Decoder;
  /** Attached to the decoder. */
  adapter: LoraAdapter;
  policy: LocalPolicy;
}

export interface Update {
  metrics: UpdateMetrics;
  groups: Group[];
}

export class Trainer {
  private readonly learner: Learner;
  private done = 0;

  constructor(private readonly parts: TrainerParts, readonly config: TrainerConfig) {
    this.learner = new Learner(parts.decoder, parts.adapter, config);
  }

  /** Updates done. */
  get updates(): number {
    return this.done;
  }

  /**
   * One update: a group of rollouts per task, one optimizer step on those that carry a signal. Its numbers depend on the
   * seed, the number of the update and the task ids alone. An abort or error leaves everything as it was before the call.
   */
  async update(tasks: readonly Task[], options: { signal?: AbortSignal; onRollout?: (done: number, trajectory: Trajectory | null) => void } = {}): Promise<Update> {
    const { policy, sandboxes, caps, concurrency } = this.parts;
    const { seed, groupSize, lr } = this.config;
    const update = this.done;
    const before = policy.statistics;
    const started = performance.now();
    let finished = 0;
    let sandboxSeconds = 0;
    const jobs = tasks.flatMap((task) => Array.from({ length: groupSize }, (_, attempt) => ({ task, key: { seed, update, task: task.id, attempt }, sampling: SAMPLING })));
    const trajectories = await runRollouts({ policy, sandboxes, caps, concurrency }, jobs, {
      signal: options.signal,
      onRollout: (_, trajectory) => options.onRollout?.(++finished, trajectory),
      onSandboxSeconds: (seconds) => (sandboxSeconds += seconds),
    });
    const sampled = performance.now();
    const groups = tasks.map((task, i): Group => ({ task: task.id, rollouts: trajectories.slice(i * groupSize, (i + 1) * groupSize).filter((t) => t !== null) }));
    const step = await this.learner.step(groups);
    if (step) policy.weightsChanged(await this.parts.adapter.hash());
    this.done++;

    const after = policy.statistics;
    const graded = trajectories.filter((t) => t !== null);
    const metrics = updateMetrics(this.done, groups, trajectories.length - graded.length, lr, step, {
      rollouts: (sampled - started) / 1000,
      prefill: after.prefillSeconds - before.prefillSeconds,
      decode: after.decodeSeconds - before.decodeSeconds,
      sandbox: sandboxSeconds,
      update: (performance.now() - sampled) / 1000,
      prefillTokens: after.prefillTokens - before.prefillTokens,
      decodeTokens: after.decodeTokens - before.decodeTokens,
    });
    return { metrics, groups };
  }

  /** Writes the checkpoint: all that `resume` needs to go on as if nothing had happened. `cursor` is the task source's state. */
  async save(storage: Storage, cursor: unknown): Promise<void> {
    const { policy, adapter } = this.parts;
    const { modelHash } = policy.identity;
    await saveCheckpoint(storage, this.learner.tensors, { update: this.done, steps: this.learner.steps, config: this.config, modelHash, adapterHash: await adapter.hash(), cursor });
  }

  /**
   * Loads the checkpoint of a storage and returns the task source's state; null, and nothing changed, when there is none.
   * Throws `CheckpointError` when it is of another version, model or configuration.
   */
  async resume(storage: Storage): Promise<{ cursor: unknown } | null> {
    const checkpoint = await readCheckpoint(storage);
    if (!checkpoint) return null;
    const { state } = checkpoint;
    const { modelHash } = this.parts.policy.identity;
    if (state.modelHash !== modelHash) throw new CheckpointError(`the checkpoint was trained on model ${state.modelHash.slice(0, 12)}, not on ${modelHash.slice(0, 12)}; resume with the model the run started with`);
    const differing = differences(state.config, this.config);
    if (differing.length > 0) throw new CheckpointError(`the run was started with other settings (${differing.join(", ")}); resume with the same ones, or start a new run`);
    checkpoint.restore(this.learner.tensors);
    this.learner.steps = state.steps;
    this.done = state.update;
    const hash = await this.parts.adapter.hash();
    if (hash !== state.adapterHash) throw new CheckpointError("the adapter of the checkpoint does not have the hash it was saved with; the file is damaged");
    this.parts.policy.weightsChanged(hash);
    return { cursor: state.cursor };
  }

  /** Frees optimizer state and gradients. */
  dispose(): void {
    this.learner.dispose();
  }
}

/** Top-level settings that differ, as "name was x". */
function differences(saved: unknown, current: object): string[] {
  const old = saved as Record<string, unknown>;
  return Object.entries(current).flatMap(([name, value]) => (JSON.stringify(old[name]) === JSON.stringify(value) ? [] : [`${name} was ${JSON.stringify(old[name])}`]));
}
