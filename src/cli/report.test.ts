import { describe, expect, it } from "vitest";
import type { Trajectory } from "../agent/index.ts";
import { type Attempt, difference, measure, type UpdateMetrics } from "../rl/index.ts";
import { plot } from "./plot.ts";
import { PRESETS } from "./presets.ts";
import { renderReport, type ReportInput } from "./report.ts";
import { estimate, type Summary, summaryTable, verdicts } from "./summary.ts";

const attempts = (rate: number, k = 8): Attempt[] => Array.from({ length: 20 * k }, (_, i) => ({ task: `t${Math.floor(i / k)}`, env: "parcels", attempt: i % k, solved: (i * 7919) % 100 < 100 * rate }));
const greedy = (rate: number) => attempts(rate, 1);
const before = measure(attempts(0.15), greedy(0.1), 1);
const after = measure(attempts(0.5), greedy(0.4), 1);

function update(n: number, trained = true): UpdateMetrics {
  return {
    update: n, reward: { mean: 0.1 + 0.03 * n, std: 0.3 }, groups: { total: 8, none: 4, partial: 3, all: 1 }, zeroVariance: 5 / 8, rollouts: { graded: 64, lost: 0 },
    entropy: trained ? 0.4 - 0.01 * n : null, gap: trained ? { mean: 1e-6, max: 1e-4 } : null, droppedTokens: 0, loss: -0.01, gradNorm: trained ? 0.3 : null, lr: 1e-3,
    tokens: { assistant: 4000, trained: 20000, perRollout: 62, prefill: 3000, decode: 4000 }, turns: 3.2, truncated: 0.1, validCalls: 0.97, formatMisses: 0.03, touchedTests: 0, stops: { done: 60, turns: 4 },
    seconds: { total: 14, rollouts: 8, prefill: 2, decode: 5, sandbox: 3, update: 6 }, tokensPerSecond: { prefill: 1500, decode: 800, update: 3300 }, staleness: 0,
  };
}

function trajectory(solved: boolean): Trajectory {
  return {
    version: 1, taskId: "abc", env: "parcels", key: { seed: 1, update: -1, task: "abc", attempt: 0 }, policy: { model: "m", modelHash: "h", adapterHash: null }, sampling: { temperature: 0, topK: 0, topP: 1 },
    steps: [{ text: "<tool_call><function=Bash><parameter=command>node --test</parameter></function></tool_call><|im_end|>", calls: [{ name: "Bash", arguments: { command: "node --test" } }], results: [{ name: "Bash", content: "<script>alert(1)</script>", ok: true }], seconds: { model: 1, tools: 0.1 } }],
    ledger: { ids: [1], sampled: [1], logprobs: [-1] }, stop: "done", patch: "--- a/src/x.js\n+++ b/src/x.js\n-a < b\n+a <= b\n", formatMisses: 0, grade: { solved, failed: [], touchedTests: [] },
  };
}

const summary: Summary = {
  version: 1, preset: PRESETS.demo, package: { name: "frogpond", version: "0.1.0" }, seed: 1, device: "wasm: test", model: "tadpole", hashes: { model: "0".repeat(64), adapter: "1".repeat(64) },
  before: { adapt: before }, after: { adapt: after }, difference: { adapt: difference(before, after, 1) }, baseTemperatures: [{ temperature: 0.5, pass1: 0.18, ci: [0.1, 0.25] }],
  training: { updates: 12, rollouts: 768, environments: ["parcels"], tasks: 64, seconds: 170 }, notes: ["<b>not bold</b>"],
};
const input: ReportInput = {
  summary,
  metrics: Array.from({ length: 12 }, (_, i) => update(i + 1, i !== 4)),
  pairs: [{ task: { id: "abcdef", env: "parcels", statement: 'Fix `a` & "b" <img src=x onerror=alert(1)>' }, before: trajectory(false), after: trajectory(true) }],
};

describe("report", () => {
  const html = renderReport(input);

  it("escapes what comes from models, files and notes", () => {
    expect(/<script|<img|<b>not bold|<tool_call>/.test(html)).toBe(false);
    expect(html).toContain("&#60;script&#62;alert(1)");
  });

  it("asks nothing of the outside", () => {
    expect(/<[^>]*\s(src|href)=|url\(|@import|https?:/.test(html)).toBe(false);
    expect(html).toContain("default-src 'none'");
  });

  it("holds the table, a plot per curve and the trajectories side by side", () => {
    expect(html.match(/<svg/g)).toHaveLength(8);
    expect(html).toContain("pass@8");
    expect(html).toContain(estimate({ mean: before.pass1, ci: before.ci }));
    expect(html).toContain("<ins>+a &#60;= b</ins>");
    expect(html).toContain("not solved");
  });
});

describe("plot", () => {
  it("leaves a gap where a value is missing", () => {
    const svg = plot({ title: "t", series: [{ name: "s", values: [1, 2, null, 3, 4] }] });
    expect(svg.match(/<polyline/g)).toHaveLength(2);
    expect(svg.match(/<circle/g)).toHaveLength(4);
  });

  it.each([[[]], [[0]], [[5]], [[null]], [[0, 0, 0]], [[-1, -2]], [[1e-9, 2e-9]]])("draws %j without NaN", (values) => {
    const svg = plot({ title: "t", series: [{ name: "s", values }] });
    expect(svg).not.toMatch(/NaN|Infinity/);
  });
});

describe("summary", () => {
  it("prints percentages with intervals and signs", () => {
    expect(estimate({ mean: 0.125, ci: [0.081, 0.1699] })).toBe("12.5 [8.1, 17.0]");
    expect(estimate({ mean: 0.2, ci: [-0.0001, 0.4] }, true)).toBe("+20.0 [+0.0, +40.0]");
    expect(summaryTable(summary).split("\n").length).toBe(4);
  });

  it("says when an interval includes 0", () => {
    const same = difference(before, before, 1);
    expect(verdicts({ adapt: same })[0]).toContain("includes 0");
    expect(verdicts(summary.difference)[0]).toContain("it rose");
  });
});
