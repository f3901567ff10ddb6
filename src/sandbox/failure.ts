/** What a failing test is reported with: message lines and the values as short literal text. */
import { inspect } from "./embedded/guest/inspect.ts";

const MAX_LINES = 12;
const MAX_CHARS = 1000;
const MAX_LITERAL = 200;

/** One line of literal text for a value, at most 200 characters. */
export function literal(value: unknown): string {
  let text: string;
  try {
    text = value instanceof Error ? `${value.name}: ${value.message}` : inspect(value, { depth: 6, breakLength: Infinity, compact: true });
  } catch {
    text = "<uninspectable>";
  }
  text = text.replaceAll("\n", "\\n");
  return text.length > MAX_LITERAL ? text.slice(0, MAX_LITERAL - 1) + "…" : text;
}

function matcherLiteral(expected: unknown): string {
  return typeof expected === "function" ? expected.name || "validation function" : literal(expected);
}

/** Stack lines of the repository's own files, with paths relative to its root. */
export function repoFrames(stack: unknown): string[] {
  if (typeof stack !== "string") return [];
  return stack
    .split("\n")
    .filter((line) => line.includes("/repo/") && /^\s+at /.test(line))
    .map((line) => "    " + line.trim().replace(/(?:file:\/\/)?(?:\/[^\s():]*)?\/repo\//, ""));
}

function clip(text: string): string {
  let lines = text.split("\n");
  if (lines.length > MAX_LINES) lines = [...lines.slice(0, MAX_LINES), "..."];
  const out = lines.join("\n").trimEnd();
  return out.length > MAX_CHARS ? out.slice(0, MAX_CHARS) + "…" : out;
}

export function describeFailure(error: any): { error: string; actual?: string; expected?: string } {
  if (!(error instanceof Error)) return { error: clip(`threw ${literal(error)}`), actual: `throws ${literal(error)}` };
  const name = String(error.name);
  const message = String(error.message);
  if ((error as any).code === "ERR_TEST_FAILURE") return { error: clip(message) };
  if ((error as any).code === "ERR_ASSERTION" && "operator" in error) {
    const { operator, actual, expected } = error as any;
    const out: { error: string; actual?: string; expected?: string } = { error: clip(message) };
    if (operator === "throws" || operator === "rejects") {
      out.actual = message.startsWith("Missing expected") ? "no error" : `throws ${literal(actual)}`;
      out.expected = expected === undefined ? "an error" : `throws ${matcherLiteral(expected)}`;
    } else if (operator === "doesNotThrow" || operator === "doesNotReject") {
      out.actual = `throws ${literal(actual)}`;
      out.expected = "no error";
    } else if (operator !== "fail" && operator !== undefined) {
      out.actual = literal(actual);
      out.expected = /^(not|!=)/.test(String(operator)) ? `not ${literal(expected)}` : literal(expected);
    }
    // Several assertions of a test can want the same value: the line tells which one failed.
    out.error = [out.error, ...repoFrames(error.stack).slice(0, 1)].join("\n");
    return out;
  }
  const frames = repoFrames(error.stack).slice(0, 3);
  return { error: clip([`${name}: ${message}`, ...frames].join("\n")), actual: `throws ${literal(error)}` };
}
