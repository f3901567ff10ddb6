/** The text that `node --test` prints, in the form of Node's "spec" reporter but without times, so that it repeats. */
import type { FileEvent } from "./run-tests.ts";

export class SpecReport {
  #lines: string[] = [];
  /** Events of children wait for their parent, which ends after them. */
  #waiting: FileEvent[] = [];
  #failures: FileEvent[] = [];
  #counts = { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 };

  get failed(): boolean {
    return this.#counts.fail > 0 || this.#counts.cancelled > 0;
  }

  add(event: FileEvent): void {
    const c = this.#counts;
    if (event.suite) {
      c.suites++;
      if (event.status === "fail" && !event.childFailed) c.fail++;
    } else {
      c.tests++;
      if (event.todo) c.todo++;
      else if (event.status === "skip") c.skipped++;
      else if (event.stuck) c.cancelled++;
      else if (event.status === "pass") c.pass++;
      else c.fail++;
    }
    if (event.status === "fail" && !event.childFailed) this.#failures.push(event);
    this.#waiting.push(event);
    if (event.path.length <= 1) {
      this.#print(this.#waiting, 1);
      this.#waiting = [];
    }
  }

  /** Events of one subtree, children first; prints the parent's line above its children where it has any. */
  #print(events: FileEvent[], depth: number): void {
    let children: FileEvent[] = [];
    for (const event of events) {
      if (event.path.length > depth) {
        children.push(event);
        continue;
      }
      const indent = "  ".repeat(Math.max(0, depth - 1));
      const title = event.path[event.path.length - 1] ?? event.file;
      const mark = event.todo || event.status === "skip" ? "﹣" : event.status === "pass" ? "✔" : "✖";
      const note = event.todo ? " # TODO" : event.status === "skip" ? " # SKIP" : "";
      if (children.length > 0) {
        this.#lines.push(`${indent}▶ ${title}`);
        this.#print(children, depth + 1);
        children = [];
      }
      this.#lines.push(`${indent}${mark} ${title}${note}`);
    }
  }

  text(): string {
    const lines = [...this.#lines, ...Object.entries(this.#counts).map(([name, n]) => `ℹ ${name} ${n}`)];
    if (this.#failures.length > 0) {
      lines.push("", "✖ failing tests:");
      for (const event of this.#failures) {
        lines.push("", `test at ${event.file}`, `✖ ${event.path.join(" > ") || event.file}`);
        for (const line of (event.error ?? "failed").split("\n")) lines.push(`  ${line}`);
      }
    }
    return lines.join("\n") + "\n";
  }
}
