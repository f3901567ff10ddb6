/** node:assert and node:assert/strict. */
import { isDeepEqual, isDeepStrictEqual } from "./deep-equal.ts";
import { callText } from "./call-text.ts";
import { inspect } from "./inspect.ts";

const show = (v: unknown): string =>
  inspect(v, { compact: false, customInspect: false, depth: 1000, maxArrayLength: Infinity, sorted: true, getters: true, breakLength: Infinity });

const HEADS: Record<string, string> = {
  deepStrictEqual: "Expected values to be strictly deep-equal:",
  strictEqual: "Expected values to be strictly equal:",
  strictEqualObject: 'Expected "actual" to be reference-equal to "expected":',
  deepEqual: "Expected values to be loosely deep-equal:",
  notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
  notStrictEqual: 'Expected "actual" to be strictly unequal to:',
  notStrictEqualObject: 'Expected "actual" not to be reference-equal to "expected":',
  notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
  notIdentical: "Values have same structure but are not reference-equal:",
};

/** The last entry of a list has no comma; that alone is no difference. */
const same = (x: string, y: string): boolean => x === y || x === y + "," || x + "," === y;

/** Line diff by longest common subsequence, below its legend. */
function lineDiff(actual: string, expected: string): string {
  const a = actual.split("\n");
  const b = expected.split("\n");
  if (a.length * b.length > 250_000) {
    const cut = [...a.slice(0, 25).map((l) => "+ " + l), ...b.slice(0, 25).map((l) => "- " + l)];
    return `\n+ actual - expected ... Lines skipped\n\n${cut.join("\n")}`;
  }
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] =
        same(a[i], b[j]) ? common[(i + 1) * width + j + 1] + 1 : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  const lines: string[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && same(a[i], b[j])) {
      lines.push("  " + a[i]);
      i++;
      j++;
    }
    else if (i < a.length && (j >= b.length || common[(i + 1) * width + j] >= common[i * width + j + 1])) lines.push("+ " + a[i++]);
    else lines.push("- " + b[j++]);
  }
  // Long stretches without a change are cut to their ends.
  const out: string[] = [];
  let skipped = false;
  for (let n = 0; n < lines.length; ) {
    let end = n;
    while (end < lines.length && lines[end][0] === " ") end++;
    if (end - n > 5) {
      out.push(...lines.slice(n, n + 2), "...", ...lines.slice(end === lines.length ? end - 3 : end - 2, end));
      skipped = true;
    } else out.push(...lines.slice(n, end));
    if (end < lines.length) out.push(lines[end++]);
    n = end;
  }
  return `\n+ actual - expected${skipped ? " ... Lines skipped" : ""}\n\n${out.join("\n")}`;
}

const isObject = (v: unknown): boolean => typeof v === "object" && v !== null;

/** Two short primitives on one line, anything else as a diff. `head` is the caller's own message, or the operator's. */
function differenceMessage(operator: string, actual: unknown, expected: unknown, head: string | undefined): string {
  const a = show(actual);
  const b = show(expected);
  const byReference = operator === "strictEqual" && ((isObject(actual) && isObject(expected)) || (typeof actual === "function" && typeof expected === "function"));
  head ??= HEADS[byReference ? "strictEqualObject" : operator];
  if (a === b) return `${HEADS.notIdentical}\n\n${firstLines(a)}\n`;
  let pointer = "";
  if (!a.includes("\n") && !b.includes("\n")) {
    const length = a.length + b.length;
    if (length <= SHORT_LENGTH) {
      if (!isObject(actual) && !isObject(expected) && (actual !== 0 || expected !== 0)) return `${head}\n\n${a} !== ${b}\n`;
    } else if (!byReference && length < 80) {
      let alike = 0;
      while (a[alike] === b[alike]) alike++;
      if (alike > 2) pointer = `\n  ${" ".repeat(alike)}^`;
    }
  }
  return `${head}${lineDiff(a, b)}${pointer}`;
}
const SHORT_LENGTH = 12;

function firstLines(text: string): string {
  const lines = text.split("\n");
  return (lines.length > 50 ? [...lines.slice(0, 46), "..."] : lines).join("\n");
}

