/**
 * Training speed: trained tokens/s of the gradient step on rollouts of the demo's shape, and seconds per whole update of
 * 32 rollouts (episodes, grading and step) on tasks of the environment that the demo adapts to.
 */
import type { Trajectory } from "../src/agent/index.ts";
import type { CommandContext, Outcome } from "../src/cli/command.ts";
import { PRESETS } from "../src/cli/presets.ts";
import { type ModelOptions, openSession, type Session } from "../src/cli/session.ts";
import { makeTaskSet } from "../src/cli/task-sets.ts";
import { Random } from "../src/compute/index.ts";
import { LoraAdapter } from "../src/model/index.ts";
import { type Group, Learner, Trainer } from "../src/rl/index.ts";

const GROUPS = 4;
const GROUP_SIZE = 8;
const EPISODE_TOKENS = 640;
const SAMPLED_TOKENS = 96;
const STEPS = 5;
const UPDATES = 3;

interface Spread {
  median: number;
  min: number;
  max: number;
}

export async function bench(context: CommandContext, options: ModelOptions): Promise<Outcome> {
  const session = await openSession(options);
  try {
    const { device, decoder } = session;
    context.print(`${device.name}: ${device.description}`);
    const adapter = LoraAdapter.initialise(device, decoder.config, PRESETS.demo.lora, Random.stream("bench train"));
    decoder.adapter = adapter;
    const tokensPerSecond = await benchStep(session, adapter);
    context.print(`gradient step, ${GROUPS * GROUP_SIZE} rollouts of ${EPISODE_TOKENS} tokens, ${SAMPLED_TOKENS} of them sampled: ${show(tokensPerSecond, 0)} trained tokens/s`);
    const seconds = await benchUpdates(context, session, adapter);
    context.print(`update of ${GROUPS * GROUP_SIZE} rollouts: ${show(seconds, 1)} s`);
    return { ok: true, result: { device: device.name, description: device.description, model: session.modelName, trainedTokensPerSecond: tokensPerSecond, secondsPerUpdate: seconds } };
  } finally {
    await session.close();
  }
}

/** Tokens through forward and backward per second, of the optimizer step alone. */
async function benchStep({ decoder }: Session, adapter: LoraAdapter): Promise<Spread> {
  const learner = new Learner(decoder, adapter, PRESETS.demo.learner);
  const groups = Array.from({ length: GROUPS }, (_, g): Group => ({ task: `t${g}`, rollouts: Array.from({ length: GROUP_SIZE }, (_, a) => syntheticRollout(decoder.config.vocabSize, g, a)) }));
  const speeds: number[] = [];
  // The first round only warms up.
  for (let round = 0; round <= STEPS; round++) {
    const start = performance.now();
    const step = await learner.step(groups);
    if (round > 0) speeds.push(step!.trainedTokens / ((performance.now() - start) / 1000));
  }
  learner.dispose();
  return spread(speeds);
}

/** Random tokens; the end of the episode counts as sampled. */
function syntheticRollout(vocabulary: number, group: number, attempt: number): Trajectory {
  const random = Random.stream("bench train", group, attempt);
  const sampled = Array.from({ length: EPISODE_TOKENS }, (_, i) => (i >= EPISODE_TOKENS - SAMPLED_TOKENS ? 1 : 0));
  const task = `t${group}`;
  return {
    version: 1, taskId: task, env: "bench", key: { seed: 0, update: 0, task, attempt }, policy: { model: "", modelHash: "", adapterHash: null }, sampling: { temperature: 1, topK: 0, topP: 1 }, steps: [],
    ledger: { ids: sampled.map(() => random.int(0, vocabulary - 1)), sampled, logprobs: sampled.map((s) => (s ? -Math.log(vocabulary) : 0)) }, stop: "done", patch: "", formatMisses: 0,
    grade: { solved: attempt % 2 === 0, failed: [], touchedTests: [] },
  };
}

async function benchUpdates(context: CommandContext, session: Session, adapter: LoraAdapter): Promise<Spread> {
  const { decoder, policy, sandboxes, caps, concurrency } = session;
  const { tasks } = await makeTaskSet("adapt", { environments: 1, tasks: GROUPS }, "rl", 1, sandboxes, { signal: context.signal });
  const trainer = new Trainer({ decoder, adapter, policy, sandboxes, caps, concurrency }, { ...PRESETS.demo.learner, seed: 1, groupSize: GROUP_SIZE });
  policy.weightsChanged(await adapter.hash());
  const seconds: number[] = [];
  for (let round = 0; round < UPDATES; round++) {
    const { metrics } = await trainer.update(tasks, { signal: context.signal });
    seconds.push(metrics.seconds.total);
    const { rollouts, update } = metrics.seconds;
    context.print(`  update ${round + 1}: episodes ${rollouts.toFixed(1)} s, step ${update.toFixed(1)} s, ${metrics.tokens.assistant} sampled tokens, ${metrics.groups.partial} of ${GROUPS} groups mixed`);
  }
  trainer.dispose();
  return spread(seconds);
}

function spread(values: number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  return { median: sorted[sorted.length >> 1], min: sorted[0], max: sorted[sorted.length - 1] };
}

function show({ median, min, max }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${min.toFixed(digits)} to ${max.toFixed(digits)})`;
}
