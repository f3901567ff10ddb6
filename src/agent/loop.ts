/** One episode: the Leaf loop. Sample a turn, run its tool calls, give the results back, until a turn has no call. */
import type { EpisodeKey, Policy, PolicySession, Sampling } from "../policy/index.ts";
import type { Sandbox } from "../sandbox/index.ts";
import type { Task } from "../tasks/index.ts";
import type { Caps } from "./caps.ts";
import { parseCalls } from "./parse-calls.ts";
import { unifiedDiff } from "./patch.ts";
import { SYSTEM_PROMPT, TOOLS } from "./prompt.ts";
import { Toolbox } from "./tools.ts";
import type { Ledger, Step, StopReason, Trajectory } from "./trajectory.ts";

/** The episode cannot start. */
export class EpisodeError extends Error {
  override name = "EpisodeError";
}

export type EpisodeEvent = { type: "token"; id: number } | { type: "step"; step: Step };

export interface EpisodeOptions {
  /** All that the agent may know: nothing hidden is in this type. */
  task: Pick<Task, "id" | "env" | "statement" | "files">;
  policy: Policy;
  /** Fresh, holding `task.files`. It is left as the agent leaves it, for grading. */
  sandbox: Sandbox;
  key: EpisodeKey;
  sampling: Sampling;
  caps: Caps;
  signal?: AbortSignal;
  onEvent?: (event: EpisodeEvent) => void;
}

/** The same call this many times in a row ends the episode. */
const REPEATS = 3;

/**
 * Rejects with `EpisodeError` when the statement is empty or leaves no room in the context, and with the sandbox's or
 * the policy's own error when they fail: such a sample is dropped, it is no failure of the agent. An abort is no
 * error: the trajectory so far comes back with stop `cancelled` (the signal) or `time` (the wall clock).
 */
export async function runEpisode({ task, policy, sandbox, key, sampling, caps, signal, onEvent }: EpisodeOptions): Promise<Trajectory> {
  const { chat } = policy;
  if (task.statement.trim() === "") throw new EpisodeError(`Task ${task.id} has an empty statement: say what is wrong.`);
  const limit = Math.min(caps.tokens, policy.contextLength);
  let prompt = chat.prompt([{ role: "system", content: SYSTEM_PROMPT }, { role: "user", content: task.statement }], [...TOOLS]);
  if (prompt.length >= limit) throw new EpisodeError(`The prompt of task ${task.id} takes ${prompt.length} of ${limit} tokens: shorten the statement.`);

  const ledger: Ledger = { ids: [], sampled: [], logprobs: [] };
  const steps: Step[] = [];
  let formatMisses = 0;
  const abort = new AbortController();
  const cancel = (): void => abort.abort(signal?.reason);
  if (signal?.aborted) cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  const timer = setTimeout(() => abort.abort(new Error("The episode's time is over")), caps.seconds * 1000);
  const session = policy.open(key, sampling);
  const tools = new Toolbox(sandbox, caps);

  const run = async (): Promise<StopReason> => {
    let repeats = 0;
    for (let lastAction = ""; ; ) {
      abort.signal.throwIfAborted();
      const room = limit - ledger.ids.length - prompt.length;
      if (room <= 0) return "tokens";
      const started = performance.now();
      const turn = await sampleTurn(session, policy, prompt, ledger, Math.min(room, caps.turnTokens), caps.thinkTokens, {
        signal: abort.signal,
        onToken: onEvent && ((id) => onEvent({ type: "token", id })),
      });
      const text = chat.decode(turn.ids);
      const { calls, misses } = parseCalls(text, chat.callFormat, TOOLS);
      formatMisses += misses;
      const step: Step = { text, calls, results: [], seconds: { model: (performance.now() - started) / 1000, tools: 0 } };
      steps.push(step);

      let stop: StopReason | undefined;
      const action = JSON.stringify(calls);
      repeats = action === lastAction ? repeats + 1 : 1;
      lastAction = action;
      if (turn.stop === "length") stop = room > caps.turnTokens ? "length" : "tokens";
      else if (turn.stop === "context") stop = "tokens";
      else if (turn.stop === "repetition") stop = "repetition";
      else if (calls.length === 0) stop = "done";
      else if (repeats >= REPEATS) stop = "repetition";
      if (stop === undefined) {
        const toolsStarted = performance.now();
        for (const call of calls) step.results.push(await tools.run(call, abort.signal));
        step.seconds.tools = (performance.now() - toolsStarted) / 1000;
        if (steps.length >= caps.turns) stop = "turns";
      }
      onEvent?.({ type: "step", step });
      if (stop !== undefined) return stop;
      prompt = chat.toolResponses(step.results.map((result) => result.content), chat.stopTokens.includes(turn.ids.at(-1)!));
    }
  };

  try {
    const stop = await run().catch((error: unknown): StopReason => {
      if (!abort.signal.aborted) throw error;
      return signal?.aborted ? "cancelled" : "time";
    });
    return {
      version: 1,
      taskId: task.id,
      env: task.env,
      key,
      policy: policy.identity,
      sampling,
      steps,
      ledger,
      stop,
      // After an abort the sandbox may be gone with the command that ran in it, and such a sample is not graded.
      patch: abort.signal.aborted ? "" : unifiedDiff(task.files, await sandbox.snapshot()),
      formatMisses,
    };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
    session.close();
  }
}

/**
 * Samples one turn into the ledger. Thinking that does not end within `thinkTokens` is closed by force: the closing
 * tokens enter the ledger as not sampled, and the turn goes on.
 */
async function sampleTurn(
  session: PolicySession, { chat }: Policy, prompt: readonly number[], ledger: Ledger, maxTokens: number, thinkTokens: number,
  options: { signal: AbortSignal; onToken?: (id: number) => void },
): Promise<{ ids: number[]; stop: "end" | "length" | "context" | "repetition" }> {
  const append = (given: readonly number[], turn: { ids: number[]; logprobs: number[] }): void => {
    ledger.ids = ledger.ids.concat(given, turn.ids);
    ledger.sampled = ledger.sampled.concat(given.map(() => 0), turn.ids.map(() => 1));
    ledger.logprobs = ledger.logprobs.concat(given.map(() => 0), turn.logprobs);
  };
  const thinks = thinkTokens > 0 && thinkTokens < maxTokens;
  const first = await session.generate(prompt, { ...options, maxTokens: thinks ? thinkTokens : maxTokens });
  append(prompt, first);
  if (!thinks || first.stop !== "length") return first;

  // The template may have opened the block at the end of the prompt.
  const text = chat.decode([...prompt.slice(-8), ...first.ids]);
  const closing = text.lastIndexOf("<think>") > text.lastIndexOf("</think>") ? chat.encode("\n</think>\n\n") : [];
  const rest = maxTokens - first.ids.length - closing.length;
  if (rest <= 0) return first;
  const second = await session.generate(closing, { ...options, maxTokens: rest });
  append(closing, second);
  return { ids: [...first.ids, ...closing, ...second.ids], stop: second.stop };
}
