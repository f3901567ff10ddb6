import { afterEach, describe, expect, it } from "vitest";
import type { Trajectory } from "../agent/index.ts";
import { createReferenceDevice, Random } from "../compute/index.ts";
import { Decoder, LoraAdapter, parseConfig } from "../model/index.ts";
import { groupAdvantages } from "./advantage.ts";
import type { Group } from "./groups.ts";
import { Learner, type LearnerSettings } from "./learner.ts";

const VOCABULARY = 12;
const CONFIG = parseConfig(JSON.stringify({
  architectures: ["Qwen3ForCausalLM"], vocab_size: VOCABULARY, hidden_size: 8, intermediate_size: 12, num_hidden_layers: 2,
  num_attention_heads: 2, num_key_value_heads: 1, head_dim: 4, rms_norm_eps: 1e-6, rope_theta: 10000,
  max_position_embeddings: 64, tie_word_embeddings: true,
}));
const SETTINGS: LearnerSettings = {
  lr: 0.01, optimizer: { beta1: 0.9, beta2: 0.98, eps: 1e-8, weightDecay: 0, clipNorm: 1, decay: "all" }, microBatchRows: 1000, cutOffReward: 1, dropThreshold: 0.2,
};

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0).toReversed()) close();
});

async function setUp(settings: Partial<LearnerSettings> = {}) {
  const device = createReferenceDevice();
  closing.push(() => device.destroy());
  const decoder = Decoder.initialise(device, CONFIG, Random.stream("learner"));
  for (const name of decoder.parameters.names) {
    if (name.includes("norm")) continue;
    const weight = decoder.parameters.get(name);
    device.write(weight, ((await device.read(weight)) as Float32Array).map((w) => w * 20));
  }
  const adapter = LoraAdapter.initialise(device, CONFIG, { rank: 2, alpha: 4 }, Random.stream("adapter"));
  decoder.adapter = adapter;
  return { device, decoder, adapter, learner: new Learner(decoder, adapter, { ...SETTINGS, ...settings }) };
}

/** Rollouts with random tokens, sampled where the mask says so, and their true log-probabilities under the decoder. */
async function rollout(decoder: Decoder, attempt: number, solved: boolean): Promise<Trajectory> {
  const random = Random.stream("rollout", attempt);
  const length = 10 + attempt;
  const ids = Array.from({ length }, () => random.int(0, VOCABULARY - 1));
  const sampled = ids.map((_, i) => (i >= 4 && i % 4 !== 3 ? 1 : 0));
  const rows = ids.flatMap((_, i) => (sampled[i] ? [i - 1] : []));
  const { logprobs } = await decoder.score({ ids: Int32Array.from(ids), offsets: Int32Array.of(0, length), rows: Int32Array.from(rows), targets: Int32Array.from(rows, (r) => ids[r + 1]) });
  let next = 0;
  return {
    version: 1, taskId: "t", env: "e", key: { seed: 1, update: 0, task: "t", attempt }, policy: { model: "m", modelHash: "h", adapterHash: null },
    sampling: { temperature: 1, topK: 0, topP: 1 }, steps: [], ledger: { ids, sampled, logprobs: sampled.map((s) => (s ? logprobs[next++] : 0)) }, stop: "done", patch: "", formatMisses: 0,
    grade: { solved, failed: [], touchedTests: [] },
  };
}

const group = async (decoder: Decoder, outcomes: boolean[], first = 0): Promise<Group> => ({ task: "t", rollouts: await Promise.all(outcomes.map((solved, i) => rollout(decoder, first + i, solved))) });
const meanLogprob = async (decoder: Decoder, t: Trajectory) => {
  const rows = t.ledger.ids.flatMap((_, i) => (t.ledger.sampled[i] ? [i - 1] : []));
  const { logprobs } = await decoder.score({ ids: Int32Array.from(t.ledger.ids), offsets: Int32Array.of(0, t.ledger.ids.length), rows: Int32Array.from(rows), targets: Int32Array.from(rows, (r) => t.ledger.ids[r + 1]) });
  return logprobs.reduce((a, b) => a + b, 0) / logprobs.length;
};

