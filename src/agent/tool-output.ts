/** Keeps tool output within its cap: the head and the tail, and of a test run its first failures. */

/** `text` within `cap` characters: head and tail, with a line between them that says how much is left out. */
export function capText(text: string, cap: number): string {
  if (text.length <= cap) return text;
  const room = Math.max(0, cap - leftOut(text.length).length);
  const half = Math.ceil(room / 2);
  const head = half - Number(splitsPair(text, half));
  const start = text.length - Math.floor(room / 2);
  const tail = start + Number(splitsPair(text, start));
  return text.slice(0, head) + leftOut(tail - head) + text.slice(tail);
}

/** As `capText`, by whole lines where they fit. `range` names what is left out. */
export function capLines(lines: readonly string[], cap: number, range: (first: number, last: number) => string): string {
  const whole = lines.join("\n");
  if (whole.length <= cap) return whole;
  const room = cap - range(lines.length, lines.length).length - 2;
  let head = 0;
  let tail = lines.length;
  let used = 0;
  // Two lines from the head for one from the tail: a file's beginning says more.
  for (let turn = 0; head < tail; turn++) {
    const next = turn % 3 === 2 ? lines[tail - 1] : lines[head];
    if (used + next.length + 1 > room) break;
    used += next.length + 1;
    if (turn % 3 === 2) tail--;
    else head++;
  }
  if (head === 0) return capText(whole, cap);
  return [...lines.slice(0, head), range(head, tail - 1), ...lines.slice(tail)].join("\n");
}

function splitsPair(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));
}

function leftOut(count: number): string {
  return `\n[${count} characters left out]\n`;
}
