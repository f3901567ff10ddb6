/**
 * The experiment behind `demo`, `study` and `train`: make tasks, measure, train an adapter, measure again, report. Every
 * part keeps its results in the run's folder as they come, so that an interrupted run continues where it stopped:
 *
 *   run.json               what the run is          tasks/*.jsonl           training and evaluation tasks
 *   evaluation/*.jsonl     attempts                 checkpoint.safetensors  state of training
 *   metrics.jsonl          one line per update      trajectories/*.jsonl    one per task or group
 *   adapter/               the result (PEFT)        summary.json, report.html
 */
import type { Trajectory } from "../agent/index.ts";
import { Random } from "../compute/index.ts";
import { type TaskSource, uniformSource } from "../frontier/index.ts";
import { LoraAdapter, readPeft, writePeft } from "../model/index.ts";
import type { Sampling } from "../policy/index.ts";
import { type Attempt, difference, evaluate, measure, type Measurement, Trainer, type UpdateMetrics } from "../rl/index.ts";
import { mendJsonLines, readJsonLines, type Storage, toJsonLines } from "../storage/index.ts";
import type { Task } from "../tasks/index.ts";
import { type CommandContext, CommandError } from "./command.ts";
import { packageInfo } from "./package-info.ts";
import type { ExperimentPreset, SplitName } from "./presets.ts";
import { renderReport, type ReportInput } from "./report.ts";
import { lockRun, openRun, type RunOptions, SUMMARY_KEY } from "./run-folder.ts";
import { type ModelOptions, openSession, type Session } from "./session.ts";
import { SPLIT_LABELS, type Summary, verdicts } from "./summary.ts";
import { makeTaskSet } from "./task-sets.ts";

export interface ExperimentOptions extends Omit<ModelOptions, "adapter">, RunOptions {
  out: string;
  seed?: number;
  updates?: number;
}

const PLAIN: Sampling = { temperature: 1, topK: 0, topP: 1 };
const GREEDY: Sampling = { temperature: 0, topK: 0, topP: 1 };
const METRICS_KEY = "metrics.jsonl";

type Phase = "before" | "after";

/** Opens an experiment, does `body` with it and closes it. An interruption says how to go on. */
export async function withExperiment<T>(context: CommandContext, command: string, preset: ExperimentPreset, options: ExperimentOptions, body: (experiment: Experiment) => Promise<T>): Promise<T> {
  const experiment = await Experiment.open(context, command, preset, options);
  try {
    return await body(experiment);
  } catch (error) {
    if (context.signal.aborted) throw new CommandError(`interrupted; everything done so far is in ${options.out}: give the same command with --resume${options.force ? " instead of --force" : ""} to go on`);
    throw error;
  } finally {
    await experiment.close();
  }
}

export class Experiment {
  /** What a reader must know to judge the numbers. */
  private readonly notes: string[] = [];

  private constructor(
    private readonly context: CommandContext,
    readonly session: Session,
    private readonly storage: Storage,
    readonly preset: ExperimentPreset,
    readonly seed: number,
    private readonly unlock: () => Promise<void>,
  ) {}

