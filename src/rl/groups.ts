/** Groups: the rollouts of one task in one update, and which of them carry a learning signal. */
import type { StopReason, Trajectory } from "../agent/index.ts";

export interface Group {
  task: string;
  /** Graded rollouts in order of attempt; samples lost to infrastructure are missing. */
  rollouts: Trajectory[];
}

export interface RewardOptions {
  /** Reward of a correct rollout that a cap cut off (1 = no penalty). */
  cutOffReward: number;
}

const CUT_OFF: ReadonlySet<StopReason> = new Set(["length", "turns", "tokens", "repetition"]);

/** True when a cap, not the policy, ended the episode. */
export function wasCutOff(trajectory: Trajectory): boolean {
  return CUT_OFF.has(trajectory.stop);
}

/** 1 or 0 by the hidden tests, before any shaping. */
export function rawReward(trajectory: Trajectory): number {
  if (!trajectory.grade) throw new Error(`trajectory of task ${trajectory.taskId}, attempt ${trajectory.key.attempt}, was never graded`);
  return trajectory.grade.solved ? 1 : 0;
}

export function shapedReward(trajectory: Trajectory, { cutOffReward }: RewardOptions): number {
  const raw = rawReward(trajectory);
  return raw === 1 && wasCutOff(trajectory) ? cutOffReward : raw;
}

/**
 * Groups whose *raw* rewards differ. A group that is all solved or all failed says nothing about which rollout was
 * better, and must go before shaping: otherwise a penalty alone would create a signal.
 */
export function mixedGroups(groups: readonly Group[]): Group[] {
  return groups.filter((group) => new Set(group.rollouts.map(rawReward)).size > 1);
}
