/** Reads from a failed test's source which call gave the wrong result, e.g. `rangeOf(1, 3)`. */
import type { Files, TestCase } from "../sandbox/index.ts";
import { children, isFunction, type Node, parseModule, walk } from "./syntax.ts";
import { callsOf, type TestCall, testCalls } from "./test-source.ts";

export interface FailingCall {
  /** Source of the call, with the values of the test's tables and constants put in. One line. */
  call: string;
  /** What it gave and what it should give, as short literal text; "throws …" or "no error" where it is about errors. */
  actual: string;
  expected: string;
}

const EQUALITY = new Set(["equal", "strictEqual", "deepEqual", "deepStrictEqual"]);
const MAX_CALL = 100;
const MAX_VALUE = 70;

/**
 * The call behind a failed case, if one assertion of the test can be told to be the one that failed and its call can be
 * written without the rest of the test; else null.
 */
export function failingCall(files: Files, failed: TestCase): FailingCall | null {
  const [file] = failed.name.split(" > ", 1);
  const source = files[file];
  if (source === undefined) return null;
  const title = failed.name.slice(file.length + 3);
  const ast = parseModule(source, file);
  for (const call of callsOf(testCalls(ast), title)) {
    const values = new Values(source, ast.program);
    for (const [name, node] of call.given) values.set(name, node);
    if (!bindRow(call, title, values) || call.body === undefined) continue;
    const found = pick(call.body, failed, values);
    if (found && found.call.length <= MAX_CALL && found.actual.length <= MAX_VALUE && found.expected.length <= MAX_VALUE) return found;
  }
  return null;
}

/** Names with a known value, and text with those values put in. */
class Values {
  private readonly nodes = new Map<string, Node>();
  constructor(private readonly source: string, program: Node) {
    for (const statement of children(program)) this.declare(statement);
  }

  set(name: string, node: Node): void {
    this.nodes.set(name, node);
  }

  get(node: Node): Node {
    return node.type === "Identifier" ? this.nodes.get(node.name) ?? node : node;
  }

  /** Takes in `const name = value`. */
  declare(statement: Node): void {
    if (statement.type !== "VariableDeclaration" || statement.kind !== "const") return;
    for (const { id, init } of statement.declarations) {
      if (id.type === "Identifier" && init && isData(init)) this.nodes.set(id.name, init);
    }
  }

  /** The node's source on one line with known names replaced by their values; null if a name of the test itself remains. */
  text(node: Node, locals: ReadonlySet<string>): string | null {
    let result = "";
    let at = node.start!;
    let open = true;
    const step = (part: Node, parent: Node | null): void => {
      if (part.type === "Identifier" && !isPropertyName(part, parent)) {
        const value = this.nodes.get(part.name);
        if (value) {
          result += this.source.slice(at, part.start!);
          const shorthand = parent?.type === "ObjectProperty" && parent.shorthand;
          result += (shorthand ? `${part.name}: ` : "") + this.source.slice(value.start!, value.end!);
          at = part.end!;
        } else if (locals.has(part.name)) open = false;
        return;
      }
      // The key of `{ x }` is the same identifier as its value.
      for (const child of children(part)) {
        if (part.type === "ObjectProperty" && part.shorthand && child === part.key) continue;
        step(child, part);
      }
    };
    step(node, null);
    result += this.source.slice(at, node.end!);
    return open ? oneLine(result) : null;
  }
}

/** Finds the assertion that failed: the only one whose expected value is the one reported, or the only one at all. */
function pick(body: Node, failed: TestCase, values: Values): FailingCall | null {
  const locals = new Set<string>();
  const assertions: Extract<Node, { type: "CallExpression" }>[] = [];
  walk(body, (node, ancestors) => {
    if (node !== body && ancestors.every((step) => step === body || !isFunction(step))) values.declare(node);
    if (node.type === "VariableDeclarator" && node.id.type === "Identifier") locals.add(node.id.name);
    if (isFunction(node)) for (const param of (node as { params: Node[] }).params) if (param.type === "Identifier") locals.add(param.name);
    if (node.type === "CallExpression" && assertionName(node) !== null) assertions.push(node);
  });
  const readable = assertions.map((node) => readAssertion(node, values, locals));
  const { actual, expected } = failed;
  if (actual === undefined) return null;
  const only = (fits: (one: Comparison, node: Node) => boolean) => {
    const matching = readable.filter((one, i) => one !== null && fits(one, assertions[i]));
    return matching.length === 1 ? matching[0] : null;
  };
  if (actual === "no error") {
    const found = only((one) => one.throws);
    // What kind of error it checks for can be a long object or a function.
    return found && { call: found.call, actual, expected: /^throws \w+$/.test(expected ?? "") ? expected! : "an error" };
  }
  const alone = assertions.length === 1;
  if (expected === undefined) {
    // The code threw before it could be compared: the line it was called from tells where.
    const line = Number(new RegExp(`\\b${escapeText(failed.name.split(" > ", 1)[0])}:(\\d+)`).exec(failed.error ?? "")?.[1]);
    const found = only((one, node) => !one.throws && (alone || (node.loc!.start.line <= line && line <= node.loc!.end.line)));
    return found && { call: found.call, actual, expected: found.expected };
  }
  const found = only((one) => !one.throws && (alone || sameText(one.expected, expected)));
  return found && { call: found.call, actual: tight(actual), expected: found.expected };
}

