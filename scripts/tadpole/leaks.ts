/** Shows that no text of an environment has got into the pretraining text. */
import type { Environment } from "../../src/tasks/index.ts";

/** Consecutive lines that count as taken: single lines such as loop heads are common to all code. */
const RUN = 3;

/** A line as code, without the number that Read or grep puts before it. */
const bare = (line: string) => line.replace(/^\d+[:\t-]/, "").trim().replace(/\s+/g, " ");

/** Runs of lines with some substance: a run of closing braces proves nothing. */
function runsOf(text: string): string[] {
  const lines = text.split("\n").map(bare).filter((line) => line !== "");
  const runs: string[] = [];
  for (let i = 0; i + RUN <= lines.length; i++) {
    const run = lines.slice(i, i + RUN).join("\n");
    if (run.replace(/[^\w]/g, "").length >= 30) runs.push(run);
  }
  return runs;
}

/** Finds texts that share three consecutive lines with a file of these environments. */
export class LeakFinder {
  private readonly runs = new Map<string, string>();

  constructor(environments: readonly Environment[]) {
    for (const { name, files } of environments) {
      for (const [path, text] of Object.entries(files)) if (path !== "package.json") for (const run of runsOf(text)) this.runs.set(run, `${name}/${path}`);
    }
  }

  /** Where the first shared run comes from, with its text; null when there is none. */
  find(text: string): { source: string; lines: string } | null {
    for (const lines of runsOf(text)) {
      const source = this.runs.get(lines);
      if (source !== undefined) return { source, lines };
    }
    return null;
  }
}
