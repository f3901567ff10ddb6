/** The record of one RL update: one line of metrics.jsonl. */
import type { StopReason, Trajectory } from "../agent/index.ts";
import { type Group, rawReward, wasCutOff } from "./groups.ts";

export interface UpdateMetrics {
  /** 1 for the first update. */
  update: number;
  /** Of the shaped rewards of all rollouts. */
  reward: { mean: number; std: number };
  /** Number of groups, and how many were solved by none, some or all of their rollouts (raw reward). */
  groups: { total: number; none: number; partial: number; all: number };
  /** Share of groups without a learning signal. */
  zeroVariance: number;
  /** Rollouts graded, and rollouts lost to infrastructure or the wall clock. */
  rollouts: { graded: number; lost: number };
  /** Means per sampled token of the groups that were trained on; null when no group was. */
  entropy: number | null;
  /** |p − q| between trainer and sampler probability of a sampled token. */
  gap: { mean: number; max: number } | null;
  /** Share of tokens that the objective dropped. */
  droppedTokens: number | null;
  loss: number | null;
  /** Norm of the gradient before clipping. */
  gradNorm: number | null;
  lr: number;
  tokens: {
    /** Sampled by the policy, all rollouts. */
    assistant: number;
    /** Rows that went through forward and backward (prompts and tool outputs included). */
    trained: number;
    /** Assistant tokens per rollout. */
    perRollout: number;
    prefill: number;
    decode: number;
  };
  /** Turns per rollout. */
  turns: number;
  /** Share of rollouts that a cap ended. */
  truncated: number;
  /** Share of tool calls that could be parsed and had good arguments. */
  validCalls: number | null;
  /** Calls not in the model's own form or wrongly filled in, per tool call (see `Trajectory.formatMisses`). */
  formatMisses: number | null;
  /** Share of rollouts that changed test or config files. */
  touchedTests: number;
  stops: Partial<Record<StopReason, number>>;
  /** Wall-clock seconds; the parts overlap, because episodes run side by side. */
  seconds: { total: number; rollouts: number; prefill: number; decode: number; sandbox: number; update: number };
  tokensPerSecond: { prefill: number; decode: number; update: number };
  /** Updates between the policy that sampled and the one that is trained. */
  staleness: number;
}

/** What the gradient step measured. */
export interface StepMeasures {
  loss: number;
  entropy: number;
  gap: { mean: number; max: number };
  droppedTokens: number;
  gradNorm: number;
  trainedTokens: number;
}

export interface RolloutTimes {
  rollouts: number;
  prefill: number;
  decode: number;
  /** Making sandboxes, tools and grading, summed over episodes. */
  sandbox: number;
  update: number;
  prefillTokens: number;
  decodeTokens: number;
}

export function updateMetrics(update: number, groups: readonly Group[], lost: number, lr: number, step: StepMeasures | null, times: RolloutTimes): UpdateMetrics {
  const rollouts = groups.flatMap((group) => group.rollouts);
  const share = (count: number) => (rollouts.length > 0 ? count / rollouts.length : 0);
  const kinds = { none: 0, partial: 0, all: 0 };
  for (const group of groups) {
    if (group.rollouts.length === 0) continue;
    const solved = group.rollouts.reduce((sum, t) => sum + rawReward(t), 0);
    kinds[solved === 0 ? "none" : solved === group.rollouts.length ? "all" : "partial"]++;
  }
  const rewards = rollouts.map((t) => t.reward ?? 0);
  const mean = share(rewards.reduce((a, b) => a + b, 0));
  const assistant = rollouts.reduce((sum, t) => sum + assistantTokens(t), 0);
  const calls = rollouts.flatMap((t) => t.steps.flatMap((s) => s.calls));
  const stops: Partial<Record<StopReason, number>> = {};
  for (const { stop } of rollouts) stops[stop] = (stops[stop] ?? 0) + 1;
  return {
    update,
    reward: { mean, std: Math.sqrt(share(rewards.reduce((sum, r) => sum + (r - mean) ** 2, 0))) },
    groups: { total: groups.length, ...kinds },
    zeroVariance: groups.length > 0 ? 1 - kinds.partial / groups.length : 0,
    rollouts: { graded: rollouts.length, lost },
    entropy: step?.entropy ?? null,
    gap: step?.gap ?? null,
    droppedTokens: step?.droppedTokens ?? null,
    loss: step?.loss ?? null,
    gradNorm: step?.gradNorm ?? null,
    lr,
    tokens: { assistant, trained: step?.trainedTokens ?? 0, perRollout: share(assistant), prefill: times.prefillTokens, decode: times.decodeTokens },
    turns: share(rollouts.reduce((sum, t) => sum + t.steps.length, 0)),
    truncated: share(rollouts.filter(wasCutOff).length),
    validCalls: calls.length > 0 ? calls.filter((call) => call.error === undefined).length / calls.length : null,
    formatMisses: calls.length > 0 ? rollouts.reduce((sum, t) => sum + t.formatMisses, 0) / calls.length : null,
    touchedTests: share(rollouts.filter((t) => (t.grade?.touchedTests.length ?? 0) > 0).length),
    stops,
    seconds: { total: times.rollouts + times.update, rollouts: times.rollouts, prefill: times.prefill, decode: times.decode, sandbox: times.sandbox, update: times.update },
    tokensPerSecond: { prefill: rate(times.prefillTokens, times.prefill), decode: rate(times.decodeTokens, times.decode), update: rate(step?.trainedTokens ?? 0, times.update) },
    staleness: 0,
  };
}

export function assistantTokens(trajectory: Trajectory): number {
  return trajectory.ledger.sampled.reduce((sum, s) => sum + s, 0);
}

function rate(tokens: number, seconds: number): number {
  return seconds > 0 ? tokens / seconds : 0;
}
