/**
 * The scripted expert behind the embedded model's demonstrations: find the function, look at it, replace the line, say
 * so. It uses the same tools, template and harness as any model, and knows only where the bug is.
 */
import type { Random } from "../../src/compute/index.ts";
import type { ScriptedAnswer } from "../../src/policy/index.ts";

export interface KnownFix {
  file: string;
  /** Name of the buggy function as the statement gives it. */
  function: string;
  buggy: string;
  fixed: string;
}

/** Lines of a search result after the match: most functions fit. */
const CONTEXT_LINES = 13;
/** Files of at most this many lines may be read whole. */
const SHORT_FILE = 22;

/** First and last changed line of two texts that share their ends, as [from, to) in each. */
function changedLines(before: string[], after: string[]): { start: number; endBefore: number; endAfter: number } {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start++;
  let tail = 0;
  while (tail < Math.min(before.length, after.length) - start && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  return { start, endBefore: before.length - tail, endAfter: after.length - tail };
}

const cut = (lines: string[], from: number, to: number, indent: number) => lines.slice(from, to).join("\n").slice(indent);
const call = (name: string, args: Record<string, unknown>): ScriptedAnswer => ({ content: "", calls: [{ name, arguments: args }] });

/** The shortest run of whole lines around the change that occurs once, first line without its indentation. */
export function minimalEdit(buggy: string, fixed: string): { old: string; new: string } {
  const before = buggy.split("\n");
  const after = fixed.split("\n");
  const { start, endBefore, endAfter } = changedLines(before, after);
  for (let above = 0; above <= start; above++) {
    const from = start - above;
    const indent = before[from].length - before[from].trimStart().length;
    if (after[from].length - after[from].trimStart().length !== indent) continue;
    const old = cut(before, from, endBefore, indent);
    if (old.trim() !== "" && buggy.indexOf(old) === buggy.lastIndexOf(old)) return { old, new: cut(after, from, endAfter, indent) };
  }
  return { old: buggy, new: fixed };
}

/** The head of a function as `grep` can find it: a declaration, or a method of a class. */
function declaration(name: string, source: string): string {
  const last = name.split(".").at(-1)!;
  return source.includes(`function ${last}(`) ? `function ${last}` : `  ${last}(`;
}

/** Answers turn by turn; a new one for each episode. */
export function expertScript(fix: KnownFix, random: Random): (turn: { context: string; turn: number }) => ScriptedAnswer {
  const lines = fix.buggy.split("\n");
  const head = declaration(fix.function, fix.buggy);
  const at = lines.findIndex((line) => line.includes(head));
  const { start } = changedLines(lines, fix.fixed.split("\n"));
  const steps: ScriptedAnswer[] = [];
  const readable = lines.length <= SHORT_FILE && random.uniform() < 0.35;
  if (readable || at < 0) steps.push(call("Read", { file_path: fix.file }));
  else {
    steps.push(call("Bash", { command: `grep -n -A ${CONTEXT_LINES} '${head}' ${fix.file}` }));
    if (start > at + CONTEXT_LINES) steps.push(call("Read", { file_path: fix.file, offset: at + CONTEXT_LINES + 1, limit: CONTEXT_LINES }));
  }
  const edit = minimalEdit(fix.buggy, fix.fixed);
  steps.push(call("Edit", { file_path: fix.file, old_string: edit.old, new_string: edit.new }));
  return ({ turn }) => steps[turn] ?? `Fixed ${fix.function}.`;
}
