/** Plots as SVG text. Colours are the page's CSS variables --series-0..5, --grid and --muted, so they follow its theme. */
export interface Series {
  name: string;
  /** One value per update; null leaves a gap. */
  values: readonly (number | null)[];
  /** CSS colour; by default the next of the page's series colours. */
  color?: string;
}

export interface PlotOptions {
  title: string;
  series: readonly Series[];
  /** Stacked areas instead of lines. */
  stacked?: boolean;
  /** Ends of the y axis; by default 0 (or the smallest value below it) and the largest value. */
  range?: [number, number];
}

const WIDTH = 460;
const HEIGHT = 210;
const LEFT = 50;
const RIGHT = 12;
const TOP = 46;
const BOTTOM = 26;

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

export function plot({ title, series, stacked = false, range }: PlotOptions): string {
  const count = Math.max(0, ...series.map((s) => s.values.length));
  const layers: Layer[] = stacked ? stack(series, count) : series.map((s) => ({ name: s.name, low: null, high: s.values }));
  const shown = layers.flatMap((layer) => layer.high.filter((v): v is number => v !== null && Number.isFinite(v)));
  const low = range?.[0] ?? Math.min(0, ...shown);
  const high = range?.[1] ?? Math.max(...shown, low + 1e-9);
  const ticks = niceTicks(low, high);
  const top = range ? high : Math.max(high, ticks[ticks.length - 1]);
  const x = (i: number) => LEFT + (count > 1 ? (i / (count - 1)) * (WIDTH - LEFT - RIGHT) : 0);
  const y = (v: number) => HEIGHT - BOTTOM - ((v - low) / (top - low)) * (HEIGHT - TOP - BOTTOM);
  const colorOf = (s: number) => series[s].color ?? `var(--series-${s % 6})`;
  const point = (i: number, v: number) => `${x(i).toFixed(1)},${y(v).toFixed(1)}`;

  const parts = [`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeHtml(title)}">`, `<text class="title" x="${LEFT}" y="16">${escapeHtml(title)}</text>`];
  for (const tick of ticks) {
    parts.push(`<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(tick).toFixed(1)}" y2="${y(tick).toFixed(1)}"/>`);
    parts.push(`<text class="tick" text-anchor="end" x="${LEFT - 6}" y="${(y(tick) + 4).toFixed(1)}">${formatTick(tick)}</text>`);
  }
  for (const i of xTicks(count)) parts.push(`<text class="tick" text-anchor="middle" x="${x(i).toFixed(1)}" y="${HEIGHT - 8}">${i + 1}</text>`);
  layers.forEach((layer, s) => {
    const color = colorOf(s);
    for (const run of runs(layer.high)) {
      const upper = run.map(([i, v]) => point(i, v));
      if (layer.low) {
        const { low } = layer;
        const lower = run.map(([i]) => point(i, low[i])).toReversed();
        parts.push(`<polygon points="${[...upper, ...lower].join(" ")}" fill="${color}" fill-opacity="0.75"/>`);
      } else {
        parts.push(`<polyline points="${upper.join(" ")}" fill="none" stroke="${color}" stroke-width="2"/>`);
        for (const [i, v] of run) parts.push(`<circle cx="${x(i).toFixed(1)}" cy="${y(v).toFixed(1)}" r="2.2" fill="${color}"><title>${escapeHtml(`${layer.name}, update ${i + 1}: ${v.toPrecision(4)}`)}</title></circle>`);
      }
    }
  });
  let at = LEFT;
  for (const [s, { name }] of series.entries()) {
    parts.push(`<rect x="${at}" y="26" width="10" height="10" rx="2" fill="${colorOf(s)}"/><text class="tick" x="${at + 14}" y="35">${escapeHtml(name)}</text>`);
    at += 26 + name.length * 6.5;
  }
  return parts.join("") + "</svg>";
}

interface Layer {
  name: string;
  /** Lower edge of an area; null for a line. */
  low: readonly number[] | null;
  high: readonly (number | null)[];
}

function stack(series: readonly Series[], count: number): Layer[] {
  let base = Array<number>(count).fill(0);
  return series.map(({ name, values }) => {
    const low = base;
    base = low.map((v, i) => v + (values[i] ?? 0));
    return { name, low, high: base };
  });
}

/** Stretches of consecutive values without a gap. */
function runs(values: readonly (number | null)[]): [number, number][][] {
  const found: [number, number][][] = [];
  values.forEach((value, i) => {
    if (value === null || !Number.isFinite(value)) return;
    const last = found.at(-1);
    if (last && last[last.length - 1][0] === i - 1) last.push([i, value]);
    else found.push([[i, value]]);
  });
  return found;
}

/** Three to six round values that cover [low, high] from below. */
function niceTicks(low: number, high: number): number[] {
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough)!;
  const ticks: number[] = [];
  for (let t = Math.ceil(low / step - 1e-9) * step; t <= high + step * 1e-6; t += step) ticks.push(Math.abs(t) < step * 1e-6 ? 0 : t);
  return ticks;
}

function xTicks(count: number): number[] {
  const step = Math.max(1, Math.ceil(count / 8));
  return Array.from({ length: Math.ceil(count / step) }, (_, i) => i * step);
}

function formatTick(value: number): string {
  if (value !== 0 && (Math.abs(value) < 0.001 || Math.abs(value) >= 1e5)) return value.toExponential(0);
  return String(Number(value.toPrecision(3)));
}
