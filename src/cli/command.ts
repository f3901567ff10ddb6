/** What every command gets and gives back; main.ts turns it into output and an exit status. */
import type { Progress } from "./progress.ts";

export interface CommandContext {
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal;
  /** A line for people: to stdout, or to stderr when stdout belongs to `--json`. */
  print(line: string): void;
  /** A progress bar on stderr; `restored` steps were done by an earlier run. */
  progress(label: string, total: number, restored?: number): Progress;
}

export interface Outcome {
  /** False makes the exit status 1. */
  ok: boolean;
  /** Printed as the last line with `--json`. */
  result: object;
}

/** A command was used wrongly, or could not do what it was asked. Shown as one line, without a stack. */
export class CommandError extends Error {
  override name = "CommandError";
}
