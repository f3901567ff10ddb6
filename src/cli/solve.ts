/** `solve`: one episode, shown step by step; with an adapter, before and after training. */
import { runEpisode, type Trajectory } from "../agent/index.ts";
import { loadEnvironment } from "../tasks/index.node.ts";
import { EPISODE_LIMITS, grade, type Grade, type Task } from "../tasks/index.ts";
import { type CommandContext, CommandError, type Outcome } from "./command.ts";
import { endText, statementText, stepText } from "./episode-view.ts";
import { type ModelOptions, openSession, type Session } from "./session.ts";
import { findTask } from "./task-sets.ts";

export interface SolveOptions extends ModelOptions {
  task?: string;
  env?: string;
  statement?: string;
  seed: number;
  temperature: number;
}

export async function solve(context: CommandContext, options: SolveOptions): Promise<Outcome> {
  const work = await chosenWork(options);
  const session = await openSession(options);
  try {
    const { adapter, decoder, policy } = session;
    if (!adapter) {
      const episode = await showEpisode(context, session, work, options);
      return { ok: succeeded(episode), result: report(episode) };
    }
    const { adapterHash } = policy.identity;
    decoder.adapter = null;
    policy.weightsChanged(null);
    context.print("Before training, without the adapter\n");
    const before = await showEpisode(context, session, work, options);
    decoder.adapter = adapter;
    policy.weightsChanged(adapterHash);
    context.print("\nAfter training, with the adapter\n");
    const after = await showEpisode(context, session, work, options);
    context.print(`\nbefore: ${outcome(before)}; after: ${outcome(after)}`);
    return { ok: succeeded(after), result: { ...report(after), before: report(before) } };
  } finally {
    await session.close();
  }
}

interface Episode {
  trajectory: Trajectory;
  grade: Grade | null;
}

// Without hidden tests nobody can say whether it is solved; the agent's own end must do.
const succeeded = ({ trajectory, grade }: Episode): boolean => (grade ? grade.solved : trajectory.stop === "done");
const outcome = ({ trajectory, grade }: Episode): string => (grade ? (grade.solved ? "solved" : "not solved") : `ended (${trajectory.stop})`);

function report({ trajectory, grade }: Episode) {
  const { taskId: task, stop, patch, formatMisses } = trajectory;
  return { task, solved: grade?.solved ?? null, failed: grade?.failed ?? [], stop, turns: trajectory.steps.length, formatMisses, patch };
}

/** A task of a file, or a folder with a statement, which has no hidden tests. */
type Work = Task | (Pick<Task, "id" | "env" | "statement" | "files"> & { failToPass?: undefined });

async function chosenWork({ task, env, statement }: SolveOptions): Promise<Work> {
  if (task !== undefined) {
    if (env !== undefined || statement !== undefined) throw new CommandError("give either --task or --env with --statement, not both");
    return findTask(task);
  }
  if (env === undefined || statement === undefined) throw new CommandError("say what to solve: --task FILE#ID, or --env DIR with --statement TEXT");
  if (statement.trim() === "") throw new CommandError("the statement is empty; say what is wrong or what to build");
  const environment = await loadEnvironment(env);
  return { id: "statement", env: environment.name, statement, files: environment.files };
}

/** Runs and prints one episode; grades it where the work has hidden tests. */
export async function showEpisode(
  context: CommandContext,
  session: Session,
  work: Work,
  { seed, temperature }: { seed: number; temperature: number },
): Promise<Episode> {
  const { policy, sandboxes, caps } = session;
  context.print(statementText(work.env, work.statement));
  const sandbox = await sandboxes.create(work.files, EPISODE_LIMITS);
  try {
    let number = 0;
    const trajectory = await runEpisode({
      task: work,
      policy,
      sandbox,
      key: { seed, update: -1, task: work.id, attempt: 0 },
      sampling: { temperature, topK: 0, topP: 1 },
      caps,
      signal: context.signal,
      onEvent: (event) => {
        if (event.type === "step") context.print(stepText(event.step, ++number));
      },
    });
    if (trajectory.stop === "cancelled") throw context.signal.reason;
    const result = work.failToPass && trajectory.stop !== "time" ? await grade(work, await sandbox.snapshot(), sandboxes, { signal: context.signal }) : null;
    context.print(endText(trajectory, result, Math.min(caps.tokens, policy.contextLength)));
    return { trajectory, grade: result };
  } finally {
    await sandbox.dispose();
  }
}