interface Comparison {
  call: string;
  expected: string;
  throws: boolean;
}

/** What one assertion compares; null when it is no comparison of a call's result or needs the rest of the test. */
function readAssertion(
  node: Extract<Node, { type: "CallExpression" }>, values: Values, locals: ReadonlySet<string>,
): Comparison | null {
  const name = assertionName(node)!;
  const [first, second] = node.arguments;
  if (first === undefined) return null;
  if (name === "throws" || name === "rejects") {
    const inner = isFunction(first) ? (first as { body: Node }).body : null;
    const call = inner && inner.type !== "BlockStatement" ? values.text(inner, locals) : null;
    return call === null ? null : { call, expected: "an error", throws: true };
  }
  const call = containsCall(first) ? values.text(first, locals) : null;
  const expected = !EQUALITY.has(name) ? "true" : second === undefined ? null : values.text(second, locals);
  return call === null || expected === null ? null : { call, expected, throws: false };
}

function assertionName(node: Extract<Node, { type: "CallExpression" }>): string | null {
  const { callee } = node;
  if (callee.type === "Identifier") return callee.name === "assert" ? "ok" : EQUALITY.has(callee.name) ? callee.name : null;
  if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return null;
  const object = callee.object.type === "MemberExpression" ? callee.object.property : callee.object;
  if (object.type !== "Identifier" || object.name !== "assert") return null;
  const name = callee.property.name;
  return EQUALITY.has(name) || name === "ok" || name === "throws" || name === "rejects" ? name : null;
}

/** In a loop over a table, gives the loop's names the values of the row whose title is this case's. False if unclear. */
function bindRow(call: TestCall, title: string, values: Values): boolean {
  const loops: { pattern: Node; rows: Node[] }[] = [];
  for (const [i, node] of call.ancestors.entries()) {
    if (node.type === "ForOfStatement" && node.left.type === "VariableDeclaration") {
      const table = values.get(node.right);
      if (table.type === "ArrayExpression") loops.push({ pattern: node.left.declarations[0].id, rows: table.elements.filter((row) => row !== null) });
    }
    if (node.type === "CallExpression" && node.callee.type === "MemberExpression" && isFunction(call.ancestors[i + 1] ?? node)) {
      const table = values.get(node.callee.object);
      const [pattern] = (call.ancestors[i + 1] as { params: Node[] }).params;
      if (table.type === "ArrayExpression" && pattern) loops.push({ pattern, rows: table.elements.filter((row) => row !== null) });
    }
  }
  if (loops.length === 0) return true;
  if (loops.length > 1) return false;
  const [{ pattern, rows }] = loops;
  const matching = rows.filter((row) => {
    const bound = bindPattern(pattern, row);
    return title.endsWith(evaluateTitle(call.title, bound) ?? "\u0000");
  });
  if (matching.length !== 1) return false;
  for (const [name, node] of bindPattern(pattern, matching[0])) values.set(name, node);
  return true;
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
  if (/Literal$/.test(node.type) && node.type !== "TemplateLiteral") return true;
  if (node.type === "UnaryExpression") return isData(node.argument);
  if (node.type === "ArrayExpression" || node.type === "ObjectExpression" || node.type === "ObjectProperty") return children(node).every((child) => isData(child) || child.type === "Identifier");
  return false;
}

function isPropertyName(node: Node, parent: Node | null): boolean {
  if (parent?.type === "MemberExpression" || parent?.type === "OptionalMemberExpression") return parent.property === node && !parent.computed;
  return parent?.type === "ObjectProperty" && parent.key === node && !parent.computed && !parent.shorthand;
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
  const plain = (text: string) => text.replace(/["'`]/g, "'").replace(/\s+/g, "").replace(/,(?=[\]})])/g, "");
  return plain(a) === plain(b);
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
    .replace(/,?\s*\n\s*([\])}])/g, "$1")
    .replace(/\s*\n\s*/g, " ")
    .trim();
}
