/** Source text of a failing `assert(...)` call, for messages such as "assert.ok(x > 1)". */
import { host } from "./host.ts";

const CALL = /(?:[\w$]+\.)*(?:assert|ok)\s*\(/g;

/** The call that the first repository frame of a stack stands in, or undefined. */
export function callText(stack: string): string | undefined {
  const frame = /\(?(?:file:\/\/)?(\/repo\/[^\s()]+?):(\d+):(\d+)\)?/.exec(stack);
  if (!frame) return undefined;
  const source = JSON.parse(host.fs("read", frame[1], "")).ok as string | undefined;
  if (source === undefined) return undefined;
  let offset = Number(frame[3]);
  for (let line = 1, at = 0; line < Number(frame[2]); line++) {
    at = source.indexOf("\n", at) + 1;
    if (at === 0) return undefined;
    if (line === Number(frame[2]) - 1) offset += at;
  }
  // The engine's column lies somewhere in the arguments: take the last call that opens before it.
  const from = Math.max(0, offset - 2000);
  let start: RegExpExecArray | undefined;
  for (const m of source.slice(from, offset).matchAll(CALL)) start = m;
  if (!start) return undefined;
  const end = closing(source, from + start.index + start[0].length);
  return end === undefined ? undefined : source.slice(from + start.index, end);
}

/** Offset after the parenthesis that closes the one before `at`; quotes are skipped. */
function closing(source: string, at: number): number | undefined {
  let depth = 1;
  for (let i = at; i < source.length; i++) {
    const ch = source[i];
    if (ch === "(" || ch === "[" || ch === "{") depth++;
    else if (ch === ")" || ch === "]" || ch === "}") {
      if (--depth === 0) return i + 1;
    } else if (ch === '"' || ch === "'" || ch === "`") {
      for (i++; i < source.length && source[i] !== ch; i++) if (source[i] === "\\") i++;
    }
  }
  return undefined;
}
