import { describe, expect, it } from "vitest";
import type { StopReason, Trajectory } from "../agent/index.ts";
import { mixedGroups, rawReward, shapedReward } from "./groups.ts";

function trajectory(solved: boolean, stop: StopReason = "done"): Trajectory {
  return {
    version: 1, taskId: "t", env: "e", key: { seed: 1, update: 0, task: "t", attempt: 0 }, policy: { model: "m", modelHash: "h", adapterHash: null },
    sampling: { temperature: 1, topK: 0, topP: 1 }, steps: [], ledger: { ids: [], sampled: [], logprobs: [] }, stop, patch: "", formatMisses: 0,
    grade: { solved, failed: [], touchedTests: [] },
  };
}

const group = (...solved: boolean[]) => ({ task: "t", rollouts: solved.map((s) => trajectory(s)) });

describe("groups", () => {
  it("keeps groups whose raw rewards differ", () => {
    const mixed = group(true, false, false);
    expect(mixedGroups([group(true, true), mixed, group(false, false), group(true), group()])).toEqual([mixed]);
  });

  it("does not take a cut-off penalty for variance", () => {
    const allSolved = { task: "t", rollouts: [trajectory(true), trajectory(true, "turns")] };
    expect(allSolved.rollouts.map((r) => shapedReward(r, { cutOffReward: 0.5 }))).toEqual([1, 0.5]);
    expect(mixedGroups([allSolved])).toEqual([]);
  });

  it("pays a failure nothing, cut off or not", () => {
    expect(shapedReward(trajectory(false, "length"), { cutOffReward: 0.5 })).toBe(0);
    expect(shapedReward(trajectory(true, "length"), { cutOffReward: 1 })).toBe(1);
  });

  it("refuses an ungraded trajectory", () => {
    const { grade: _, ...ungraded } = trajectory(true);
    expect(() => rawReward(ungraded)).toThrow("never graded");
  });
});
