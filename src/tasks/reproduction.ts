/** A script in the repository that shows a bug, as a good report brings one: it tells whether calls still go wrong. */
import type { Files, SandboxFactory } from "../sandbox/index.ts";
import type { FailingCall } from "./failing-call.ts";
import { EPISODE_LIMITS } from "./grade.ts";

/** Where it lies in the agent's files. */
export const REPRODUCTION = "repro.mjs";
/** How a statement tells of it. */
export const SHOWN_BY = `node ${REPRODUCTION} shows it.`;

/** A call that can be made from outside its module. */
export interface ReproducibleCall extends Pick<FailingCall, "call" | "expected"> {
  /** Source the call needs: imports, relative to the root, and declarations. */
  setup: readonly string[];
}

/** Prints "ok" where every call gives what it should, else "still wrong" and exits with 1. */
export function reproductionScript(calls: readonly ReproducibleCall[]): string {
  const setup = [...new Set(calls.flatMap((call) => call.setup))];
  const rows = calls.map(({ call, expected }) => `  [() => ${call}, ${expected.startsWith("throws ") ? JSON.stringify(expected) : expected}],`);
  return `// Shows the bug: node ${REPRODUCTION}
import { isDeepStrictEqual } from 'node:util';
${setup.join("\n")}

const calls = [
${rows.join("\n")}
];

function outcome(call) {
  try {
    return call();
  } catch (error) {
    return \`throws \${error.name}: \${error.message.split('\\n')[0]}\`;
  }
}

const ok = calls.every(([call, expected]) => isDeepStrictEqual(outcome(call), expected));
console.log(ok ? 'ok' : 'still wrong');
process.exitCode = ok ? 0 : 1;
`;
}

/** Why the script in a task's files does not show the bug, or is not content with the gold patch; null where it does and is. */
export async function scriptProblem(task: { files: Files; gold: Files }, factory: SandboxFactory, signal?: AbortSignal): Promise<string | null> {
  for (const [what, files, expected] of [["the task's files", task.files, "still wrong"], ["the gold patch", { ...task.files, ...task.gold }, "ok"]] as const) {
    const sandbox = await factory.create(files, EPISODE_LIMITS);
    try {
      const { stdout } = await sandbox.exec(`node ${REPRODUCTION}`, { signal });
      if (stdout.trim() !== expected) return `${REPRODUCTION} prints "${stdout.trim().slice(0, 80)}" on ${what}, not "${expected}"`;
    } finally {
      await sandbox.dispose();
    }
  }
  return null;
}
