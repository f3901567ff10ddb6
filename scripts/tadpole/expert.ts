/**
 * The scripted expert behind the embedded model's demonstrations: print the function, replace what is
 * wrong, say so; in some episodes run the script that shows the bug with every edit, and undo what did not help. It uses
 * the same tools, template and harness as any model, and knows where the bug is.
 */
import type { Random } from "../../src/compute/index.ts";
import type { ScriptedAnswer } from "../../src/policy/index.ts";
import { applyHunks, mutationSites, REPRODUCTION } from "../../src/tasks/index.ts";

export interface KnownFix {
  file: string;
  /** Name of the buggy function as the statement gives it. */
  function: string;
  buggy: string;
  fixed: string;
  /** Whether the repository has a script that shows the bug. */
  hasScript: boolean;
}

/** Source tokens, each with the spaces before it: words with their dots, numbers, operators. */
const TOKENS = / *(?:[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*|\d+(?:\.\d+)?|=>|[=!]==?|[<>]=?|&&|\|\||\?\?|[+\-*/%]=|\+\+|--|\*\*|\S)/g;

const tokensOf = (text: string) => [...text.matchAll(TOKENS)].map((m) => ({ start: m.index, end: m.index + m[0].length }));

/** As a basic regular expression: "." may stand for itself. */
const pattern = (text: string): string => text.replace(/[[*]/g, "[$&]");
const replacement = (text: string): string => text.replaceAll("&", "\\&");

/** Addresses of sed for a function (a declaration, or a method of a class): its first line to its last; empty for the whole file. */
function rangeOf(name: string, source: string): string {
  const last = name.split(".").at(-1)!;
  for (const [head, start, end] of [[`function ${last}(`, `function ${last}(`, "^}"], [`\n  ${last}(`, `^  ${last}(`, "^  }"]]) {
    if (source.includes(head)) return `/${start}/,/${end}/`;
  }
  return "";
}

const matches = (line: string, address: string) => (address.startsWith("^") ? line.startsWith(address.slice(1)) : line.includes(address));

/** The lines that such a range takes, as [first, after the last]. */
function linesOf(range: string, lines: string[]): [number, number] {
  const [head, end] = range.split("/,/").map((part) => part.replaceAll("/", ""));
  if (end === undefined) return [0, lines.length];
  const first = lines.findIndex((line) => matches(line, head));
  const last = lines.findIndex((line, i) => i > first && matches(line, end));
  return [first, last < 0 ? lines.length : last + 1];
}

/**
 * The command that replaces what is wrong in a function: from the wrong token on, and no more than it takes to be found
 * once. That first token holds the whole decision, which place and what to do there; the rest is copied. Null for a change
 * of more than one line, and for text that needs more quoting.
 */
export function sedEdit({ file, function: name }: Pick<KnownFix, "file" | "function">, buggy: string, fixed: string): string | null {
  const [was, is] = [buggy, fixed].map((text) => text.split("\n"));
  const line = was.findIndex((text, i) => text !== is[i]);
  if (line < 0 || was.length !== is.length || was.some((text, i) => i !== line && text !== is[i])) return null;
  const range = rangeOf(name, buggy);
  const [first, end] = linesOf(range, was);
  if (line < first || line >= end) return null;
  const change = tokenChange(was[line], is[line], was.filter((_, i) => i >= first && i < end && i !== line));
  if (change === null || /[\\#^$]/.test(change.old + change.new)) return null;
  const script = `${range}s#${pattern(change.old)}#${replacement(change.new)}#`;
  if (!script.includes("'")) return `sed -i '${script}' ${file}`;
  return /["`\\!]/.test(script) ? null : `sed -i "${script}" ${file}`;
}

/** From the first token that differs to the last that does, then on to the right, then to the left, until the line has that text there first and no other line has it. */
function tokenChange(was: string, is: string, others: string[]): { old: string; new: string } | null {
  const shorter = Math.min(was.length, is.length);
  let head = 0;
  while (head < shorter && was[head] === is[head]) head++;
  let tail = 0;
  while (tail < shorter - head && was.at(-1 - tail) === is.at(-1 - tail)) tail++;
  const tokens = tokensOf(was);
  const newEnds = new Set(tokensOf(is).map(({ end }) => end));
  // The token the change starts in, in both versions: "<=" for "<", not its "=".
  const first = Math.min(...[was, is].map((text) => tokensOf(text).findLast(({ start }) => start <= head)?.start ?? 0));
  for (const { start } of tokens.toReversed()) {
    if (start > first) continue;
    for (const { end } of tokens) {
      const newEnd = is.length - (was.length - end);
      const old = was.slice(start, end);
      if (end >= was.length - tail && newEnds.has(newEnd) && was.indexOf(old) === start && !others.some((line) => line.includes(old))) return { old, new: is.slice(start, newEnd) };
    }
  }
  return null;
}

/** Where the file as it was is kept. */
const KEPT = "/tmp/o";

/** Runs the script that shows the bug, and puts the file back when it still does. */
const checked = (edit: string, file: string) => `${edit}; node ${REPRODUCTION} || cat ${KEPT} > ${file}`;

/** Share of the episodes with such a script in which the expert chooses to check its edits; in the other ones it trusts the first. */
const CHECK_SHARE = 0.3;
/** How often a checked episode has 0, 1, 2, … wrong edits first. */
const WRONG_TRIES = [0.2, 0.25, 0.2, 0.15, 0.1, 0.1];

/** Edits of the same function that change something else, as a guess would. */
function wrongTries(fix: KnownFix, count: number, random: Random): string[] {
  if (count === 0) return [];
  const sites = mutationSites({ name: "tries", split: "train", files: { [fix.file]: fix.buggy } });
  const hunks = sites.filter((site) => site.function === fix.function).flatMap((site) => site.hunks);
  return random.shuffle(hunks).map((hunk) => applyHunks({ [fix.file]: fix.buggy }, [hunk])[fix.file])
    .filter((text) => text !== fix.fixed).map((text) => sedEdit(fix, fix.buggy, text)).filter((edit) => edit !== null).slice(0, count);
}

/** An index, drawn with these weights. */
function draw(weights: readonly number[], random: Random): number {
  let left = random.uniform() * weights.reduce((sum, weight) => sum + weight, 0);
  return Math.max(0, weights.findIndex((weight) => (left -= weight) < 0));
}

export interface ExpertScript {
  /** Answers turn by turn. */
  answer(turn: { context: string; turn: number }): ScriptedAnswer;
  /** Turns that must not be imitated, as wrong edits: up to and including this text, or all of it (null). */
  masked: ReadonlyMap<number, string | null>;
  checks: boolean;
}

export interface ExpertOptions {
  /** Decides what happens; without it the expert makes no mistake and checks nothing. */
  random?: Random;
  /** Wrong edits to make first, instead of invented ones; then edits are checked. */
  mistakes?: readonly string[];
  mayCheck?: boolean;
}

/** A script for one episode; null where the fix is not one that this expert can write. */
export function expertScript(fix: KnownFix, { random, mistakes, mayCheck = true }: ExpertOptions = {}): ExpertScript | null {
  const right = sedEdit(fix, fix.buggy, fix.fixed);
  if (right === null) return null;
  const range = rangeOf(fix.function, fix.buggy);
  const canCheck = mayCheck && fix.hasScript;
  const chooses = canCheck && random !== undefined && random.uniform() < CHECK_SHARE;
  const wrong = !canCheck ? [] : (mistakes ?? (chooses ? wrongTries(fix, draw(WRONG_TRIES, random), random) : []));
  const checks = chooses || wrong.length > 0;
  const edits = [...wrong, right].map((edit) => (checks ? checked(edit, fix.file) : edit));
  const steps: ScriptedAnswer[] = [`cp ${fix.file} ${KEPT}; ${range === "" ? "cat" : `sed -n '${range}p'`} ${fix.file}`, ...edits].map((command) => ({ content: "", calls: [{ name: "Bash", arguments: { command } }] }));
  // To check an edit is right though the edit is not. Where mistakes are given, that is the script's own choice only at times.
  const masked = new Map(wrong.map((edit, i) => [i + 1, mistakes && chooses ? edit : null]));
  return { answer: ({ turn }) => steps[turn] ?? `Fixed ${fix.function}.`, masked, checks };
}