  /** Opens the model and the run's folder. Throws `RunFolderError` when the folder holds another run. */
  static async open(context: CommandContext, command: string, wanted: ExperimentPreset, options: ExperimentOptions): Promise<Experiment> {
    const session = await openSession({ device: options.device, model: options.model });
    let unlock: (() => Promise<void>) | undefined;
    try {
      unlock = await lockRun(options.out);
      const { modelHash } = session.policy.identity;
      const preset = { ...wanted, updates: options.updates ?? wanted.updates };
      const { storage, identity } = await openRun(options.out, { command, device: session.device.name, preset, seed: options.seed ?? 1, modelHash }, options);
      const other = options.seed !== undefined && options.seed !== identity.seed ? "seed" : options.updates !== undefined && options.updates !== identity.preset.updates ? "updates" : null;
      if (other) throw new CommandError(`the run in ${options.out} was started with another --${other}; leave the option out to resume it`);
      context.print(`${session.device.name}: ${session.device.description}`);
      context.print(`model ${session.modelName} ${modelHash.slice(0, 12)}, preset ${identity.preset.name}, seed ${identity.seed}, folder ${options.out}`);
      return new Experiment(context, session, storage, identity.preset, identity.seed, unlock);
    } catch (error) {
      await unlock?.();
      await session.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.unlock();
    await this.session.close();
  }

  /** Tasks to train on: from the RL sites. */
  trainingTasks(): Promise<Task[]> {
    const { split, ...spec } = this.preset.train;
    return this.tasks("train", split, spec, "rl");
  }

  /** Tasks of a split to measure on: from the evaluation sites. */
  evaluationTasks(split: SplitName): Promise<Task[]> {
    const { attempts: _, ...spec } = this.preset.evaluation[split];
    return this.tasks(`eval-${split}`, split, spec, "evaluation");
  }

  private get splits(): SplitName[] {
    return (["adapt", "train", "heldout"] as const).filter((split) => this.preset.evaluation[split].tasks > 0);
  }

  private async tasks(name: string, split: SplitName, spec: { environments: number | "all"; tasks: number }, use: "rl" | "evaluation"): Promise<Task[]> {
    const key = `tasks/${name}.jsonl`;
    const kept = await this.storage.read(key);
    if (kept) return readJsonLines<Task>(this.storage, key);
    const progress = this.context.progress(`making ${use === "rl" ? "training" : "evaluation"} tasks, ${SPLIT_LABELS[split]}`, spec.tasks);
    const { tasks, shortages } = await makeTaskSet(split, spec, use, this.seed, this.session.sandboxes, { signal: this.context.signal, onProgress: (done) => progress.update(done) });
    progress.end();
    for (const shortage of shortages) this.context.print(`note: ${shortage}`);
    await this.storage.write(key, toJsonLines(tasks));
    return tasks;
  }

  /** Pass@1 with its companions on every split, with the policy as it now is. */
  async measureSplits(phase: Phase): Promise<Partial<Record<SplitName, Measurement>>> {
    const found: Partial<Record<SplitName, Measurement>> = {};
    for (const split of this.splits) {
      const tasks = await this.evaluationTasks(split);
      const sampled = await this.attempts(`${phase}-${split}`, `${phase}, ${SPLIT_LABELS[split]}`, tasks, this.preset.evaluation[split].attempts, PLAIN);
      const greedy = await this.attempts(`${phase}-${split}-greedy`, `${phase}, ${SPLIT_LABELS[split]}, greedy`, tasks, 1, GREEDY);
      found[split] = measure(sampled, greedy, this.seed);
    }
    return found;
  }

  /** The untrained model at other temperatures, on the split it is trained for. Call before training. */
  async measureTemperatures(): Promise<Summary["baseTemperatures"]> {
    const { baseTemperatures, train } = this.preset;
    const results: Summary["baseTemperatures"] = [];
    for (const temperature of baseTemperatures.values) {
      const tasks = await this.evaluationTasks(train.split);
      const sampled = await this.attempts(`before-${train.split}-temperature-${temperature}`, `before, temperature ${temperature}`, tasks, baseTemperatures.attempts, { ...PLAIN, temperature });
      const { pass1, ci } = measure(sampled, [], this.seed);
      results.push({ temperature, pass1, ci });
    }
    return results;
  }

  private async attempts(name: string, label: string, tasks: Task[], attempts: number, sampling: Sampling): Promise<Attempt[]> {
    const progress = this.context.progress(label, tasks.length * attempts);
    await mendJsonLines(this.storage, trajectoriesKey(name));
    const found = await evaluate(this.session, {
      tasks,
      attempts,
      sampling,
      seed: this.seed,
      signal: this.context.signal,
      record: { storage: this.storage, key: `evaluation/${name}.jsonl` },
      onProgress: (done) => progress.update(done),
      onTrajectory: async (trajectory) => {
        if (trajectory.key.attempt === 0) await this.storage.append(trajectoriesKey(name), toJsonLines([trajectory]));
      },
    });
    const lost = tasks.length * attempts - found.length;
    if (lost > 0) this.notes.push(`${label}: ${lost} of ${tasks.length * attempts} attempts were lost to the sandbox or the wall clock and are not counted.`);
    progress.end(`${found.filter((a) => a.solved).length} solved`);
    return found;
  }

  /** Attaches a new adapter and trains it for the preset's updates, or for those that a resumed run has left. */
  async train(): Promise<Summary["training"]> {
    const { session, storage, preset, seed, context } = this;
    const { decoder, policy, sandboxes, caps, concurrency, device } = session;
    const adapter = LoraAdapter.initialise(device, decoder.config, preset.lora, Random.stream(seed, "adapter"));
    decoder.adapter = adapter;
    policy.weightsChanged(await adapter.hash());
    const tasks = await this.trainingTasks();
    const source: TaskSource = uniformSource(tasks, seed);
    const trainer = new Trainer({ decoder, adapter, policy, sandboxes, caps, concurrency }, { ...preset.learner, seed, groupSize: preset.groupSize });
    try {
      const resumed = await trainer.resume(storage);
      if (resumed) source.restore(resumed.cursor);
      // A crash after the metrics and before the checkpoint leaves lines of updates that will be done again.
      const metrics = (await readJsonLines<UpdateMetrics>(storage, METRICS_KEY)).filter(({ update }) => update <= trainer.updates);
      await storage.write(METRICS_KEY, toJsonLines(metrics));

      const perUpdate = preset.groupsPerUpdate * preset.groupSize;
      const progress = context.progress("training rollouts", preset.updates * perUpdate, trainer.updates * perUpdate);
      while (trainer.updates < preset.updates) {
        const done = trainer.updates * perUpdate;
        const update = await trainer.update(await source.next(preset.groupsPerUpdate), { signal: context.signal, onRollout: (finished) => progress.update(done + finished) });
        source.record(update.groups.map(({ task, rollouts }) => ({ task, solved: rollouts.filter((r) => r.grade!.solved).length, attempts: rollouts.length })));
        await storage.write(trajectoriesKey(`update-${String(update.metrics.update).padStart(4, "0")}`), toJsonLines(update.groups.flatMap(({ rollouts }) => rollouts.slice(0, 1))));
        await storage.append(METRICS_KEY, toJsonLines([update.metrics]));
        await trainer.save(storage, source.state());
        metrics.push(update.metrics);
        context.print(updateLine(update.metrics, preset.updates));
      }
      progress.end();
      await this.exportAdapter(adapter);
      return {
        updates: trainer.updates,
        rollouts: metrics.reduce((sum, m) => sum + m.rollouts.graded, 0),
        environments: [...new Set(tasks.map((task) => task.env))],
        tasks: tasks.length,
        seconds: metrics.reduce((sum, m) => sum + m.seconds.total, 0),
      };
    } finally {
      trainer.dispose();
    }
  }

  /** Writes the adapter in PEFT form, reads it back and compares. */
  private async exportAdapter(adapter: LoraAdapter): Promise<void> {
    const { device, decoder, modelName } = this.session;
    const files = await writePeft(adapter, modelName);
    await this.storage.write("adapter/adapter_config.json", files.config);
    await this.storage.write("adapter/adapter_model.safetensors", files.weights);
    const config = new TextDecoder().decode((await this.storage.read("adapter/adapter_config.json"))!);
    const again = readPeft(device, decoder.config, { config, weights: (await this.storage.read("adapter/adapter_model.safetensors"))! });
    const same = (await again.hash()) === (await adapter.hash());
    again.dispose();
    if (!same) throw new CommandError("the exported adapter does not read back as the trained one; the disk may be full or faulty");
  }

  /** Writes summary.json and report.html; the run is then finished. */
  async finish(results: Pick<Summary, "before" | "after" | "baseTemperatures" | "training">): Promise<Summary> {
    const { session, preset, seed } = this;
    const differences: Summary["difference"] = {};
    const short = (what: string, made: number, wanted: number) => {
      if (made < wanted) this.notes.push(`${what}: ${made} of ${wanted} tasks; the environments gave no more.`);
    };
    short("training", results.training.tasks, preset.train.tasks);
    for (const split of this.splits) {
      const [before, after] = [results.before[split], results.after[split]];
      if (!before || !after) continue;
      differences[split] = difference(before, after, seed);
      short(SPLIT_LABELS[split], (await this.evaluationTasks(split)).length, preset.evaluation[split].tasks);
    }
    const { model, modelHash, adapterHash } = session.policy.identity;
    const summary: Summary = {
      version: 1,
      preset,
      package: await packageInfo(),
      seed,
      device: `${session.device.name}: ${session.device.description}`,
      model,
      hashes: { model: modelHash, adapter: adapterHash! },
      ...results,
      difference: differences,
      notes: [...verdicts(differences), ...this.notes],
    };
    const metrics = await readJsonLines<UpdateMetrics>(this.storage, METRICS_KEY);
    await this.storage.write("report.html", renderReport({ summary, metrics, pairs: await this.pairs() }));
    await this.storage.write(SUMMARY_KEY, JSON.stringify(summary, null, 2) + "\n");
    return summary;
  }

  /** Up to three tasks of the trained split, attempted greedily before and after; those that training solved come first. */
  private async pairs(): Promise<ReportInput["pairs"]> {
    const { split } = this.preset.train;
    if (!this.splits.includes(split)) return [];
    const [before, after] = await Promise.all(
      (["before", "after"] as const).map(async (phase) => new Map((await readJsonLines<Trajectory>(this.storage, trajectoriesKey(`${phase}-${split}-greedy`))).map((t) => [t.taskId, t]))),
    );
    const pairs = (await this.evaluationTasks(split)).flatMap((task) => {
      const [a, b] = [before.get(task.id), after.get(task.id)];
      return a && b ? [{ task, before: a, after: b }] : [];
    });
    const gain = ({ before: a, after: b }: (typeof pairs)[number]) => Number(b.grade!.solved) - Number(a.grade!.solved);
    return pairs.toSorted((x, y) => gain(y) - gain(x)).slice(0, 3);
  }
}

function trajectoriesKey(name: string): string {
  return `trajectories/${name}.jsonl`;
}

function updateLine(m: UpdateMetrics, total: number): string {
  return [
    `update ${String(m.update).padStart(String(total).length)}/${total}`,
    `reward ${m.reward.mean.toFixed(3)}`,
    `groups ${m.groups.all} all, ${m.groups.partial} some, ${m.groups.none} none`,
    `entropy ${fixed(m.entropy, 3)}`,
    `|p-q| ${fixed(m.gap?.mean ?? null, 5)}`,
    `grad ${fixed(m.gradNorm, 2)}`,
    `${m.seconds.rollouts.toFixed(1)} + ${m.seconds.update.toFixed(1)} s`,
    ...(m.gradNorm === null ? ["no group was mixed: no step, the loss is 0"] : []),
  ].join("  ");
}

function fixed(value: number | null, digits: number): string {
  return value === null ? "-" : value.toFixed(digits);
}