function generatedMessage(operator: string, actual: unknown, expected: unknown): string {
  const hasIdentity = isObject(actual) || typeof actual === "function";
  const a = show(actual);
  if (operator === "==" || operator === "!=") return `${a} ${operator} ${show(expected)}`;
  if (operator === "notDeepEqual") return `${HEADS.notDeepEqual}\n\n${a}${a.includes("\n") ? "" : "\n"}`;
  if (operator.startsWith("not")) {
    const head = HEADS[operator === "notStrictEqual" && hasIdentity ? "notStrictEqualObject" : operator];
    if (!a.includes("\n")) return `${head}${a.length > 5 ? "\n\n" : " "}${a}`;
    return `${head}\n\n${firstLines(a)}\n`;
  }
  if (operator === "deepEqual") return `${HEADS.deepEqual}\n\n${a}\n\nshould loosely deep-equal\n\n${show(expected)}`;
  return differenceMessage(operator, actual, expected, undefined);
}

interface AssertionOptions {
  message?: string | Error;
  actual?: unknown;
  expected?: unknown;
  operator: string;
}

export class AssertionError extends Error {
  generatedMessage: boolean;
  code = "ERR_ASSERTION";
  actual: unknown;
  expected: unknown;
  operator: string;
  constructor(options: AssertionOptions) {
    if (typeof options !== "object" || options === null) throw invalidType("options", "Object", options);
    const generated = options.message === undefined || options.message === null;
    const { operator, actual, expected } = options;
    const withDiff = operator === "strictEqual" || operator === "deepStrictEqual";
    super(
      generated ? generatedMessage(operator, actual, expected)
      : withDiff ? differenceMessage(operator, actual, expected, String(options.message))
      : String(options.message),
    );
    this.generatedMessage = generated;
    this.actual = actual;
    this.expected = expected;
    this.operator = operator;
  }
  override toString(): string {
    return `${this.name} [${this.code}]: ${this.message}`;
  }
}
Object.defineProperty(AssertionError.prototype, "name", { value: "AssertionError", writable: true, configurable: true, enumerable: false });

function kindOf(value: unknown): string {
  if (value == null) return String(value);
  if (typeof value === "function") return `function ${value.name}`;
  if (typeof value !== "object") return `type ${typeof value} (${inspect(value)})`;
  return value.constructor?.name ? `an instance of ${value.constructor.name}` : inspect(value, { depth: -1 });
}

function invalidType(name: string, type: string, value: unknown): TypeError {
  const received = kindOf(value);
  return Object.assign(new TypeError(`The "${name}" argument must be ${type.startsWith("an ") ? type : `of type ${type}`}. Received ${received}`), {
    code: "ERR_INVALID_ARG_TYPE",
  });
}

function missingArgs(names: string): TypeError {
  return Object.assign(new TypeError(`The ${names} must be specified`), { code: "ERR_MISSING_ARGS" });
}

type Message = string | Error | undefined;
function fail(options: AssertionOptions): never {
  if (options.message instanceof Error) throw options.message;
  throw new AssertionError(options);
}

function okMessage(argCount: number, stack: string): string {
  if (argCount === 0) return "No value argument passed to `assert.ok()`";
  const code = callText(stack);
  return code === undefined ? "The expression evaluated to a falsy value" : `The expression evaluated to a falsy value:\n\n  ${code}\n`;
}

function ok(...args: [value?: unknown, message?: Message]): void {
  const [value, message] = args;
  if (!value) {
    if (message === undefined) {
      const error = new AssertionError({ actual: value, expected: true, operator: "==", message: okMessage(args.length, new Error().stack ?? "") });
      error.generatedMessage = true;
      throw error;
    }
    fail({ actual: value, expected: true, operator: "==", message });
  }
}

const SIGNS: Record<string, string> = { equal: "==", notEqual: "!=" };
type Compare = (actual: unknown, expected: unknown, message?: Message) => void;
function comparison(name: string, test: (a: unknown, b: unknown) => boolean): Compare {
  const fn = (...args: [unknown, unknown, Message?]) => {
    if (args.length < 2) throw missingArgs('"actual" and "expected" arguments');
    const [actual, expected, message] = args;
    if (!test(actual, expected)) fail({ actual, expected, operator: SIGNS[name] ?? name, message });
  };
  return Object.defineProperty(fn, "name", { value: name });
}

const looseEqual = (a: unknown, b: unknown): boolean => a == b || (a !== a && b !== b);
const equal = comparison("equal", looseEqual);
const notEqual = comparison("notEqual", (a, b) => !looseEqual(a, b));
const strictEqual = comparison("strictEqual", Object.is);
const notStrictEqual = comparison("notStrictEqual", (a, b) => !Object.is(a, b));
const deepEqual = comparison("deepEqual", isDeepEqual);
const notDeepEqual = comparison("notDeepEqual", (a, b) => !isDeepEqual(a, b));
const deepStrictEqual = comparison("deepStrictEqual", isDeepStrictEqual);
const notDeepStrictEqual = comparison("notDeepStrictEqual", (a, b) => !isDeepStrictEqual(a, b));

