/**
 * What `node --test` prints. Without a terminal Node 20 writes TAP, so that is the default here too; `--test-reporter`
 * chooses spec or dot. Times are 0, so that output repeats.
 */
import type { FileEvent } from "./run-tests.ts";

interface TreeNode {
  event: FileEvent;
  children: TreeNode[];
}

/** Collects events, which arrive children first, into a tree. */
export class Report {
  readonly #roots: TreeNode[] = [];
  #waiting: TreeNode[] = [];
  readonly #counts = { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 };

  get failed(): boolean {
    return this.#counts.fail > 0 || this.#counts.cancelled > 0;
  }

  add(event: FileEvent): void {
    const c = this.#counts;
    if (event.suite) c.suites++;
    else {
      c.tests++;
      if (event.todo) c.todo++;
      else if (event.status === "skip") c.skipped++;
      else if (event.stuck || event.cancelled) c.cancelled++;
      else if (event.status === "pass") c.pass++;
      else c.fail++;
    }
    const depth = event.path.length;
    const children = this.#waiting.filter((n) => n.event.path.length > depth);
    const node = { event, children };
    this.#waiting = this.#waiting.filter((n) => n.event.path.length <= depth);
    if (depth <= 1) this.#roots.push(node);
    else this.#waiting.push(node);
  }

  text(reporter: string, output: string): string {
    if (reporter === "spec") return this.#spec(output);
    if (reporter === "dot") return output + this.#dot();
    return this.#tap(output);
  }

  #tap(output: string): string {
    const lines = ["TAP version 13", ...comment(output)];
    const print = (nodes: TreeNode[], indent: string) => {
      nodes.forEach(({ event, children }, i) => {
        const title = titleOf(event).replaceAll("#", "\\#");
        lines.push(`${indent}# Subtest: ${title}`);
        if (children.length > 0) print(children, indent + "    ");
        const note = event.todo ? " # TODO" : event.status === "skip" ? " # SKIP" : "";
        lines.push(`${indent}${event.status === "fail" ? "not ok" : "ok"} ${i + 1} - ${title}${note}`);
        lines.push(...diagnostics(event).map((line) => (line ? `${indent}  ${line}` : line)));
      });
      if (indent || nodes.length > 0) lines.push(`${indent}1..${nodes.length}`);
    };
    print(this.#roots, "");
    for (const [name, n] of Object.entries(this.#counts)) lines.push(`# ${name} ${n}`);
    lines.push("# duration_ms 0");
    return lines.join("\n") + "\n";
  }

  #spec(output: string): string {
    const lines: string[] = [];
    const failures: FileEvent[] = [];
    const print = (nodes: TreeNode[], indent: string) => {
      for (const { event, children } of nodes) {
        if (children.length > 0) {
          lines.push(`${indent}▶ ${titleOf(event)}`);
          print(children, indent + "  ");
        }
        const mark = event.status === "skip" ? "﹣" : event.status === "pass" ? "✔" : "✖";
        lines.push(`${indent}${mark} ${titleOf(event)}${event.todo ? " # TODO" : event.status === "skip" ? " # SKIP" : ""}`);
        if (event.status === "fail" && !event.childFailed) failures.push(event);
      }
    };
    print(this.#roots, "");
    for (const [name, n] of Object.entries(this.#counts)) lines.push(`ℹ ${name} ${n}`);
    if (failures.length > 0) lines.push("", "✖ failing tests:");
    for (const event of failures) {
      lines.push("", `test at ${event.file}`, `✖ ${event.path.join(" > ") || event.file}`);
      for (const line of (event.error ?? "failed").split("\n")) lines.push(`  ${line}`);
    }
    return output + lines.join("\n") + "\n";
  }

  #dot(): string {
    let marks = "";
    const failures: FileEvent[] = [];
    const visit = ({ event, children }: TreeNode) => {
      children.forEach(visit);
      if (event.suite) return;
      marks += event.status === "fail" ? "X" : ".";
      if (event.status === "fail" && !event.childFailed) failures.push(event);
    };
    this.#roots.forEach(visit);
    const details = failures.map((e) => `✖ ${e.path.join(" > ") || e.file}\n  ${(e.error ?? "failed").replaceAll("\n", "\n  ")}\n`);
    return `${marks}\n${details.length > 0 ? `\nFailed tests:\n\n${details.join("\n")}` : ""}`;
  }
}

const titleOf = (event: FileEvent): string => event.path[event.path.length - 1] ?? event.file;
const comment = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n").map((l) => `# ${l}`));

/** The YAML block of one test. */
function diagnostics(event: FileEvent): string[] {
  const out = ["---", "duration_ms: 0"];
  if (event.suite) out.push("type: 'suite'");
  if (event.status === "fail") {
    out.push(`failureType: '${event.childFailed ? "subtestsFailed" : event.stuck || event.cancelled ? "cancelledByParent" : "testCodeFailure"}'`);
    out.push(...field("error", event.error ?? "failed"));
    if (event.actual !== undefined) out.push(...field("actual", event.actual));
    if (event.expected !== undefined) out.push(...field("expected", event.expected));
  }
  return [...out, "..."];
}

function field(name: string, text: string): string[] {
  const lines = text.split("\n");
  if (lines.length === 1) return [`${name}: '${text.replaceAll("'", "\\'")}'`];
  return [`${name}: |-`, ...lines.map((line) => (line ? `  ${line}` : line))];
}
