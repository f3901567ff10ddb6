/**
 * Pools finished runs of several seeds: `npx tsx scripts/pool-runs.ts RUN...` prints the mean change of pass@1 per split
 * with its 95 % interval. A task that several runs measured is drawn as a whole.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SplitName } from "../src/cli/presets.ts";
import { estimate, SPLIT_LABELS, type Summary } from "../src/cli/summary.ts";
import { bootstrapMean } from "../src/rl/index.ts";

const dirs = process.argv.slice(2);
if (dirs.length === 0) throw new Error("give the folders of finished runs");
const summaries = await Promise.all(dirs.map(async (dir) => {
  const text = await readFile(join(dir, "summary.json"), "utf8").catch(() => {
    console.error(`error: ${dir} holds no summary.json: it is not a finished run; give the folders of finished runs`);
    process.exit(1);
  });
  return JSON.parse(text) as Summary;
}));
console.log(`seeds ${summaries.map((s) => s.seed).join(", ")}`);
for (const split of Object.keys(SPLIT_LABELS) as SplitName[]) {
  const tasks = summaries.flatMap((s) => s.difference[split]?.perTask ?? []);
  if (tasks.length === 0) continue;
  const pooled = (of: (t: (typeof tasks)[number]) => number) => bootstrapMean(tasks.map(of), { seed: 0, clusters: tasks.map((t) => t.task) });
  console.log(`${SPLIT_LABELS[split]}: pass@1 ${estimate(pooled((t) => t.before))} -> ${estimate(pooled((t) => t.after))}, change ${estimate(pooled((t) => t.difference), true)} points, ${tasks.length} task measurements`);
  for (const s of summaries) {
    const [a, b, d] = [s.before[split]!, s.after[split]!, s.difference[split]!];
    const greedy = a.greedy && b.greedy ? `greedy ${(100 * a.greedy.mean).toFixed(1)} -> ${(100 * b.greedy.mean).toFixed(1)}, ` : "";
    console.log(`  seed ${s.seed}: ${estimate({ mean: d.pass1, ci: d.ci }, true)}, ${greedy}pass@${d.k} ${(100 * a.passK.mean).toFixed(1)} -> ${(100 * b.passK.mean).toFixed(1)}`);
  }
}
