/** Reads from a failed test's source which call gave the wrong result, e.g. `rangeOf(1, 3)`. */
import type { Files, TestCase } from "../sandbox/index.ts";
import { children, isFunction, isPropertyName, type Node, parseModule, walk } from "./syntax.ts";
import { callsOf, type TestCall, testCalls } from "./test-source.ts";

export interface FailingCall {
  /** Source of the call, with the values of the test's tables and constants put in. One line. */
  call: string;
  /** What it gave and what it should give, as short literal text; "throws …" or "no error" where it is about errors. */
  actual: string;
  expected: string;
}

const EQUALITY = new Set(["equal", "strictEqual", "deepEqual", "deepStrictEqual"]);
/** Characters of the call, of one value, and of all together. */
const MAX_CALL = 110;
const MAX_VALUE = 90;
const MAX_ALL = 230;

/**
 * The call behind a failed case, if one assertion of the test can be told to be the one that failed and its call can be
 * written without the rest of the test; else null.
 */
export function failingCall(files: Files, failed: TestCase): FailingCall | null {
  const [file] = failed.name.split(" > ", 1);
  const source = files[file];
  if (source === undefined || failed.actual === undefined) return null;
  const title = failed.name.slice(file.length + 3);
  const ast = parseModule(source, file);
  for (const call of callsOf(testCalls(ast), title)) {
    const scope = scopeOf(source, ast.program, call, title);
    const found = scope && call.body ? pick(call.body, failed, scope) : null;
    if (found && isShort(found)) return found;
  }
  return null;
}

/** Short enough for a statement. */
export function isShort({ call, actual, expected }: FailingCall): boolean {
  const [values, all] = [Math.max(actual.length, expected.length), call.length + actual.length + expected.length];
  return call.length <= MAX_CALL && values <= MAX_VALUE && all <= MAX_ALL;
}

/** What is known about names where a test's assertions stand. */
class Scope {
  constructor(
    private readonly source: string,
    /** Names declared somewhere in the test file: a reader of the call alone would not know them. */
    private readonly local: ReadonlySet<string>,
    /** What some of them stand for. */
    private readonly meaning: ReadonlyMap<string, Node>,
  ) {}

  with(meaning: Iterable<[string, Node]>): Scope {
    return new Scope(this.source, this.local, new Map([...this.meaning, ...meaning]));
  }

  get(node: Node): Node {
    return node.type === "Identifier" ? this.meaning.get(node.name) ?? node : node;
  }

  /** The node's source on one line with names replaced by what they stand for; null where the test's own names remain. */
  text(node: Node, depth = 0): string | null {
    const inner = new Set<string>();
    walk(node, (part) => {
      if (isFunction(part)) for (const param of (part as { params: Node[] }).params) patternNames(param, inner);
    });
    let result = "";
    let at = node.start!;
    let known = depth < 5;
    const step = (part: Node, parent: Node | null): void => {
      if (part.type === "Identifier") {
        if (isPropertyName(part, parent) || inner.has(part.name) || !this.local.has(part.name)) return;
        const meaning = this.meaning.get(part.name);
        const text = meaning ? this.text(meaning, depth + 1) : null;
        if (text === null) known = false;
        const shorthand = parent?.type === "ObjectProperty" && parent.shorthand ? `${part.name}: ` : "";
        result += this.source.slice(at, part.start!) + shorthand + (meaning && needsParentheses(meaning, parent) ? `(${text})` : text);
        at = part.end!;
        return;
      }
      for (const child of children(part)) {
        // The key of `{ x }` is the same identifier as its value.
        if (part.type === "ObjectProperty" && part.shorthand && child === part.key) continue;
        if (known) step(child, part);
      }
    };
    if (known) step(node, null);
    return known ? oneLine(result + this.source.slice(at, node.end!)) : null;
  }
}

