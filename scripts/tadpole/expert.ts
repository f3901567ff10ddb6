/**
 * The scripted expert behind the embedded model's demonstrations: print the function, replace what is wrong, say so. It
 * uses the same tools, template and harness as any model, and knows only where the bug is.
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

const call = (name: string, args: Record<string, unknown>): ScriptedAnswer => ({ content: "", calls: [{ name, arguments: args }] });

/** Source tokens, each with the spaces before it: words with their dots, numbers, operators, line ends. */
const TOKENS = / *(?:[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*|\d+(?:\.\d+)?|=>|[=!]==?|[<>]=?|&&|\|\||\?\?|[+\-*/%]=|\+\+|--|\*\*|[^\S\n]*\S|\n)/g;

const tokensOf = (text: string) => [...text.matchAll(TOKENS)].map((m) => ({ start: m.index, end: m.index + m[0].length }));

/**
 * The shortest edit that starts with what is wrong: from the first changed token to past the last one, then on to the
 * right until the text occurs once. Where its line ends before that, whole lines: the changed one, widened upwards.
 * Starting with the changed token puts the whole decision, which place and what to do there, into few tokens.
 */
export function minimalEdit(buggy: string, fixed: string): { old: string; new: string } {
  let from = 0;
  while (from < Math.min(buggy.length, fixed.length) && buggy[from] === fixed[from]) from++;
  let tail = 0;
  while (tail < Math.min(buggy.length, fixed.length) - from && buggy[buggy.length - 1 - tail] === fixed[fixed.length - 1 - tail]) tail++;
  const ofBuggy = tokensOf(buggy);
  // The token the change starts in, in both versions: "<=" for "<", not its "=".
  const first = [ofBuggy, tokensOf(fixed)].map((list) => list.findLast(({ start }) => start <= from)?.start ?? 0);
  const start = Math.min(...first);
  const last = ofBuggy.findIndex(({ end }) => end >= buggy.length - tail);
  for (let i = last + 1; i > last && i < ofBuggy.length && buggy[ofBuggy[i].end - 1] !== "\n"; i++) {
    const old = buggy.slice(start, ofBuggy[i].end);
    if (buggy.indexOf(old) === buggy.lastIndexOf(old)) return { old, new: fixed.slice(start, fixed.length - (buggy.length - ofBuggy[i].end)) };
  }
  return wholeLines(buggy, fixed, from, tail);
}

/** The shortest run of whole lines around the change that occurs once, first line without its indentation. */
function wholeLines(buggy: string, fixed: string, from: number, tail: number): { old: string; new: string } {
  const after = buggy.indexOf("\n", buggy.length - tail);
  const end = after < 0 ? buggy.length : after;
  for (let start = from === 0 ? 0 : buggy.lastIndexOf("\n", from - 1) + 1; ; start = start < 2 ? 0 : buggy.lastIndexOf("\n", start - 2) + 1) {
    const old = buggy.slice(start, end);
    const indent = old.length - old.trimStart().length;
    const cut = old.slice(indent);
    if (start + indent <= from && cut.trim() !== "" && buggy.indexOf(cut) === buggy.lastIndexOf(cut)) return { old: cut, new: fixed.slice(start + indent, fixed.length - (buggy.length - end)) };
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

/** How often the expert first slips, to show what to do after a failed edit. */
const SLIP_SHARE = 0.35;

/**
 * An edit that the tool refuses; null where none comes to mind. Most have nothing to do with the right one: what
 * follows a refused edit must not be learned as a copy of it.
 */
function slip(edit: { old: string; new: string }, fix: KnownFix, shown: string, random: Random): { old: string; new: string } | null {
  const tokens = shown.match(TOKENS)!.filter((token) => token.trim() !== "");
  const at = random.int(0, tokens.length - 1);
  const [first, second] = [tokens[at], tokens[at + 1] ?? ""];
  const other = random.pick(tokens);
  const wrong = random.pick([
    { old: other + second, new: first + second },
    { old: other + second, new: first + second },
    { old: first + other, new: random.pick(tokens) + other },
    { old: first + second, new: first + second },
    { old: edit.old, new: edit.old },
    { old: edit.old.match(TOKENS)![0], new: edit.new.match(TOKENS)?.[0] ?? "" },
  ]);
  const found = fix.buggy.split(wrong.old).length - 1;
  return found === 1 && wrong.old !== wrong.new ? null : wrong;
}

export interface ExpertScript {
  /** Answers turn by turn. */
  answer(turn: { context: string; turn: number }): ScriptedAnswer;
  /** How many turns after the first are slips, which must not be imitated. */
  slips: number;
}

/**
 * A script for one episode. An edit that is unique in what was shown but not in the file is widened after the tool's
 * answer. With `random` it now and then slips, once or twice, before the right edit.
 */
export function expertScript(fix: KnownFix, random?: Random): ExpertScript {
  const { command, shown } = printFunction(fix);
  const edits = [minimalEdit(shown(fix.buggy), shown(fix.fixed))];
  if (fix.buggy.indexOf(edits[0].old) !== fix.buggy.lastIndexOf(edits[0].old)) edits.push(minimalEdit(fix.buggy, fix.fixed));
  const wrong: { old: string; new: string }[] = [];
  if (random) {
    while (wrong.length < 2 && random.uniform() < SLIP_SHARE) {
      const next = slip(edits[0], fix, shown(fix.buggy), random);
      if (next) wrong.push(next);
    }
  }
  const steps = [
    call("Bash", { command }),
    ...[...wrong, ...edits].map((edit) => call("Edit", { file_path: fix.file, old_string: edit.old, new_string: edit.new })),
  ];
  return { answer: ({ turn }) => steps[turn] ?? `Fixed ${fix.function}.`, slips: wrong.length };
}
