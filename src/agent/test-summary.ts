/** Shortens what `node --test` prints (TAP) to the totals and the first failures. */

const SHOWN_FAILURES = 3;
const ERROR_LINES = 8;

/** The output with its TAP test run shortened, and what other commands printed before and after kept. Null when there is no TAP. */
export function summariseTests(output: string): string | null {
  const start = output.search(/^TAP version \d+$/m);
  if (start < 0) return null;
  // The totals end with the duration; an output that was cut has none.
  const rest = output.slice(start);
  const end = Math.max(...[...rest.matchAll(/^# duration_ms .*$/gm)].map((last) => last.index + last[0].length), 0) || rest.length;
  return [output.slice(0, start).trimEnd(), summary(rest.slice(0, end)), rest.slice(end).trim()].filter((part) => part !== "").join("\n");
}

function summary(tap: string): string {
  const lines = tap.split("\n");
  const totals = new Map<string, string>();
  const path: string[] = [];
  const failures: string[] = [];
  lines.forEach((line, i) => {
    // What a test prints may look like TAP, and need not be indented like it.
    const depth = Math.max(0, Math.floor(line.search(/\S/) / 4));
    const subtest = /^\s*# Subtest: (.*)$/.exec(line);
    const failed = /^\s*not ok \d+ - (.*)$/.exec(line);
    const total = /^# (tests|pass|fail|cancelled|skipped|todo) (\d+)$/.exec(line);
    if (subtest !== null) {
      path.length = depth;
      path.push(subtest[1]);
    } else if (failed !== null) {
      const block = diagnostics(lines, i + 1);
      // A suite fails because its tests do: they have been listed.
      if (!block.some((entry) => /^failureType: '?subtestsFailed/.test(entry))) {
        failures.push(`not ok ${[...path.slice(0, depth), failed[1]].join(" > ")}${errorOf(block)}`);
      }
    } else if (total !== null) totals.set(total[1], total[2]);
  });
  const keys = ["tests", "pass", "fail", "cancelled", "skipped", "todo"].filter((key) => totals.has(key) && (key === "tests" || key === "pass" || key === "fail" || totals.get(key) !== "0"));
  const more = failures.length > SHOWN_FAILURES ? [`and ${failures.length - SHOWN_FAILURES} more failures`] : [];
  const counts = keys.length > 0 ? keys.map((key) => `${key} ${totals.get(key)}`).join(", ") : `fail ${failures.length} (the output was cut)`;
  return [counts, ...failures.slice(0, SHOWN_FAILURES), ...more].join("\n");
}

/** The YAML block that starts at `from`, without its common indentation; empty when there is none. */
function diagnostics(lines: string[], from: number): string[] {
  const indent = lines[from]?.search(/---\s*$/) ?? -1;
  if (indent < 0) return [];
  const end = lines.findIndex((line, i) => i > from && line.slice(indent) === "...");
  return lines.slice(from + 1, end < 0 ? undefined : end).map((line) => line.slice(indent));
}

/** What a test saw and wanted, in a few words where the block has them, else the first lines of its error. */
function errorOf(block: string[]): string {
  const at = block.findIndex((line) => line.startsWith("error:"));
  if (at < 0) return "";
  const inline = scalar(block[at]);
  const body: string[] = inline === undefined ? [] : [inline];
  for (const line of block.slice(at + 1)) {
    if (/^\S/.test(line)) break;
    if (line.trim() !== "") body.push(line.slice(2).trimEnd());
  }
  if (body.length === 0) return "";
  const actual = scalar(block.find((line) => line.startsWith("actual:")));
  const expected = scalar(block.find((line) => line.startsWith("expected:")));
  if (actual !== undefined && expected !== undefined && body[0].startsWith("Expected values to be ")) {
    const place = /\(([^()]+:\d+):\d+\)$/.exec(body.at(-1)!);
    return `: got ${actual}, want ${expected}${place === null ? "" : ` (${place[1]})`}`;
  }
  return `: ${body.slice(0, ERROR_LINES).join("\n")}${body.length > ERROR_LINES ? "\n…" : ""}`;
}

/** The value of a `key: value` line; undefined when it is on the lines below. */
function scalar(line: string | undefined): string | undefined {
  const text = line?.slice(line.indexOf(":") + 1).trim() ?? "";
  if (text === "" || text === "|-" || text === "|") return undefined;
  return /^'.*'$/.test(text) ? text.slice(1, -1).replaceAll("\\'", "'") : /^".*"$/.test(text) ? text.slice(1, -1) : text;
}