/** Names and values around a test: constants of the file and the suites, the table's row, a helper's arguments. */
function scopeOf(source: string, program: Node, call: TestCall, title: string): Scope | null {
  const around = [...call.ancestors, ...(call.body ? [call.body, ...children(call.body)] : [])];
  const blocks = around.flatMap((node) => (node.type === "Program" || node.type === "BlockStatement" ? node.body : []));
  const local = new Set<string>();
  for (const node of around) if (isFunction(node)) for (const param of (node as { params: Node[] }).params) patternNames(param, local);
  const declare = (node: Node) => {
    if (node.type === "VariableDeclarator" && !(node.init && loadsModule(node.init))) patternNames(node.id, local);
    if (node.type === "FunctionDeclaration" && node.id) local.add(node.id.name);
  };
  for (const node of [...blocks, ...around]) {
    if (node.type === "VariableDeclaration") node.declarations.forEach(declare);
    if (node.type === "ForOfStatement") walk(node.left, declare);
    declare(node);
  }
  // A function of the test file stays readable by its name; inside the test every name counts, such as a loop's.
  for (const node of call.ancestors[0] ? children(call.ancestors[0]) : []) {
    if (node.type === "FunctionDeclaration" && node.id) local.delete(node.id.name);
  }
  if (call.body) walk(call.body, declare);

  for (const name of call.given.keys()) local.add(name);
  const outer = new Scope(source, local, new Map([...constants(blocks, program, call.body), ...call.given]));
  const loops = loopsIn(call.ancestors, outer);
  if (loops.length === 0) return outer;
  if (loops.length > 1 || loops[0].rows === null) return null;
  const [{ pattern, rows }] = loops;
  const matching = rows.map((row) => bindPattern(pattern, row)).filter((bound) => title.endsWith(evaluateTitle(call.title, bound) ?? "\u0000"));
  return matching.length === 1 ? outer.with(matching[0]) : null;
}

/**
 * What constants stand for. One that is made by code (`const found = f(1)`) counts where nothing can change it before
 * it is compared: the test reads it once, or the file uses it only inside assertions.
 */
function constants(statements: readonly Node[], program: Node, body: Node | undefined): [string, Node][] {
  const made = statements.flatMap((node) => (node.type === "VariableDeclaration" && node.kind === "const" ? node.declarations : []))
    .flatMap(({ id, init }): [string, Node][] => (id.type === "Identifier" && init ? [[id.name, init]] : []));
  const inTest = new Map<string, number>();
  const outside = new Map<string, number>();
  walk(program, (node, ancestors) => {
    if (node.type !== "Identifier" || isPropertyName(node, ancestors[ancestors.length - 1])) return;
    const isAsserted = ancestors.some((one) => one.type === "CallExpression" && assertionName(one) !== null);
    if (body && ancestors.includes(body)) inTest.set(node.name, (inTest.get(node.name) ?? 0) + 1);
    if (!isAsserted) outside.set(node.name, (outside.get(node.name) ?? 0) + 1);
  });
  // The declaration itself is one of each; functions do not change.
  return made.filter(([name, init]) => isData(init) || isFunction(init) || init.type === "Identifier" || inTest.get(name) === 2 || outside.get(name) === 1);
}

/** Finds the assertion that failed: the only one that could have reported these values. */
function pick(body: Node, failed: TestCase, scope: Scope): FailingCall | null {
  const assertions: Comparison[] = [];
  walk(body, (node, ancestors) => {
    if (node.type !== "CallExpression" || assertionName(node) === null) return;
    const loops = loopsIn(ancestors, scope);
    const rows = loops.length === 1 ? loops[0].rows : null;
    // An assertion in a loop over a table stands for one in each row.
    const scopes = rows === null ? [scope] : rows.map((row) => scope.with(bindPattern(loops[0].pattern, row)));
    for (const one of scopes) assertions.push(readAssertion(node, one));
  });
  const { actual, expected = "", error = "", name } = failed;
  const line = Number(new RegExp(`\\b${escapeText(name.split(" > ", 1)[0])}:(\\d+)`).exec(error)?.[1]);
  const onLine = assertions.filter((one) => one.lines[0] <= line && line <= one.lines[1]);
  const isOfErrors = actual === "no error" || expected.startsWith("throws ");
  const possible = (onLine.length > 0 ? onLine : assertions).filter((one) => {
    if ((one.kind === "throws") !== isOfErrors) return false;
    // Code that threw before it could be compared does not tell what was wanted.
    return one.expected === null || !one.isData || expected === "" || sameText(one.expected, expected);
  });
  const [found] = possible;
  if (possible.length !== 1 || found.kind === "other" || found.call === null) return null;
  // What kind of error a test checks for can be a long object or a function.
  if (actual === "no error") return { call: found.call, actual, expected: /^throws \w+$/.test(expected) ? expected : "an error" };
  if (expected !== "") return { call: found.call, actual: tight(actual!), expected: tight(expected) };
  return found.expected === null ? null : { call: found.call, actual: actual!, expected: found.expected };
}

