/** The record of an experiment (summary.json) and how it is told to people. */
import type { Difference, Estimate, Measurement } from "../rl/index.ts";
import type { ExperimentPreset, SplitName } from "./presets.ts";

export interface Summary {
  version: 1;
  preset: ExperimentPreset;
  package: { name: string; version: string };
  seed: number;
  device: string;
  model: string;
  hashes: { model: string; adapter: string };
  before: Partial<Record<SplitName, Measurement>>;
  after: Partial<Record<SplitName, Measurement>>;
  /** After minus before, paired by task. */
  difference: Partial<Record<SplitName, Difference>>;
  /** Pass@1 of the untrained model at other temperatures, on the split that is trained for. */
  baseTemperatures: { temperature: number; pass1: number; ci: [number, number] }[];
  training: { updates: number; rollouts: number; environments: string[]; tasks: number; seconds: number };
  /** What a reader must know to judge the numbers. */
  notes: string[];
}

export const SPLIT_LABELS: Record<SplitName, string> = {
  adapt: "adapted repository",
  train: "training environments",
  heldout: "held-out environments",
};

export interface SummaryRow {
  split: string;
  measure: string;
  before: string;
  after: string;
  change: string;
  detail: string;
}

/** Rows of the before/after table; percentages with 95 % bootstrap intervals. */
export function summaryRows({ before, after, difference }: Pick<Summary, "before" | "after" | "difference">): SummaryRow[] {
  const rows: SummaryRow[] = [];
  for (const split of ["adapt", "train", "heldout"] as const) {
    const [a, b, d] = [before[split], after[split], difference[split]];
    if (!a || !b || !d) continue;
    const row = (measure: string, x: Estimate | null, y: Estimate | null, z: Estimate | null, detail: string) => {
      if (x && y && z) rows.push({ split: SPLIT_LABELS[split], measure, before: estimate(x), after: estimate(y), change: estimate(z, true), detail });
    };
    row("pass@1", { mean: a.pass1, ci: a.ci }, { mean: b.pass1, ci: b.ci }, { mean: d.pass1, ci: d.ci }, `${d.n} tasks × ${d.k}, temperature 1`);
    row("greedy", a.greedy, b.greedy, d.greedy, `${d.n} tasks`);
    row(`pass@${d.k}`, a.passK, b.passK, d.passK, `${d.n} tasks × ${d.k}`);
  }
  return rows;
}

/** One sentence per split on what the change of pass@1 shows. */
export function verdicts(difference: Summary["difference"]): string[] {
  return (["adapt", "train", "heldout"] as const).flatMap((split) => {
    const d = difference[split];
    if (!d) return [];
    const change = `pass@1 on the ${SPLIT_LABELS[split]} changed by ${estimate({ mean: d.pass1, ci: d.ci }, true)} points`;
    if (d.ci[0] > 0) return [`${change}: the interval excludes 0, it rose.`];
    if (d.ci[1] < 0) return [`${change}: the interval excludes 0, it fell.`];
    return [`${change}: the interval includes 0, so this run alone does not show a change.`];
  });
}

export function summaryTable(summary: Pick<Summary, "before" | "after" | "difference">): string {
  const header: SummaryRow = { split: "", measure: "", before: "before", after: "after", change: "change [95 %]", detail: "" };
  const rows = [header, ...summaryRows(summary)];
  const columns = ["split", "measure", "before", "after", "change", "detail"] as const;
  const widths = columns.map((c) => Math.max(...rows.map((row) => row[c].length)));
  return rows.map((row) => columns.map((c, i) => (c === "split" || c === "measure" || c === "detail" ? row[c].padEnd(widths[i]) : row[c].padStart(widths[i]))).join("  ").trimEnd()).join("\n");
}

/** "12.5 [8.1, 17.0]" in per cent, with a sign for differences. */
export function estimate({ mean, ci }: Estimate, signed = false): string {
  const percent = (x: number) => {
    const text = (100 * x).toFixed(1).replace(/^-0\.0$/, "0.0");
    return signed && !text.startsWith("-") ? `+${text}` : text;
  };
  return `${percent(mean)} [${percent(ci[0])}, ${percent(ci[1])}]`;
}
