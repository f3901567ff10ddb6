/** Makes tasks from an environment: proposes bugs site by site, validates them, composes pairs, writes statements. */
import { Random } from "../compute/index.ts";
import type { SandboxFactory } from "../sandbox/index.ts";
import { callSetup, importLine } from "./call-setup.ts";
import { EnvironmentError } from "./environment.ts";
import { applyHunks } from "./hunks.ts";
import { CallObserver } from "./observed-call.ts";
import { mutationSites, type Site } from "./sites.ts";
import { REPRODUCTION, reproductionScript, scriptProblem, SHOWN_BY } from "./reproduction.ts";
import { findExample, writeStatement } from "./statement.ts";
import type { Environment, Hunk, SiteUse, StatementLevel, Task } from "./types.ts";
import { type Validation, Validator, type WriteStatement } from "./validate.ts";

export interface MakeOptions {
  environment: Environment;
  factory: SandboxFactory;
  count: number;
  seed: number;
  /** Only bugs on sites of this use; all uses when absent. */
  use?: SiteUse;
  /** Each task gets one of these by its own random stream. Default: all four. */
  levels?: readonly StatementLevel[];
  /** Share of tasks with two bugs, 0 to 1 (default 0). Where it is above 0, pairs also follow when single bugs run out. */
  pairShare?: number;
  /** Bugs validated at the same time; never changes the result. Default 4. */
  lanes?: number;
  onProgress?: (done: number, count: number) => void;
  signal?: AbortSignal;
}

export interface Yields {
  /** By operator ("pair" for two bugs together): bugs tried and valid ones. */
  operators: Record<string, { tried: number; valid: number }>;
  /** Bugs rejected, by the gate that did. */
  gates: Record<string, number>;
}

export interface MakeResult {
  tasks: Task[];
  /** Set when there are fewer tasks than asked for: how many there are, of how many proposals, and what to do. */
  shortage: string | null;
  yields: Yields;
}

interface Single {
  hunk: Hunk;
  site: Site;
  task: Task;
}

/** Single bugs validated before the first pair is drawn. */
const PAIR_POOL = 12;

/**
 * The first `count` valid tasks in an order fixed by the seed: one bug at every site before a second at any. Throws
 * EnvironmentError when the environment's own suite fails, is flaky or does not end.
 */