/** One assertion: what it calls, and what it wants where that can be written. */
interface Comparison {
  kind: "value" | "throws" | "other";
  call: string | null;
  expected: string | null;
  /** True when `expected` is plain data, which the reported text can be compared with. */
  isData: boolean;
  lines: [number, number];
}

function readAssertion(node: Extract<Node, { type: "CallExpression" }>, scope: Scope): Comparison {
  const name = assertionName(node)!;
  const [first, second] = node.arguments;
  const lines: [number, number] = [node.loc!.start.line, node.loc!.end.line];
  if (name === "throws" || name === "rejects") {
    const inner = first && isFunction(first) ? (first as { body: Node }).body : null;
    const call = inner && inner.type !== "BlockStatement" ? scope.text(inner) : null;
    return { kind: "throws", call, expected: "an error", isData: false, lines };
  }
  const isEquality = EQUALITY.has(name);
  if (first === undefined || !(isEquality || name === "ok")) return { kind: "other", call: null, expected: null, isData: false, lines };
  const call = containsCall(scope.get(first)) ? scope.text(first) : null;
  const wanted = second && scope.get(second);
  const expected = isEquality ? (second ? scope.text(second) : null) : "true";
  return { kind: "value", call, expected, isData: !isEquality || (wanted !== undefined && isData(wanted)), lines };
}

/** "equal", "ok", "throws" and so on for a call of assert; null for other calls. */
function assertionName(node: Extract<Node, { type: "CallExpression" }>): string | null {
  const { callee } = node;
  if (callee.type === "Identifier") return callee.name === "assert" ? "ok" : EQUALITY.has(callee.name) ? callee.name : null;
  if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return null;
  const object = callee.object.type === "MemberExpression" ? callee.object.property : callee.object;
  return object.type === "Identifier" && object.name === "assert" ? callee.property.name : null;
}

interface Loop {
  pattern: Node;
  /** The table's rows; null where it is not written out. */
  rows: Node[] | null;
}

/** The loops among the ancestors: `for (const x of table)` and `table.forEach((x) => …)`. */
function loopsIn(ancestors: readonly Node[], scope: Scope): Loop[] {
  const rowsOf = (node: Node) => {
    const table = scope.get(node);
    return table.type === "ArrayExpression" ? table.elements.filter((row) => row !== null) : null;
  };
  return ancestors.flatMap((node, i): Loop[] => {
    if (node.type === "ForOfStatement" && node.left.type === "VariableDeclaration") {
      return [{ pattern: node.left.declarations[0].id, rows: rowsOf(node.right) }];
    }
    const next = ancestors[i + 1];
    if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression" || !next || !isFunction(next)) return [];
    const [pattern] = (next as { params: Node[] }).params;
    const repeats = node.callee.property.type === "Identifier" && /^(forEach|map)$/.test(node.callee.property.name);
    return repeats && pattern ? [{ pattern, rows: rowsOf(node.callee.object) }] : [];
  });
}

function loadsModule(node: Node): boolean {
  if (node.type === "AwaitExpression") return loadsModule(node.argument);
  return node.type === "CallExpression" && (node.callee.type === "Import" || (node.callee.type === "Identifier" && node.callee.name === "require"));
}

function patternNames(pattern: Node, names: Set<string>): void {
  walk(pattern, (node, ancestors) => {
    if (node.type === "Identifier" && !isPropertyName(node, ancestors[ancestors.length - 1] ?? null)) names.add(node.name);
  });
}