function failure(message?: Message): never {
  const error = message instanceof Error ? message : new AssertionError({ message: message ?? "Failed", operator: "fail" });
  if (error instanceof AssertionError) error.generatedMessage = message === undefined;
  throw error;
}

function matching(name: "match" | "doesNotMatch") {
  const fn = (value: unknown, regexp: RegExp, message?: Message): void => {
    if (!(regexp instanceof RegExp)) throw invalidType("regexp", "an instance of RegExp", regexp);
    if (typeof value === "string" && (regexp.exec(value) !== null) === (name === "match")) return;
    if (message instanceof Error) throw message;
    const generated = message === undefined;
    const text = message ?? (typeof value !== "string"
      ? `The "string" argument must be of type string. Received type ${typeof value} (${inspect(value)})`
      : `${name === "match" ? "The input did not match the regular expression" : "The input was expected to not match the regular expression"} ${inspect(regexp)}. Input:\n\n${inspect(value)}\n`);
    const error = new AssertionError({ actual: value, expected: regexp, operator: name, message: text });
    error.generatedMessage = generated;
    throw error;
  };
  return Object.defineProperty(fn, "name", { value: name });
}

function ifError(value: unknown): void {
  if (value === null || value === undefined) return;
  const text = value instanceof Error ? value.message || value.constructor.name : inspect(value);
  fail({ actual: value, expected: null, operator: "ifError", message: `ifError got unwanted exception: ${text}` });
}

/** Checks a caught error against the second argument of throws() or rejects(). */
function checkThrown(thrown: any, expected: unknown, message: Message, operator: string): void {
  if (expected === undefined) return;
  if (expected instanceof RegExp) {
    const text = String(thrown);
    if (expected.exec(text) !== null) return;
    if (message instanceof Error) throw message;
    const error = new AssertionError({
      actual: thrown, expected, operator,
      message: message ?? `The input did not match the regular expression ${inspect(expected)}. Input:\n\n${inspect(text)}\n`,
    });
    error.generatedMessage = message === undefined;
    throw error;
  }
  if (typeof expected === "function") {
    if (expected.prototype !== undefined && thrown instanceof (expected as any)) return;
    let text: string;
    if (Object.prototype.isPrototypeOf.call(Error, expected) || expected === Error) {
      text = `The error is expected to be an instance of "${expected.name}". Received `;
      if (thrown instanceof Error) text += `"${thrown.name}"\n\nError message:\n\n${thrown.message}`;
      else text += `"${inspect(thrown, { depth: -1 })}"`;
    } else {
      const result = Reflect.apply(expected, {}, [thrown]);
      if (result === true) return;
      const name = expected.name ? `"${expected.name}" ` : "";
      text = `The ${name}validation function is expected to return "true". Received ${inspect(result)}`;
      if (thrown instanceof Error) text += `\n\nCaught error:\n\n${thrown}`;
    }
    if (message instanceof Error) throw message;
    const error = new AssertionError({ actual: thrown, expected, operator, message: message ?? text });
    error.generatedMessage = message === undefined;
    throw error;
  }
  if (typeof thrown !== "object" || thrown === null) {
    const error = new AssertionError({ actual: thrown, expected, operator: "deepStrictEqual", message });
    error.operator = operator;
    throw message instanceof Error ? message : error;
  }
  const want = expected as Record<string, unknown>;
  const keys = Object.keys(want);
  if (want instanceof Error) keys.push("name", "message");
  else if (keys.length === 0) {
    throw Object.assign(new TypeError(`The argument 'error' may not be an empty object. Received {}`), { code: "ERR_INVALID_ARG_VALUE" });
  }
  for (const key of keys) {
    if (typeof thrown[key] === "string" && want[key] instanceof RegExp && want[key].exec(thrown[key]) !== null) continue;
    if (key in thrown && isDeepStrictEqual(thrown[key], want[key])) continue;
    if (message instanceof Error) throw message;
    // Only the compared properties are shown, as plain objects of comparable shape.
    const a = new Comparison();
    const b = new Comparison();
    for (const k of keys) {
      if (k in thrown) a[k] = thrown[k];
      b[k] = want[k] instanceof RegExp && typeof a[k] === "string" && want[k].exec(a[k] as string) !== null ? a[k] : want[k];
    }
    const error = new AssertionError({ actual: a, expected: b, operator: "deepStrictEqual", message });
    error.actual = thrown;
    error.expected = expected;
    error.operator = operator;
    throw error;
  }
}

