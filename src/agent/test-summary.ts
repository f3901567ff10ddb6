/** Shortens what `node --test` prints (TAP) to the totals and the first failures. */

const SHOWN_FAILURES = 3;
const ERROR_LINES = 8;

/** Null when `output` is no TAP test run. */
export function summariseTests(output: string): string | null {
  if (!/^TAP version \d+$/m.test(output)) return null;
  const lines = output.split("\n");
  const totals = new Map<string, string>();
  const path: string[] = [];
  const failures: string[] = [];
  lines.forEach((line, i) => {
    const depth = line.search(/\S/) / 4;
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
  const counts = ["tests", "pass", "fail", "cancelled", "skipped", "todo"].filter((key) => totals.has(key) && (key === "tests" || key === "pass" || key === "fail" || totals.get(key) !== "0"));
  const more = failures.length > SHOWN_FAILURES ? [`and ${failures.length - SHOWN_FAILURES} more failures`] : [];
  return [counts.map((key) => `${key} ${totals.get(key)}`).join(", "), ...failures.slice(0, SHOWN_FAILURES), ...more].join("\n");
}

/** The YAML block that starts at `from`, without its common indentation; empty when there is none. */
function diagnostics(lines: string[], from: number): string[] {
  const indent = lines[from]?.search(/---\s*$/) ?? -1;
  if (indent < 0) return [];
  const end = lines.findIndex((line, i) => i > from && line.slice(indent) === "...");
  return lines.slice(from + 1, end < 0 ? undefined : end).map((line) => line.slice(indent));
}

function errorOf(block: string[]): string {
  const at = block.findIndex((line) => line.startsWith("error:"));
  if (at < 0) return "";
  const inline = block[at].slice("error:".length).trim();
  if (!/^\|-?$/.test(inline)) return `: ${inline.replace(/^(['"])(.*)\1$/, "$2")}`;
  const body: string[] = [];
  for (const line of block.slice(at + 1)) {
    if (/^\S/.test(line)) break;
    if (line.trim() !== "") body.push(line.slice(2).trimEnd());
  }
  const shown = body.slice(0, ERROR_LINES).join("\n");
  return `: ${shown}${body.length > ERROR_LINES ? "\n…" : ""}`;
}
