/** Text replacement as the Edit tool does it: exact first, then forgiving about what a model cannot see. */

/** Why the text could not be replaced, with the nearest real lines: shown to the model. */
export class EditError extends Error {
  override name = "EditError";
}

export interface Edited {
  text: string;
  /** First line of each replacement, from 1, in the old text. */
  lines: number[];
}

/** [start, end) in the text whose line ends are all "\n". */
type Span = [number, number];

/**
 * Replaces `oldString` in `source`. Line ends (CRLF or LF), a byte-order mark, spaces at line ends and line numbers copied
 * from Read (when every line has one) do not hinder a match. What is not replaced stays byte for byte; what is put in
 * takes the file's line ends. Throws `EditError` when there is no match, several without `replaceAll`, or no change.
 */
export function applyEdit(source: string, oldString: string, newString: string, replaceAll: boolean): Edited {
  const bom = source.startsWith("\ufeff") ? "\ufeff" : "";
  const body = source.slice(bom.length);
  const text = unixEnds(body);
  let from = unixEnds(oldString).replace(/^\ufeff/, "");
  let to = unixEnds(newString).replace(/^\ufeff/, "");
  if (from === "") throw new EditError("old_string is empty. Give the text to replace; Write makes a new file.");
  if (from === to) throw new EditError("old_string and new_string are the same: nothing would change.");

  let spans = occurrences(text, from);
  if (spans.length === 0 && isNumbered(from)) {
    from = withoutNumbers(from);
    if (isNumbered(to)) to = withoutNumbers(to);
    spans = occurrences(text, from);
  }
  if (spans.length === 0) {
    spans = wholeLines(text, from);
    // Whole lines are matched without their last line end.
    if (from.endsWith("\n") && to.endsWith("\n")) to = to.slice(0, -1);
  }
  if (spans.length === 0) throw new EditError(`old_string is not in the file. ${nearest(text, from)}`);
  const lines = spans.map(([start]) => lineOf(text, start));
  if (spans.length > 1 && !replaceAll) {
    const all = text.split("\n");
    const shown = lines.slice(0, 5).map((line) => numbered(all, line - 1));
    throw new EditError(`old_string occurs ${spans.length} times, at lines ${lines.slice(0, 20).join(", ")}. Add lines around it, or set replace_all.\n${shown.join("\n")}`);
  }

  const insert = to.replaceAll("\n", lineEnd(body));
  const position = originalPositions(body);
  let result = "";
  let at = 0;
  for (const [start, end] of spans) {
    result += body.slice(at, position(start)) + insert;
    at = position(end);
  }
  result += body.slice(at);
  if (result === body) throw new EditError("The file already reads like that: nothing would change.");
  return { text: bom + result, lines };
}

/** "\r\n" when most lines end so. */
export function lineEnd(text: string): "\n" | "\r\n" {
  const crlf = text.split("\r\n").length - 1;
  return crlf * 2 > text.split("\n").length - 1 ? "\r\n" : "\n";
}

export function unixEnds(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function occurrences(text: string, part: string): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) spans.push([at, at + part.length]);
  return spans;
}

const LINE_NUMBER = /^\s*\d+\t/;

function isNumbered(text: string): boolean {
  return text.replace(/\n$/, "").split("\n").every((line) => LINE_NUMBER.test(line));
}

function withoutNumbers(text: string): string {
  return text.split("\n").map((line) => line.replace(LINE_NUMBER, "")).join("\n");
}

/** Runs of whole lines that equal those of `part` but for spaces at their ends; without the last line end. */
function wholeLines(text: string, part: string): Span[] {
  const wanted = part.replace(/\n$/, "").split("\n").map((line) => line.trimEnd());
  if (wanted.every((line) => line === "")) return [];
  const lines = text.split("\n");
  const starts: number[] = [];
  let at = 0;
  for (const line of lines) {
    starts.push(at);
    at += line.length + 1;
  }
  const spans: Span[] = [];
  for (let i = 0; i + wanted.length <= lines.length; i++) {
    if (!wanted.every((line, k) => lines[i + k].trimEnd() === line)) continue;
    const last = i + wanted.length - 1;
    spans.push([starts[i], starts[last] + lines[last].length]);
    i = last;
  }
  return spans;
}

/** Maps an offset in `unixEnds(body)` to one in `body`. */
function originalPositions(body: string): (offset: number) => number {
  const removed: number[] = [];
  for (let at = body.indexOf("\r\n"); at >= 0; at = body.indexOf("\r\n", at + 2)) removed.push(at - removed.length);
  return (offset) => {
    // Binary search: how many "\r" lie before this offset.
    let low = 0;
    let high = removed.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (removed[middle] < offset) low = middle + 1;
      else high = middle;
    }
    return offset + low;
  };
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

function numbered(lines: string[], index: number): string {
  return `${index + 1}\t${lines[index]}`;
}

/** The lines most like `part`, numbered, by the Dice coefficient of character pairs. */
function nearest(text: string, part: string): string {
  const lines = text.split("\n");
  const wanted = part.replace(/^\n+|\n+$/g, "").split("\n").slice(0, 10);
  const height = Math.min(wanted.length, lines.length);
  const profiles = wanted.map((line) => pairs(line.trim()));
  const score = lines.map((line) => {
    const profile = pairs(line.trim());
    return profiles.map((other) => similarity(profile, other));
  });
  let best = -1;
  let bestScore = 0.25 * height;
  for (let i = 0; i + height <= lines.length; i++) {
    let sum = 0;
    for (let k = 0; k < height; k++) sum += score[i + k][k];
    if (sum > bestScore) [best, bestScore] = [i, sum];
  }
  if (best < 0) return "No line is like it: read the file.";
  return `Nearest lines:\n${Array.from({ length: height }, (_, k) => numbered(lines, best + k)).join("\n")}`;
}

function pairs(line: string): Map<string, number> {
  const counts = new Map<string, number>();
  const padded = ` ${line} `;
  for (let i = 1; i < padded.length; i++) {
    const pair = padded.slice(i - 1, i + 1);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return counts;
}

function similarity(a: Map<string, number>, b: Map<string, number>): number {
  let shared = 0;
  let total = 0;
  for (const [pair, count] of a) {
    shared += Math.min(count, b.get(pair) ?? 0);
    total += count;
  }
  for (const count of b.values()) total += count;
  return (2 * shared) / total;
}