function bindPattern(pattern: Node, row: Node): Map<string, Node> {
  const bound = new Map<string, Node>();
  if (pattern.type === "Identifier") bound.set(pattern.name, row);
  if (pattern.type === "ArrayPattern" && row.type === "ArrayExpression") {
    pattern.elements.forEach((element, i) => {
      const value = row.elements[i];
      if (element?.type === "Identifier" && value) bound.set(element.name, value);
    });
  }
  if (pattern.type === "ObjectPattern" && row.type === "ObjectExpression") {
    for (const property of pattern.properties) {
      if (property.type !== "ObjectProperty" || property.key.type !== "Identifier" || property.value.type !== "Identifier") continue;
      const key = property.key.name;
      const entry = row.properties.find((one) => one.type === "ObjectProperty" && one.key.type === "Identifier" && one.key.name === key);
      if (entry?.type === "ObjectProperty") bound.set(property.value.name, entry.value);
    }
  }
  return bound;
}

function evaluateTitle(title: Node | undefined, bound: ReadonlyMap<string, Node>): string | null {
  switch (title?.type) {
    case "StringLiteral":
      return title.value;
    case "NumericLiteral":
    case "BooleanLiteral":
      return String(title.value);
    case "NullLiteral":
      return "null";
    case "UnaryExpression": {
      const value = evaluateTitle(title.argument, bound);
      return title.operator === "-" && value !== null ? `-${value}` : null;
    }
    case "Identifier":
      return bound.has(title.name) ? evaluateTitle(bound.get(title.name), new Map()) : null;
    case "TemplateLiteral": {
      const parts = title.quasis.map((quasi, i) => {
        const value = i < title.expressions.length ? evaluateTitle(title.expressions[i], bound) : "";
        return value === null ? null : (quasi.value.cooked ?? "") + value;
      });
      return parts.includes(null) ? null : parts.join("");
    }
    case "BinaryExpression": {
      const [left, right] = [evaluateTitle(title.left, bound), evaluateTitle(title.right, bound)];
      return title.operator === "+" && left !== null && right !== null ? left + right : null;
    }
    case "CallExpression": {
      const [argument] = title.arguments;
      const json = title.callee.type === "MemberExpression" && title.callee.object.type === "Identifier" && title.callee.object.name === "JSON";
      const value = argument?.type === "Identifier" ? bound.get(argument.name) : undefined;
      return json && value?.type === "StringLiteral" ? JSON.stringify(value.value) : null;
    }
    default:
      return null;
  }
}

function isData(node: Node): boolean {
  if (node.type.endsWith("Literal") && node.type !== "TemplateLiteral") return true;
  if (node.type === "UnaryExpression") return isData(node.argument);
  if (node.type === "ArrayExpression" || node.type === "ObjectExpression" || node.type === "ObjectProperty") return children(node).every((child) => isData(child) || child.type === "Identifier");
  return false;
}

/** True where a value put in for a name would be read otherwise without parentheses. */
function needsParentheses(value: Node, parent: Node | null): boolean {
  if (/Literal$|^(Identifier|ArrayExpression|CallExpression|MemberExpression|NewExpression)$/.test(value.type)) return false;
  return parent !== null && !/^(CallExpression|NewExpression|ArrayExpression|ObjectProperty|SpreadElement)$/.test(parent.type);
}

function containsCall(node: Node): boolean {
  let found = false;
  walk(node, (part) => {
    if (part.type === "CallExpression" || part.type === "NewExpression" || part.type === "OptionalCallExpression") found = true;
  });
  return found;
}

/** Equal but for layout, quotes and trailing commas. */
function sameText(a: string, b: string): boolean {
  const [first, second] = [a, b].map((text) => text.replace(/["'`]/g, "'").replace(/\s+/g, "").replace(/,(?=[\]})])/g, ""));
  return first === second;
}

function escapeText(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** "[ 1, 'a ]' ]" as people write it: no spaces inside square brackets, text literals left alone. */
function tight(text: string): string {
  return text.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\[ | \]/g, (part) => (part === "[ " ? "[" : part === " ]" ? "]" : part));
}

/** Joins lines; what is inside one line, such as the spaces of a text literal, stays. */
function oneLine(text: string): string {
  return text
    .replace(/([[({])\s*\n\s*/g, "$1")
    .replace(/\s*\n\s*\./g, ".")
    .replace(/,?\s*\n\s*([\])}])/g, "$1")
    .replace(/\s*\n\s*/g, " ")
    .trim();
}
