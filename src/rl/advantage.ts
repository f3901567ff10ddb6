/**
 * Group-relative advantages: A = (R − mean) / (std + 1e-6), with the population standard deviation of the group. Every
 * assistant token of a rollout gets its rollout's advantage.
 */
export function groupAdvantages(rewards: readonly number[]): number[] {
  const mean = rewards.reduce((sum, r) => sum + r, 0) / rewards.length;
  const variance = rewards.reduce((sum, r) => sum + (r - mean) ** 2, 0) / rewards.length;
  return rewards.map((r) => (r - mean) / (Math.sqrt(variance) + 1e-6));
}
