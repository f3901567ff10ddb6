/**
 * The scripted expert behind the embedded model's demonstrations: print the function, replace what is wrong and run the
 * script that shows the bug, say so; in some episodes it lists several replacements, of which the first that helps stays.
 * It uses the same tools, template and harness as any model, and knows where the bug is.
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

/** A replacement for sed: the addresses of a function's lines, and "old#new". */
interface Substitution {
  range: string;
  item: string;
}

/**
 * What replaces what is wrong in a function: from the wrong token on, and no more than it takes to be found once. That
 * first token holds the whole decision, which place and what to do there; the rest is copied. Null for a change of more
 * than one line, and for text that needs escapes.
 */
export function substitution(name: string, buggy: string, fixed: string): Substitution | null {
  const [was, is] = [buggy, fixed].map((text) => text.split("\n"));
  const line = was.findIndex((text, i) => text !== is[i]);
  if (line < 0 || was.length !== is.length || was.some((text, i) => i !== line && text !== is[i])) return null;
  const range = rangeOf(name, buggy);
  const [first, end] = linesOf(range, was);
  if (line < first || line >= end) return null;
  const change = tokenChange(was[line], is[line], was.filter((_, i) => i >= first && i < end && i !== line));
  if (change === null || /[\\#^$]/.test(change.old + change.new + range.replaceAll("/^", ""))) return null;
  return { range, item: `${pattern(change.old)}#${replacement(change.new)}` };
}

/** As one word of a shell command; null where that needs escapes. */
const quote = (text: string): string | null => (!text.includes("'") ? `'${text}'` : /["`\\!$]/.test(text) ? null : `"${text}"`);

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

/** Share of the episodes in which the expert chooses to list more than the right replacement. */
const LIST_SHARE = 0.15;
/** Share in which wrong ones, which it would not have chosen, stand before the right one. */
const SHOWN_SHARE = 0.45;
/** How often there are 1, 2, 3, … wrong ones. */
const WRONG_COUNTS = [0.3, 0.2, 0.15, 0.1, 0.08, 0.07, 0.05, 0.05];

/** Replacements in the same function that change something else, as a guess would. */
function wrongItems(fix: KnownFix, count: number, random: Random): string[] {
  const sites = mutationSites({ name: "tries", split: "train", files: { [fix.file]: fix.buggy } });
  const hunks = sites.filter((site) => site.function === fix.function).flatMap((site) => site.hunks);
  const texts = random.shuffle(hunks).map((hunk) => applyHunks({ [fix.file]: fix.buggy }, [hunk])[fix.file]).filter((text) => text !== fix.fixed);
  return [...new Set(texts.flatMap((text) => substitution(fix.function, fix.buggy, text)?.item ?? []))].slice(0, count);
}

/** An index, drawn with these weights. */
function draw(weights: readonly number[], random: Random): number {
  let left = random.uniform() * weights.reduce((sum, weight) => sum + weight, 0);
  return Math.max(0, weights.findIndex((weight) => (left -= weight) < 0));
}

export interface ExpertScript {
  /** Answers turn by turn. */
  answer(turn: { context: string; turn: number }): ScriptedAnswer;
  /** The command of the second turn, and which of its characters must not be imitated: [first, after the last]. */
  edit: string;
  masked: readonly (readonly [number, number])[];
}

export interface ExpertOptions {
  /** Decides what happens; without it the expert lists nothing but the right replacement and the mistakes. */
  random?: Random;
  /** Wrong replacements ("old#new") instead of invented ones. */
  mistakes?: readonly string[];
}

/** A script for one episode; null where the fix is not one that this expert can write. */
export function expertScript(fix: KnownFix, { random, mistakes }: ExpertOptions = {}): ExpertScript | null {
  const right = substitution(fix.function, fix.buggy, fix.fixed);
  if (right === null) return null;
  const { range } = right;
  const item = quote(right.item);
  const whole = quote(`${range}s#${right.item}#`);
  if (item === null || whole === null) return null;
  const { edit, masked } = fix.hasScript ? listEdit(fix, range, item) : { edit: `sed -i ${whole} ${fix.file}`, masked: [] };
  const steps: ScriptedAnswer[] = [`cp ${fix.file} ${KEPT}; ${range === "" ? "cat" : `sed -n '${range}p'`} ${fix.file}`, edit].map((command) => ({ content: "", calls: [{ name: "Bash", arguments: { command } }] }));
  return { answer: ({ turn }) => steps[turn] ?? `Fixed ${fix.function}.`, edit, masked };

  function listEdit({ file }: KnownFix, lines: string, rightItem: string): Pick<ExpertScript, "edit" | "masked"> {
    const luck = random?.uniform() ?? 1;
    const chooses = luck < LIST_SHARE;
    const wrong = (mistakes ?? (random && luck < LIST_SHARE + SHOWN_SHARE ? wrongItems(fix, 1 + draw(WRONG_COUNTS, random), random) : [])).flatMap((text) => quote(text) ?? []);
    const items = wrong.toSpliced(chooses ? random!.int(0, wrong.length) : wrong.length, 0, rightItem);
    let command = `t() { sed "${lines}s#$1#" ${KEPT} > ${file}; node ${REPRODUCTION}; }; t `;
    const spans: [number, number][] = [];
    items.forEach((text, i) => {
      const start = command.length;
      command += text;
      // To go on is right where the expert chose it, though the replacement is not.
      const link = i < items.length - 1 ? " || t " : "";
      if (text !== rightItem) spans.push([start, command.length + (chooses || link === "" ? 0 : link.length - 1)]);
      command += link;
    });
    return { edit: command, masked: spans };
  }
}
