/** report.html: one file without any outside request, plots as inline SVG, everything from models and files escaped. */
import type { Trajectory } from "../agent/index.ts";
import type { UpdateMetrics } from "../rl/index.ts";
import type { Task } from "../tasks/index.ts";
import { escapeHtml as esc, plot, type PlotOptions } from "./plot.ts";
import { type Summary, summaryRows } from "./summary.ts";

export interface ReportInput {
  summary: Summary;
  metrics: readonly UpdateMetrics[];
  /** The same task attempted by the untrained and the trained policy. */
  pairs: readonly { task: Pick<Task, "id" | "env" | "statement">; before: Trajectory; after: Trajectory }[];
}

const STYLE = `
:root { color-scheme: light dark; --bg: #fff; --fg: #1b1f24; --muted: #5b6470; --grid: #dfe3e8; --card: #f5f7f9; --good: #1a7f37; --bad: #b42318;
  --series-0: #2a6fdb; --series-1: #d9822b; --series-2: #2f9e5b; --series-3: #8e59c9; --series-4: #c2417c; --series-5: #5f7d8c; }
@media (prefers-color-scheme: dark) { :root { --bg: #14171a; --fg: #e4e7ea; --muted: #98a2ad; --grid: #2f363d; --card: #1d2226; --good: #57c878; --bad: #ff8a7a;
  --series-0: #6ea8fe; --series-1: #f0a860; --series-2: #5fce8b; --series-3: #b990ec; --series-4: #ee86b0; --series-5: #93afbd; } }
body { background: var(--bg); color: var(--fg); font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 1040px; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; } h3 { font-size: 1rem; }
p.facts, .muted { color: var(--muted); }
table { border-collapse: collapse; width: 100%; } th, td { border-bottom: 1px solid var(--grid); padding: .35rem .6rem; text-align: left; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
.plots { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(300px, 1fr)); }
.plots svg { background: var(--card); border-radius: 8px; width: 100%; }
svg text { fill: var(--fg); font: 11px system-ui, sans-serif; } svg text.title { font-size: 13px; font-weight: 600; } svg text.tick { fill: var(--muted); }
svg .grid { stroke: var(--grid); }
.pair { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(320px, 1fr)); }
.pair > div { background: var(--card); border-radius: 8px; min-width: 0; padding: .6rem .9rem; }
pre { font: 12px/1.45 ui-monospace, monospace; margin: .3rem 0 .7rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
pre.tool { border-left: 3px solid var(--grid); color: var(--muted); padding-left: .6rem; }
.solved { color: var(--good); font-weight: 600; } .failed { color: var(--bad); font-weight: 600; }
ins { color: var(--good); text-decoration: none; } del { color: var(--bad); text-decoration: none; }
`;

