/** A script in the repository that shows a bug, as a good report brings one: it tells whether calls still go wrong. */
import type { FailingCall } from "./failing-call.ts";

/** Where it lies in the agent's files. */
export const REPRODUCTION = "repro.mjs";
/** How a statement tells of it. */
export const SHOWN_BY = `node ${REPRODUCTION} shows it.`;

/** A call that can be made from outside its module. */
export interface ReproducibleCall extends Pick<FailingCall, "call" | "expected"> {
  file: string;
  /** What the call takes from the file. */
  imports: readonly string[];
}

/** Prints "ok" where every call gives what it should, else "still wrong" and exits with 1. */
export function reproductionScript(calls: readonly ReproducibleCall[]): string {
  const names = new Map<string, Set<string>>();
  for (const { file, imports } of calls) names.set(file, new Set([...(names.get(file) ?? []), ...imports]));
  const imports = [...names].map(([file, list]) => `import { ${[...list].join(", ")} } from './${file}';`);
  const rows = calls.map(({ call, expected }) => `  [() => ${call}, ${expected.startsWith("throws ") ? JSON.stringify(expected) : expected}],`);
  return `// Shows the bug: node ${REPRODUCTION}
import { isDeepStrictEqual } from 'node:util';
${imports.join("\n")}

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
