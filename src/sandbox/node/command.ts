/** A child process with a time limit: it and everything it started is killed at the end of it. */
import { spawn } from "node:child_process";

export interface CommandOptions {
  cwd: string;
  env: Record<string, string>;
  timeMs: number;
  /** Characters that are kept of each stream. */
  outputChars: number;
  signal?: AbortSignal;
  onStdout?: (chunk: string) => void;
}
export interface CommandOutcome {
  stdout: string;
  stderr: string;
  exitCode: number;
  timedOut: boolean;
}

export function runCommand(file: string, args: string[], options: CommandOptions): Promise<CommandOutcome> {
  return new Promise((resolve, reject) => {
    options.signal?.throwIfAborted();
    // A group of its own, so that grandchildren die with it.
    const child = spawn(file, args, { cwd: options.cwd, env: options.env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    const text = { stdout: "", stderr: "" };
    let timedOut = false;
    const kill = () => {
      try {
        process.kill(-child.pid!, "SIGKILL");
      } catch {
        // Already gone.
      }
    };
    const timer = setTimeout(() => {
      timedOut = true;
      kill();
    }, options.timeMs);
    options.signal?.addEventListener("abort", kill, { once: true });
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8");
      child[name].on("data", (chunk: string) => {
        if (name === "stdout") options.onStdout?.(chunk);
        if (text[name].length < options.outputChars) text[name] = (text[name] + chunk).slice(0, options.outputChars);
      });
    }
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on("close", (code, signalName) => {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", kill);
      // Whatever it left running in the background ends too.
      kill();
      if (options.signal?.aborted) reject(options.signal.reason);
      else resolve({ ...text, exitCode: timedOut ? 124 : (code ?? (signalName ? 137 : 1)), timedOut });
    });
  });
}