export function renderReport({ summary, metrics, pairs }: ReportInput): string {
  const { preset, seed, hashes, training } = summary;
  const title = `Frogpond ${preset.name}, seed ${seed}`;
  const facts = [
    `${training.updates} RL updates of ${preset.groupsPerUpdate} groups × ${preset.groupSize} rollouts on ${training.tasks} tasks of ${training.environments.join(", ")}`,
    `device ${summary.device}`,
    `${summary.package.name} ${summary.package.version}, model ${summary.model} ${hashes.model.slice(0, 12)}, adapter ${hashes.adapter.slice(0, 12)}`,
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${esc(title)}</title><style>${STYLE}</style></head><body>
<h1>${esc(title)}</h1>
<p class="facts">${facts.map(esc).join("<br>")}</p>
<h2>Before and after</h2>
${resultTable(summary)}
<ul>${summary.notes.map((note) => `<li>${esc(note)}</li>`).join("")}</ul>
${temperatureTable(summary)}
<h2>Training</h2>
<div class="plots">${curves(metrics).map(plot).join("\n")}</div>
<h2>The same tasks before and after</h2>
${pairs.map(pairSection).join("\n") || '<p class="muted">No trajectories were kept.</p>'}
</body></html>
`;
}

function resultTable(summary: Summary): string {
  const rows = summaryRows(summary).map(
    (r) => `<tr><td>${esc(r.split)}</td><td>${esc(r.measure)}</td><td class="number">${esc(r.before)}</td><td class="number">${esc(r.after)}</td><td class="number">${esc(r.change)}</td><td class="muted">${esc(r.detail)}</td></tr>`,
  );
  return `<table><thead><tr><th>tasks of</th><th></th><th class="number">before, %</th><th class="number">after, %</th><th class="number">change, points</th><th></th></tr></thead><tbody>${rows.join("")}</tbody></table>
<p class="muted">In brackets: 95 % bootstrap intervals over tasks (10,000 resamples); those of the change are paired by task.</p>`;
}

function temperatureTable({ baseTemperatures }: Summary): string {
  if (baseTemperatures.length === 0) return "";
  const cells = baseTemperatures.map((t) => `temperature ${t.temperature}: ${(100 * t.pass1).toFixed(1)} %`);
  return `<p>Pass@1 of the untrained model at other temperatures, on the split it is trained for: ${esc(cells.join(", "))}. A gain that one of them reaches would be sharpening, not learning.</p>`;
}

function curves(metrics: readonly UpdateMetrics[]): PlotOptions[] {
  const series = (name: string, of: (m: UpdateMetrics) => number | null) => ({ name, values: metrics.map(of) });
  return [
    { title: "reward per rollout", series: [series("mean", (m) => m.reward.mean)], range: [0, 1] },
    {
      title: "groups by how many rollouts solved the task",
      stacked: true,
      series: [
        { ...series("all", (m) => m.groups.all), color: "var(--good)" },
        { ...series("some", (m) => m.groups.partial), color: "var(--series-0)" },
        { ...series("none", (m) => m.groups.none), color: "var(--series-5)" },
      ],
    },
    { title: "entropy per token, nats", series: [series("entropy", (m) => m.entropy)] },
    { title: "|p − q| between trainer and sampler", series: [series("mean", (m) => m.gap?.mean ?? null), series("max", (m) => m.gap?.max ?? null)] },
    { title: "gradient norm before clipping", series: [series("norm", (m) => m.gradNorm)] },
    { title: "assistant tokens per rollout", series: [series("tokens", (m) => m.tokens.perRollout)] },
    {
      title: "shares",
      range: [0, 1],
      series: [series("valid calls", (m) => m.validCalls), series("cut off", (m) => m.truncated), series("groups without signal", (m) => m.zeroVariance)],
    },
    { title: "seconds per update", stacked: true, series: [series("rollouts", (m) => m.seconds.rollouts), series("training", (m) => m.seconds.update)] },
  ];
}

function pairSection({ task, before, after }: ReportInput["pairs"][number]): string {
  return `<h3>${esc(task.env)}, task ${esc(task.id.slice(0, 10))}</h3>
<pre>${esc(task.statement)}</pre>
<div class="pair"><div><b>Before</b> ${episode(before)}</div><div><b>After</b> ${episode(after)}</div></div>`;
}

function episode(trajectory: Trajectory): string {
  const solved = trajectory.grade?.solved ?? false;
  const steps = trajectory.steps.map(
    (step) => `<pre>${esc(step.text)}</pre>${step.results.map((r) => `<pre class="tool">${esc(`${r.name}${r.ok ? "" : " (error)"}\n${r.content}`)}</pre>`).join("")}`,
  );
  const patch = trajectory.patch ? `<b>Patch</b><pre>${colouredDiff(trajectory.patch)}</pre>` : '<p class="muted">No change.</p>';
  return `<span class="${solved ? "solved" : "failed"}">${solved ? "solved" : "not solved"}</span> <span class="muted">(${esc(trajectory.stop)})</span>${steps.join("")}${patch}`;
}

function colouredDiff(patch: string): string {
  return patch
    .split("\n")
    .map((line) => (line.startsWith("+") ? `<ins>${esc(line)}</ins>` : line.startsWith("-") ? `<del>${esc(line)}</del>` : esc(line)))
    .join("\n");
}
