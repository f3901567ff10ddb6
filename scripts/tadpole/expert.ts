/**
 * The scripted expert behind the embedded model's demonstrations: print the function, replace what is wrong, say so; in
 * some episodes run the script that shows the bug after every edit, and undo what did not help. It uses the same tools,
 * template and harness as any model, and knows where the bug is.
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

interface Change {
  old: string;
  new: string;
}

/** An edit that is not the right one. */
export interface Mistake extends Change {
  file: string;
  /** The tool does not take it; otherwise it changes the file to no use. */
  refused: boolean;
}

const call = (name: string, args: Record<string, unknown>) => ({ content: "", calls: [{ name, arguments: args }] });

/** Source tokens, each with the spaces before it: words with their dots, numbers, operators, line ends. */
const TOKENS = / *(?:[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*|\d+(?:\.\d+)?|=>|[=!]==?|[<>]=?|&&|\|\||\?\?|[+\-*/%]=|\+\+|--|\*\*|[^\S\n]*\S|\n)/g;

const tokensOf = (text: string) => [...text.matchAll(TOKENS)].map((m) => ({ start: m.index, end: m.index + m[0].length }));

/**
 * The edit that starts with what is wrong and goes on to the end of its line. Where that occurs twice, whole lines: the
 * changed one, widened upwards. Starting with the changed token puts the whole decision, which place and what to do
 * there, into few tokens; the rest is copied.
 */
export function lineEdit(buggy: string, fixed: string): Change {
  let from = 0;
  while (from < Math.min(buggy.length, fixed.length) && buggy[from] === fixed[from]) from++;
  let tail = 0;
  while (tail < Math.min(buggy.length, fixed.length) - from && buggy[buggy.length - 1 - tail] === fixed[fixed.length - 1 - tail]) tail++;
  // The token the change starts in, in both versions: "<=" for "<", not its "=".
  const first = [buggy, fixed].map((text) => tokensOf(text).findLast(({ start }) => start <= from)?.start ?? 0);
  const start = Math.min(...first);
  const lineEnd = buggy.indexOf("\n", buggy.length - tail);
  const end = lineEnd < 0 ? buggy.length : lineEnd;
  const old = buggy.slice(start, end);
  if (old.trim() !== "" && !old.startsWith("\n") && isOnce(buggy, old)) return { old, new: fixed.slice(start, fixed.length - (buggy.length - end)) };
  return wholeLines(buggy, fixed, from, tail);
}

const isOnce = (text: string, part: string): boolean => text.includes(part) && text.indexOf(part) === text.lastIndexOf(part);

/** The shortest run of whole lines around the change that occurs once, first line without its indentation. */
function wholeLines(buggy: string, fixed: string, from: number, tail: number): Change {
  const after = buggy.indexOf("\n", buggy.length - tail);
  const end = after < 0 ? buggy.length : after;
  for (let start = from === 0 ? 0 : buggy.lastIndexOf("\n", from - 1) + 1; ; start = start < 2 ? 0 : buggy.lastIndexOf("\n", start - 2) + 1) {
    const old = buggy.slice(start, end);
    const indent = old.length - old.trimStart().length;
    const cut = old.slice(indent);
    if (start + indent <= from && cut.trim() !== "" && isOnce(buggy, cut)) return { old: cut, new: fixed.slice(start + indent, fixed.length - (buggy.length - end)) };
    if (start === 0) return { old: buggy, new: fixed };
  }
}

/** A command that prints a function (a declaration or a method of a class), and what it prints of a source. */
function printFunction({ function: name, file, buggy }: KnownFix): { command: string; shown: (source: string) => string } {
  const last = name.split(".").at(-1)!;
  for (const [head, end] of [[`function ${last}(`, "}"], [`  ${last}(`, "  }"]]) {
    if (!`\n${buggy}`.includes(head.startsWith(" ") ? `\n${head}` : head)) continue;
    return {
      command: `sed -n '/${head.startsWith(" ") ? "^" : ""}${head}/,/^${end}/p' ${file}`,
      shown: (source) => {
        const lines = source.split("\n");
        const first = lines.findIndex((line) => (head.startsWith(" ") ? line.startsWith(head) : line.includes(head)));
        return lines.slice(first, lines.findIndex((line, i) => i > first && line.startsWith(end)) + 1).join("\n");
      },
    };
  }
  return { command: `cat ${file}`, shown: (source) => source };
}

/** Where the file as it was is kept. */
const KEPT = "/tmp/o";

/** Runs the script that shows the bug, and puts the file back when it still does. */
const checkCall = (file: string) => ({ name: "Bash", arguments: { command: `node ${REPRODUCTION} || cat ${KEPT} > ${file}` } });

/** How often another refused edit comes before the right one, to show what to do after it. */
const SLIP_SHARE = 0.25;
/** Share of the episodes with such a script in which edits are checked; the other ones trust the first edit. */
const CHECK_SHARE = 0.3;
/** How often a checked episode has 0, 1, 2, … wrong edits first. */
const WRONG_TRIES = [0.2, 0.25, 0.2, 0.15, 0.1, 0.1];

/**
 * An edit that the tool refuses; null where none comes to mind. Most have nothing to do with the right one: what
 * follows a refused edit must not be learned as a copy of it.
 */
function slip(edit: Change, { buggy }: KnownFix, shown: string, random: Random): Change | null {
  const lines = shown.split("\n").map((line) => [...line.matchAll(TOKENS)].map(([text]) => text)).filter((tokens) => tokens.length > 2);
  if (lines.length === 0) return null;
  const tokens = random.pick(lines);
  const at = random.int(0, tokens.length - 1);
  const rest = tokens.slice(at + 1).join("");
  const other = random.pick(random.pick(lines));
  const wrong = random.pick([
    { old: other + rest, new: tokens[at] + rest },
    { old: tokens[at] + rest.slice(0, -1) + other, new: other + rest.slice(0, -1) + other },
    { old: tokens[at] + rest, new: tokens[at] + rest },
    { old: edit.old, new: edit.old },
    { old: edit.old.slice(0, -1) + other, new: edit.new.slice(0, -1) + other },
  ]);
  return wrong.old.trim() === "" || (isOnce(buggy, wrong.old) && wrong.old !== wrong.new) ? null : wrong;
}

/** Edits of the same function that change something else, as a guess would. */
function wrongTries(fix: KnownFix, count: number, random: Random): Change[] {
  if (count === 0) return [];
  const sites = mutationSites({ name: "tries", split: "train", files: { [fix.file]: fix.buggy } });
  const hunks = sites.filter((site) => site.function === fix.function).flatMap((site) => site.hunks);
  return random.shuffle(hunks).map((hunk) => applyHunks({ [fix.file]: fix.buggy }, [hunk])[fix.file])
    .filter((text) => text !== fix.fixed).slice(0, count).map((text) => lineEdit(fix.buggy, text));
}

/** An index, drawn with these weights. */
function draw(weights: readonly number[], random: Random): number {
  let left = random.uniform() * weights.reduce((sum, weight) => sum + weight, 0);
  return Math.max(0, weights.findIndex((weight) => (left -= weight) < 0));
}

export interface ExpertScript {
  /** Answers turn by turn. */
  answer(turn: { context: string; turn: number }): ScriptedAnswer;
  /** Turns that must not be imitated: mistakes, and checks that were not the script's own choice. */
  masked: ReadonlySet<number>;
  checks: boolean;
}

export interface ExpertOptions {
  /** Decides what happens; without it the expert makes no mistake and checks nothing. */
  random?: Random;
  /** The mistakes to make first, instead of invented ones. Where one of them is taken by the tool, the edits are checked. */
  mistakes?: readonly Mistake[];
  mayCheck?: boolean;
}

/** A script for one episode. An edit that is unique in what was shown but not in the file is widened after the tool's answer. */
export function expertScript(fix: KnownFix, { random, mistakes, mayCheck = true }: ExpertOptions = {}): ExpertScript {
  const { command, shown } = printFunction(fix);
  const right = [lineEdit(shown(fix.buggy), shown(fix.fixed))];
  if (!isOnce(fix.buggy, right[0].old)) right.push(lineEdit(fix.buggy, fix.fixed));
  const canCheck = mayCheck && fix.hasScript;
  const chooses = canCheck && random !== undefined && random.uniform() < CHECK_SHARE;
  const wrong = mistakes ? [...mistakes] : random ? invented(fix, right[0], shown(fix.buggy), chooses, random) : [];
  const checks = chooses || (canCheck && wrong.some((mistake) => !mistake.refused));

  const steps: ScriptedAnswer[] = [call("Bash", { command: `cp ${fix.file} ${KEPT}; ${command}` })];
  const masked = new Set<number>();
  let hasChecked = false;
  const edit = (change: Change, file: string, refused: boolean) => {
    const turn = call("Edit", { file_path: file, old_string: change.old, new_string: change.new });
    if (hasChecked) turn.calls.push(checkCall(fix.file));
    steps.push(turn);
    if (!checks || hasChecked || refused) return;
    // After the first edit that the tool took.
    if (!chooses) masked.add(steps.length);
    steps.push({ content: "", calls: [checkCall(fix.file)] });
    hasChecked = true;
  };
  for (const mistake of wrong) {
    if (!mistake.refused && !checks) continue;
    masked.add(steps.length);
    edit(mistake, mistake.file, mistake.refused);
  }
  for (const change of right) edit(change, fix.file, !isOnce(fix.buggy, change.old));
  return { answer: ({ turn }) => steps[turn] ?? `Fixed ${fix.function}.`, masked, checks };
}

/** Mistakes as they come to mind: edits that are refused and, where edits are checked, some that do not help. */
function invented(fix: KnownFix, right: Change, shown: string, checks: boolean, random: Random): Mistake[] {
  const wrong: Mistake[] = [];
  if (checks) for (const change of wrongTries(fix, draw(WRONG_TRIES, random), random)) wrong.push({ ...change, file: fix.file, refused: false });
  while (wrong.length < 6 && random.uniform() < SLIP_SHARE) {
    const next = slip(right, fix, shown, random);
    if (next) wrong.splice(random.int(0, wrong.length), 0, { ...next, file: fix.file, refused: true });
  }
  return wrong;
}