export async function makeTasks(options: MakeOptions): Promise<MakeResult> {
  const { environment, count, seed, signal, pairShare = 0, lanes = 4 } = options;
  const levels = options.levels ?? [0, 1, 2, 3];
  const validator = new Validator(options.factory);
  const yields: Yields = { operators: {}, gates: {} };
  const seen = new Set<string>();
  const tasks: Task[] = [];

  const sites = sitesOf(environment).filter((site) => options.use === undefined || site.use === options.use);
  const candidates = inRounds(sites, Random.stream(seed, "sites", environment.name));
  await validator.clean(environment, signal);

  const observer = new CallObserver(environment.files, options.factory);
  const write: WriteStatement = async (task, bugs, env) => {
    const random = Random.stream(seed, "statement", task.id);
    const level = random.pick(levels);
    const symptoms = await Promise.all(bugs.map(async ({ hunk, ...bug }) => {
      const place = { ...bug, file: hunk.file };
      if (level !== 3) return { ...place, observed: null, setup: null };
      const direct = await observer.find(place, applyHunks(env.files, [hunk]), signal);
      if (direct !== null) return { ...place, observed: direct, setup: [importLine(place.function, place.file)] };
      const tested = findExample(env.files, place);
      return { ...place, observed: tested, setup: tested && callSetup(env.files[tested.test], tested.test, tested.call) };
    }));
    const written = writeStatement(env, symptoms, level, random);
    const calls = symptoms.flatMap(({ observed, setup }) => (observed && setup ? [{ ...observed, setup }] : []));
    if (calls.length < symptoms.length || REPRODUCTION in env.files) return written;
    const shown = { ...written, statement: `${written.statement}\n${SHOWN_BY}`, files: { ...task.files, [REPRODUCTION]: reproductionScript(calls) } };
    // What a test compares is not always what a script can.
    return (await scriptProblem({ ...task, ...shown }, options.factory, signal)) === null ? shown : written;
  };
  const validate = (hunks: Hunk[]) => validator.validate(environment, hunks, write, signal);
  const record = (operator: string, validation: Validation): Task | null => {
    const row = (yields.operators[operator] ??= { tried: 0, valid: 0 });
    row.tried++;
    const duplicate = validation.task !== undefined && seen.has(validation.task.id);
    const gate = duplicate ? "duplicate" : validation.verdicts.find((verdict) => !verdict.ok)?.gate;
    if (gate !== undefined) {
      yields.gates[gate] = (yields.gates[gate] ?? 0) + 1;
      return null;
    }
    row.valid++;
    seen.add(validation.task!.id);
    return validation.task!;
  };

  const singles: Single[] = [];
  const proposals = inOrder(candidates, lanes, async ({ hunk, site }) => ({ hunk, site, validation: await validate([hunk]) }));
  /** Validates proposals up to the next valid one; false when there is none left. */
  const findSingle = async (): Promise<boolean> => {
    for (;;) {
      const next = await proposals.next();
      if (next.done) return false;
      const { hunk, site, validation } = next.value;
      const task = record(hunk.operator, validation);
      if (!task) continue;
      for (const other of singles) if (composable(other.site, site)) pairs.push([other.hunk, hunk]);
      singles.push({ hunk, site, task });
      return true;
    }
  };
  let nextSingle = 0;
  const takeSingle = async () => (nextSingle < singles.length || (await findSingle()) ? singles[nextSingle++].task : null);

  const pairs: [Hunk, Hunk][] = [];
  const ready: Task[] = [];
  const random = Random.stream(seed, "pairs", environment.name);
  const takePair = async (): Promise<Task | null> => {
    while (singles.length < PAIR_POOL && (await findSingle()));
    while (ready.length === 0) {
      if (pairs.length === 0 && !(await findSingle())) return null;
      const drawn: [Hunk, Hunk][] = [];
      // A fixed batch, so that the result does not depend on the number of lanes.
      while (drawn.length < 4 && pairs.length > 0) {
        const at = random.int(0, pairs.length - 1);
        drawn.push(pairs[at]);
        pairs[at] = pairs[pairs.length - 1];
        pairs.pop();
      }
      for (const validation of await Promise.all(drawn.map(validate))) {
        const task = record("pair", validation);
        if (task) ready.push(task);
      }
    }
    return ready.shift()!;
  };

  try {
    const kinds = Random.stream(seed, "kinds", environment.name);
    while (tasks.length < count) {
      const first = kinds.uniform() < pairShare ? [takePair, takeSingle] : [takeSingle, takePair];
      const possible = pairShare <= 0 ? [takeSingle] : pairShare >= 1 ? [takePair] : first;
      const task = (await possible[0]()) ?? (await possible[1]?.()) ?? null;
      if (task === null) break;
      tasks.push(task);
      options.onProgress?.(tasks.length, count);
    }
  } finally {
    await proposals.return(undefined);
  }
  const shortage = tasks.length < count
    ? `environment "${environment.name}" gives ${tasks.length} of ${count} tasks: all ${candidates.length} bugs proposed ` +
      `${options.use ? `for ${options.use} ` : ""}were tried; ask for fewer${pairShare > 0 ? "" : ", allow pairs of bugs"} or use a larger repository`
    : null;
  return { tasks, shortage, yields };
}

function sitesOf(environment: Environment): Site[] {
  try {
    return mutationSites(environment);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new EnvironmentError(`environment "${environment.name}": a source module does not parse: ${error.message}`);
  }
}

/** Shuffled sites, one shuffled bug of each, then a second of each, and so on. */
function inRounds(sites: readonly Site[], random: Random): { hunk: Hunk; site: Site }[] {
  const shuffled = random.shuffle(sites).map((site) => ({ site, hunks: random.shuffle(site.hunks) }));
  const longest = Math.max(0, ...shuffled.map(({ hunks }) => hunks.length));
  const order: { hunk: Hunk; site: Site }[] = [];
  for (let round = 0; round < longest; round++) {
    for (const { site, hunks } of shuffled) if (round < hunks.length) order.push({ hunk: hunks[round], site });
  }
  return order;
}

/** Two bugs make one task when they serve the same use and lie in different functions. */
function composable(a: Site, b: Site): boolean {
  return a.use === b.use && (a.file !== b.file || a.function !== b.function);
}

/** Results in the order of the items, with up to `lanes` of them being worked on ahead of the one asked for. */
async function* inOrder<T, R>(items: readonly T[], lanes: number, work: (item: T) => Promise<R>): AsyncGenerator<R, void> {
  const running: Promise<R>[] = [];
  let next = 0;
  try {
    while (next < items.length || running.length > 0) {
      while (running.length < lanes && next < items.length) running.push(work(items[next++]));
      yield await running.shift()!;
    }
  } finally {
    // Work that nobody will ask for any more must still end, and its errors are of no interest.
    await Promise.allSettled(running);
  }
}
