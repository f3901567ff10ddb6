/** From single attempts to pass@1, greedy pass rate and pass@k with intervals, and to the difference of two such measurements. */
import { bootstrapMean, type Estimate, pairedBootstrap, passAtK } from "./statistics.ts";

/** One graded attempt at one task. */
export interface Attempt {
  task: string;
  env: string;
  attempt: number;
  solved: boolean;
}

export interface TaskScore {
  task: string;
  env: string;
  attempts: number;
  solved: number;
  /** Whether the greedy attempt passed; null when it was not made. */
  greedy: boolean | null;
}

export interface Measurement {
  /** Number of tasks. */
  n: number;
  /** Attempts per task. */
  k: number;
  /** Mean over tasks of the share of attempts that passed. */
  pass1: number;
  ci: [low: number, high: number];
  greedy: Estimate | null;
  /** Unbiased chance that one of k attempts passes. */
  passK: Estimate;
  perTask: TaskScore[];
}

export interface TaskDifference {
  task: string;
  env: string;
  before: number;
  after: number;
  difference: number;
}

/** After minus before, paired by task. */
export interface Difference {
  n: number;
  k: number;
  pass1: number;
  ci: [low: number, high: number];
  greedy: Estimate | null;
  passK: Estimate;
  perTask: TaskDifference[];
}

/** Sampled attempts and, if made, one greedy attempt per task. Throws a RangeError when there is no attempt. `seed` is the bootstrap's. */
export function measure(sampled: readonly Attempt[], greedy: readonly Attempt[], seed: number): Measurement {
  const scores = new Map<string, TaskScore>();
  for (const { task, env, solved } of sampled) {
    const score = scores.get(task) ?? { task, env, attempts: 0, solved: 0, greedy: null };
    score.attempts++;
    if (solved) score.solved++;
    scores.set(task, score);
  }
  for (const { task, solved } of greedy) {
    const score = scores.get(task);
    if (score) score.greedy = solved;
  }
  const perTask = [...scores.values()];
  // An attempt lost to infrastructure leaves a task with fewer: pass@k is then taken at the smaller number.
  const k = Math.max(0, ...perTask.map((t) => t.attempts));
  const { mean, ci } = bootstrapMean(perTask.map(rate), { seed });
  const withGreedy = perTask.filter((t) => t.greedy !== null);
  return {
    n: perTask.length,
    k,
    pass1: mean,
    ci,
    greedy: withGreedy.length > 0 ? bootstrapMean(withGreedy.map((t) => Number(t.greedy)), { seed }) : null,
    passK: bootstrapMean(perTask.map((t) => passAtK(t.attempts, t.solved, Math.min(k, t.attempts))), { seed }),
    perTask,
  };
}

/** Tasks measured only once (an infrastructure loss) are left out. */
export function difference(before: Measurement, after: Measurement, seed: number): Difference {
  const old = new Map(before.perTask.map((t) => [t.task, t]));
  const pairs = after.perTask.flatMap((b) => {
    const a = old.get(b.task);
    return a ? [[a, b] as const] : [];
  });
  const compare = (of: (t: TaskScore) => number, among = pairs) => pairedBootstrap(among.map(([a]) => of(a)), among.map(([, b]) => of(b)), { seed });
  const k = Math.min(before.k, after.k);
  const pass1 = compare(rate);
  const withGreedy = pairs.filter(([a, b]) => a.greedy !== null && b.greedy !== null);
  return {
    n: pairs.length,
    k,
    pass1: pass1.mean,
    ci: pass1.ci,
    greedy: withGreedy.length > 0 ? compare((t) => Number(t.greedy), withGreedy) : null,
    passK: compare((t) => passAtK(t.attempts, t.solved, Math.min(k, t.attempts))),
    perTask: pairs.map(([a, b]) => ({ task: b.task, env: b.env, before: rate(a), after: rate(b), difference: rate(b) - rate(a) })),
  };
}

function rate(score: TaskScore): number {
  return score.solved / score.attempts;
}