/** Names the object in messages, as Node does. */
class Comparison {
  [key: string]: unknown;
}

const NOTHING = Symbol("nothing thrown");
function finish(thrown: unknown, expected: unknown, message: Message, operator: "throws" | "rejects"): void {
  if (typeof expected === "string") {
    if (thrown !== NOTHING && (thrown as any)?.message === expected) {
      throw Object.assign(new TypeError(`The "error/message" argument is ambiguous. The error message "${expected}" is identical to the message.`), {
        code: "ERR_AMBIGUOUS_ARGUMENT",
      });
    }
    message = expected;
    expected = undefined;
  } else if (expected !== undefined && typeof expected !== "object" && typeof expected !== "function") {
    throw invalidType("error", "function or an instance of Error, RegExp, or Object", expected);
  }
  if (thrown === NOTHING) {
    let details = (expected as any)?.name ? ` (${(expected as any).name})` : "";
    details += message ? `: ${message}` : ".";
    fail({ actual: undefined, expected, operator, message: `Missing expected ${operator === "rejects" ? "rejection" : "exception"}${details}` });
  }
  checkThrown(thrown, expected, message, operator);
}

/** What the function throws; NOTHING if it returns. */
function thrownBy(fn: () => unknown): unknown {
  try {
    fn();
  } catch (error) {
    return error;
  }
  return NOTHING;
}

function throws(fn: () => unknown, expected?: unknown, message?: Message): void {
  if (typeof fn !== "function") throw invalidType("fn", "function", fn);
  finish(thrownBy(fn), expected, message, "throws");
}

async function settle(promise: unknown): Promise<unknown> {
  if (typeof promise === "function") {
    promise = promise();
    if (typeof (promise as any)?.then !== "function") {
      throw Object.assign(new TypeError(`Expected instance of Promise to be returned from the "promiseFn" function but got ${kindOf(promise)}.`), {
        code: "ERR_INVALID_RETURN_VALUE",
      });
    }
  } else if (typeof (promise as any)?.then !== "function") throw invalidType("promiseFn", "function or an instance of Promise", promise);
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return NOTHING;
}

async function rejects(promise: unknown, expected?: unknown, message?: Message): Promise<void> {
  finish(await settle(promise), expected, message, "rejects");
}

function unwanted(thrown: unknown, expected: unknown, message: Message, operator: string): void {
  if (thrown === NOTHING) return;
  if (typeof expected === "string") {
    message = expected;
    expected = undefined;
  }
  if (expected !== undefined) {
    const matches = expected instanceof RegExp ? expected.test(String(thrown)) : typeof expected === "function" && thrown instanceof (expected as any);
    if (!matches) throw thrown;
  }
  const details = message ? `: ${message}` : ".";
  fail({
    actual: thrown, expected, operator,
    message: `Got unwanted ${operator === "doesNotReject" ? "rejection" : "exception"}${details}\nActual message: "${(thrown as any)?.message}"`,
  });
}

function doesNotThrow(fn: () => unknown, expected?: unknown, message?: Message): void {
  if (typeof fn !== "function") throw invalidType("fn", "function", fn);
  unwanted(thrownBy(fn), expected, message, "doesNotThrow");
}

async function doesNotReject(promise: unknown, expected?: unknown, message?: Message): Promise<void> {
  unwanted(await settle(promise), expected, message, "doesNotReject");
}

const shared = {
  AssertionError, ok, fail: failure, throws, rejects, doesNotThrow, doesNotReject, ifError,
  match: matching("match"), doesNotMatch: matching("doesNotMatch"),
  strictEqual, notStrictEqual, deepStrictEqual, notDeepStrictEqual,
};

/** Methods in the order and under the names of each module; `strict` maps the loose names to the strict ones. */
export const assert: any = Object.assign((...args: [unknown?, Message?]) => ok(...args), shared, { equal, notEqual, deepEqual, notDeepEqual });
export const strict: any = Object.assign((...args: [unknown?, Message?]) => ok(...args), shared, {
  equal: strictEqual,
  notEqual: notStrictEqual,
  deepEqual: deepStrictEqual,
  notDeepEqual: notDeepStrictEqual,
});
assert.strict = strict;
strict.strict = strict;
