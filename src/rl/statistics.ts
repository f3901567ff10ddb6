/** Estimates and bootstrap intervals for evaluations. Everything resamples tasks, because attempts at one task are not independent. */
import { Random } from "../compute/index.ts";

export interface Estimate {
  mean: number;
  /** Percentile 95 % bootstrap interval. */
  ci: [low: number, high: number];
}

export interface BootstrapOptions {
  /** Default 10,000. */
  resamples?: number;
  seed: number;
  /** What is drawn as a whole, one name per value (a task measured under several seeds). Default: each value by itself. */
  clusters?: readonly string[];
}

/** Mean of per-task values with its bootstrap interval. An empty list throws a RangeError. */
export function bootstrapMean(values: readonly number[], options: BootstrapOptions): Estimate {
  const { resamples = 10_000, seed, clusters } = options;
  if (values.length === 0) throw new RangeError("bootstrapMean: there are no values");
  if (clusters && clusters.length !== values.length) throw new RangeError(`bootstrapMean: ${values.length} values but ${clusters.length} clusters`);
  const byCluster = new Map<string, { sum: number; count: number }>();
  values.forEach((value, i) => {
    const name = clusters?.[i] ?? String(i);
    const entry = byCluster.get(name) ?? { sum: 0, count: 0 };
    entry.sum += value;
    entry.count++;
    byCluster.set(name, entry);
  });
  const units = [...byCluster.values()];
  const random = Random.stream(seed, "bootstrap");
  const means = new Float64Array(resamples);
  for (let r = 0; r < resamples; r++) {
    let sum = 0;
    let count = 0;
    for (let i = 0; i < units.length; i++) {
      const unit = units[random.int(0, units.length - 1)];
      sum += unit.sum;
      count += unit.count;
    }
    means[r] = sum / count;
  }
  means.sort();
  return { mean: values.reduce((a, b) => a + b, 0) / values.length, ci: [quantile(means, 0.025), quantile(means, 0.975)] };
}

/** Mean of after[i] − before[i] with its paired bootstrap interval: both values of a task are drawn together. */
export function pairedBootstrap(before: readonly number[], after: readonly number[], options: BootstrapOptions): Estimate {
  if (before.length !== after.length) throw new RangeError(`pairedBootstrap: ${before.length} values before but ${after.length} after`);
  return bootstrapMean(before.map((value, i) => after[i] - value), options);
}

/**
 * Unbiased estimate of the chance that at least one of k attempts passes, from c passes in n attempts:
 * 1 − C(n − c, k) / C(n, k) (Chen et al. 2021, "Evaluating large language models trained on code").
 */
export function passAtK(n: number, c: number, k: number): number {
  if (!(k >= 1 && k <= n && c >= 0 && c <= n)) throw new RangeError(`passAtK needs 1 <= k <= n and 0 <= c <= n, not n=${n}, c=${c}, k=${k}`);
  let none = 1;
  for (let i = n - c + 1; i <= n; i++) none *= 1 - k / i;
  return n - c < k ? 1 : 1 - none;
}

/** Linear interpolation between order statistics of an ascending array. */
function quantile(sorted: Float64Array, q: number): number {
  const at = q * (sorted.length - 1);
  const low = Math.floor(at);
  return sorted[low] + (sorted[Math.min(low + 1, sorted.length - 1)] - sorted[low]) * (at - low);
}