describe("Learner", () => {
  it("makes solved rollouts likelier and failed ones less likely", async () => {
    const { decoder, learner } = await setUp();
    const g = await group(decoder, [true, false, false, true]);
    const before = await Promise.all(g.rollouts.map((t) => meanLogprob(decoder, t)));
    for (let i = 0; i < 5; i++) await learner.step([g]);
    const after = await Promise.all(g.rollouts.map((t) => meanLogprob(decoder, t)));
    const gain = after.map((x, i) => x - before[i]);
    expect(Math.min(gain[0], gain[3])).toBeGreaterThan(0);
    expect(Math.max(gain[1], gain[2])).toBeLessThan(0);
    expect(g.rollouts.map((t) => t.reward)).toEqual([1, 0, 0, 1]);
  });

  it("starts on policy: no gap, nothing dropped, loss −Σ A / |T|", async () => {
    const { decoder, learner } = await setUp();
    const g = await group(decoder, [true, false, false]);
    const result = (await learner.step([g]))!;
    const advantages = groupAdvantages([1, 0, 0]);
    const counts = g.rollouts.map((t) => t.ledger.sampled.reduce((a, b) => a + b, 0));
    const total = counts.reduce((a, b) => a + b, 0);
    expect(result.loss).toBeCloseTo(-advantages.reduce((sum, a, i) => sum + a * counts[i], 0) / total, 5);
    expect(result.gap.max).toBeLessThan(1e-6);
    expect(result.droppedTokens).toBe(0);
    expect(result.entropy).toBeGreaterThan(0);
    expect(result.entropy).toBeLessThanOrEqual(Math.log(VOCABULARY));
    expect(result.gradNorm).toBeGreaterThan(0);
  });

  it("gives the same step however the rollouts are cut into micro-batches", async () => {
    const results: { step: { gradNorm: number }; tensors: number[]; trainedTokens: number }[] = [];
    for (const microBatchRows of [1, 25, 1000]) {
      const { decoder, adapter, learner } = await setUp({ microBatchRows });
      const groups = [await group(decoder, [true, false, true]), await group(decoder, [false, true], 5)];
      const { trainedTokens, ...step } = (await learner.step(groups))!;
      const tensors = [...(await adapter.parameters.read()).values()].flatMap((t) => [...t.data]);
      results.push({ step, tensors, trainedTokens });
    }
    for (const other of results.slice(1)) {
      expect(other.trainedTokens).toBe(results[0].trainedTokens);
      expect(other.step.gradNorm).toBeCloseTo(results[0].step.gradNorm, 5);
      const gap = Math.max(...other.tensors.map((x, i) => Math.abs(x - results[0].tensors[i])));
      expect(gap).toBeLessThan(1e-4);
    }
  });

  it("changes nothing when no group is mixed", async () => {
    const { decoder, adapter, learner } = await setUp();
    const hash = await adapter.hash();
    expect(await learner.step([await group(decoder, [true, true]), await group(decoder, [false, false])])).toBeNull();
    expect(await learner.step([])).toBeNull();
    expect(await adapter.hash()).toBe(hash);
    expect(learner.steps).toBe(0);
  });

  it("leaks nothing", async () => {
    const { device, decoder, learner } = await setUp();
    const groups = [await group(decoder, [true, false])];
    await learner.step(groups);
    const live = device.liveBytes;
    await learner.step(groups);
    expect(device.liveBytes).toBe(live);
  });

  it("refuses a decoder that carries another adapter", async () => {
    const { decoder, adapter } = await setUp();
    decoder.adapter = null;
    expect(() => new Learner(decoder, adapter, SETTINGS)).toThrow("another adapter");
  });
});
