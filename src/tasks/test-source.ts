/** Finds the test cases of a test file in its source, so that single ones can be taken out or read. */
import { children, type File, isFunction, type Node, walk } from "./syntax.ts";

type Call = Extract<Node, { type: "CallExpression" }>;
type Kind = "test" | "suite";

/** One call that makes test cases: `test(…)`, `it(…)`, `t.test(…)`, or a call of a local function that calls those. */
export interface TestCall {
  node: Call;
  ancestors: readonly Node[];
  /** What the names of its cases look like, without the file: a regular expression, and whether it is one literal name. */
  pattern: string;
  literal: boolean;
  /** The title as written, the body, and, for a local function that makes the test, the arguments it was given by name. */
  title: Node | undefined;
  body: Node | undefined;
  given: ReadonlyMap<string, Node>;
}

const ANYTHING = "[\\s\\S]*";
const SEPARATOR = " > ";

/** Every test call of a file in source order; suites are not listed, they only give their titles to what is inside. */
export function testCalls(ast: File): TestCall[] {
  const names = importedNames(ast);
  const helpers = helperFunctions(ast, names);
  const found: TestCall[] = [];

  const scan = (node: Node, ancestors: readonly Node[], prefix: string, contexts: ReadonlySet<string>): void => {
    let inner = prefix;
    let innerContexts = contexts;
    if (node.type === "CallExpression") {
      const helper = node.callee.type === "Identifier" ? helpers.get(node.callee.name) : undefined;
      const kind = callKind(node, names, contexts);
      if (helper) {
        const given = new Map(helper.params.flatMap((name, i) => (node.arguments[i] ? [[name, node.arguments[i] as Node]] : [])));
        for (const made of helper.tests) {
          const title = made.arguments[0];
          add({ node, ancestors, title, body: made.arguments.find(isFunction), given }, prefix + titlePattern(title, given));
        }
      } else if (kind !== null) {
        inner = prefix + titlePattern(node.arguments[0]);
        const body = node.arguments.find(isFunction);
        if (kind === "test") add({ node, ancestors, title: node.arguments[0], body, given: new Map() }, inner);
        inner += escape(SEPARATOR);
        const context = (body as { params?: Node[] } | undefined)?.params?.[0];
        if (context?.type === "Identifier") innerContexts = new Set([...contexts, context.name]);
      }
    }
    // What a helper's body holds is counted where the helper is called.
    if (isFunction(node) && helperName(node, ancestors) !== null && helpers.has(helperName(node, ancestors)!)) return;
    const path = [...ancestors, node];
    for (const child of children(node)) scan(child, path, inner, innerContexts);
  };
  const add = (call: Omit<TestCall, "pattern" | "literal">, pattern: string) =>
    found.push({ ...call, pattern, literal: !pattern.includes(ANYTHING) });
  scan(ast.program, [], "", new Set());
  return found;
}

/**
 * The calls that make the case of this name (without the file). An exact title beats a title with unknown parts. The
 * number the sandbox adds to a repeated name does not tell which call it was, so all of that name are given.
 */
export function callsOf(calls: readonly TestCall[], name: string): TestCall[] {
  const matching = calls.filter((call) => new RegExp(`^${call.pattern}( \\(\\d+\\))?$`).test(name));
  const exact = matching.filter((call) => call.literal);
  return exact.length > 0 ? exact : matching;
}

/** Local names of node:test's functions. The default import and a namespace both are `test` and have all as members. */
function importedNames(ast: File): Map<string, Kind> {
  const names = new Map<string, Kind>();
  const bind = (local: string, name: string) => {
    if (["describe", "suite"].includes(name)) names.set(local, "suite");
    if (["test", "it", "default"].includes(name)) names.set(local, "test");
  };
  walk(ast.program, (node) => {
    if (node.type === "ImportDeclaration" && /^(node:)?test$/.test(node.source.value)) {
      for (const one of node.specifiers) {
        if (one.type !== "ImportSpecifier") bind(one.local.name, "default");
        else bind(one.local.name, one.imported.type === "Identifier" ? one.imported.name : one.imported.value);
      }
    }
    if (node.type === "VariableDeclarator" && node.init?.type === "CallExpression" && node.init.callee.type === "Identifier" && node.init.callee.name === "require") {
      const [module] = node.init.arguments;
      if (module?.type !== "StringLiteral" || !/^(node:)?test$/.test(module.value)) return;
      if (node.id.type === "Identifier") bind(node.id.name, "default");
      else if (node.id.type === "ObjectPattern") {
        for (const property of node.id.properties) {
          if (property.type === "ObjectProperty" && property.key.type === "Identifier" && property.value.type === "Identifier") {
            bind(property.value.name, property.key.name);
          }
        }
      }
    }
  });
  return names;
}

function callKind(node: Call, names: ReadonlyMap<string, Kind>, contexts: ReadonlySet<string>): Kind | null {
  const { callee } = node;
  if (callee.type === "Identifier") return names.get(callee.name) ?? null;
  if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier" || callee.property.type !== "Identifier") return null;
  const [object, property] = [callee.object.name, callee.property.name];
  const own = names.get(object) ?? null;
  if (own === null && !contexts.has(object)) return null;
  if (property === "test" || property === "it") return "test";
  if (property === "describe" || property === "suite") return "suite";
  return ["skip", "only", "todo"].includes(property) ? own : null;
}

interface Helper {
  params: string[];
  tests: Call[];
}

/** Local functions that make tests, e.g. `const check = (title, input, want) => test(title, …)`. */
function helperFunctions(ast: File, names: ReadonlyMap<string, Kind>): Map<string, Helper> {
  const helpers = new Map<string, Helper>();
  walk(ast.program, (node, ancestors) => {
    if (node.type !== "CallExpression" || callKind(node, names, new Set()) !== "test" || node.arguments.length === 0) return;
    const at = ancestors.findIndex((step, i) => isFunction(step) && helperName(step, ancestors.slice(0, i)) !== null);
    if (at < 0) return;
    const name = helperName(ancestors[at], ancestors.slice(0, at))!;
    const params = (ancestors[at] as { params: Node[] }).params.map((param) => (param.type === "Identifier" ? param.name : ""));
    const helper = helpers.get(name) ?? { params, tests: [] };
    helpers.set(name, helper);
    helper.tests.push(node);
  });
  return helpers;
}

function helperName(node: Node, ancestors: readonly Node[]): string | null {
  if (node.type === "FunctionDeclaration") return node.id?.name ?? null;
  const parent = ancestors[ancestors.length - 1];
  return parent?.type === "VariableDeclarator" && parent.init === node && parent.id.type === "Identifier" ? parent.id.name : null;
}

function titlePattern(title: Node | undefined, given: ReadonlyMap<string, Node> = new Map()): string {
  switch (title?.type) {
    case "StringLiteral":
      return escape(title.value);
    case "TemplateLiteral":
      return title.quasis
        .map((quasi, i) => escape(quasi.value.cooked ?? "") + (i < title.expressions.length ? titlePattern(title.expressions[i], given) : ""))
        .join("");
    case "BinaryExpression":
      return title.operator === "+" ? titlePattern(title.left, given) + titlePattern(title.right, given) : ANYTHING;
    case "Identifier":
      return given.has(title.name) ? titlePattern(given.get(title.name)) : ANYTHING;
    case "FunctionExpression":
      return title.id ? escape(title.id.name) : ANYTHING;
    default:
      return ANYTHING;
  }
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
