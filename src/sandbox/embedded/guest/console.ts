/** console, writing to the program's stdout and stderr. */
import { virtualNow } from "./clock.ts";
import { host } from "./host.ts";
import { format, inspect } from "./inspect.ts";

function table(data: unknown): string {
  if (typeof data !== "object" || data === null) return format(data);
  const rows = Array.isArray(data) ? data.map((v, i) => [String(i), v] as const) : Object.entries(data);
  const columns: string[] = [];
  for (const [, row] of rows) if (typeof row === "object" && row !== null) for (const k of Object.keys(row)) if (!columns.includes(k)) columns.push(k);
  const hasValues = rows.some(([, row]) => typeof row !== "object" || row === null);
  const head = ["(index)", ...columns, ...(hasValues ? ["Values"] : [])];
  const body = rows.map(([i, row]) => [
    i,
    ...columns.map((c) => (typeof row === "object" && row !== null && c in row ? inspect((row as any)[c]) : "")),
    ...(hasValues ? [typeof row === "object" && row !== null ? "" : inspect(row)] : []),
  ]);
  const widths = head.map((h, i) => Math.max(h.length, ...body.map((r) => r[i].length)) + 2);
  const line = (l: string, m: string, r: string) => l + widths.map((w) => "─".repeat(w)).join(m) + r;
  const cells = (r: string[]) => "│" + r.map((c, i) => " " + c.padEnd(widths[i] - 1)).join("│") + "│";
  return [line("┌", "┬", "┐"), cells(head), line("├", "┼", "┤"), ...body.map(cells), line("└", "┴", "┘")].join("\n");
}

export function makeConsole(): Record<string, (...args: any[]) => void> {
  let indent = "";
  const counts = new Map<string, number>();
  const times = new Map<string, number>();
  const print = (fd: number, text: string) => host.out(fd, (indent ? indent + text.replaceAll("\n", "\n" + indent) : text) + "\n");
  const to = (fd: number) => (...args: unknown[]) => print(fd, format(...args));
  return {
    log: to(1), info: to(1), debug: to(1), error: to(2), warn: to(2),
    trace: (...args) => print(2, `Trace: ${format(...args)}`),
    dir: (value, options) => print(1, inspect(value, { customInspect: false, ...options })),
    dirxml: to(1),
    table: (data) => print(1, table(data)),
    assert: (ok, ...args) => {
      if (!ok) print(2, args.length ? `Assertion failed: ${format(...args)}` : "Assertion failed");
    },
    group: (...args) => {
      if (args.length) print(1, format(...args));
      indent += "  ";
    },
    groupCollapsed: (...args) => {
      if (args.length) print(1, format(...args));
      indent += "  ";
    },
    groupEnd: () => {
      indent = indent.slice(2);
    },
    count: (label = "default") => {
      counts.set(label, (counts.get(label) ?? 0) + 1);
      print(1, `${label}: ${counts.get(label)}`);
    },
    countReset: (label = "default") => void counts.delete(label),
    time: (label = "default") => void times.set(label, virtualNow()),
    timeLog: (label = "default") => print(1, `${label}: ${virtualNow() - (times.get(label) ?? 0)}ms`),
    timeEnd: (label = "default") => print(1, `${label}: ${virtualNow() - (times.get(label) ?? 0)}ms`),
  };
}
