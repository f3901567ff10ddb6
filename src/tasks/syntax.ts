/** The syntax tree of one module, and walking over it. */
import { parse } from "@babel/parser";
import type { File, Node } from "@babel/types";

export type { File, Node };

/** Parses JavaScript or TypeScript. Throws SyntaxError with the file and position in its message. */
export function parseModule(source: string, file: string): File {
  try {
    return parse(source, {
      sourceType: "unambiguous",
      allowReturnOutsideFunction: true,
      plugins: /\.[cm]?ts$/.test(file) ? ["typescript"] : [],
    });
  } catch (error) {
    throw new SyntaxError(`${file}: ${(error as Error).message}`);
  }
}

/** Fields of a node that are neither children nor meaning. */
export const POSITION_FIELDS = new Set([
  "type", "start", "end", "loc", "range", "extra", "leadingComments", "innerComments", "trailingComments", "comments", "errors", "tokens",
]);

/** Child nodes in the order of the tree's fields. */
export function children(node: Node): Node[] {
  const found: Node[] = [];
  for (const key of Object.keys(node)) {
    if (POSITION_FIELDS.has(key)) continue;
    const value = (node as unknown as Record<string, unknown>)[key];
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== null && typeof item === "object" && typeof (item as Node).type === "string") found.push(item as Node);
    }
  }
  return found;
}

/** Visits a node and everything below it, parents first; `ancestors` runs from the root to the parent. */
export function walk(root: Node, visit: (node: Node, ancestors: readonly Node[]) => void): void {
  const ancestors: Node[] = [];
  const step = (node: Node) => {
    visit(node, ancestors);
    ancestors.push(node);
    for (const child of children(node)) step(child);
    ancestors.pop();
  };
  step(root);
}

export function isFunction(node: Node): boolean {
  switch (node.type) {
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
    case "ObjectMethod":
    case "ClassMethod":
    case "ClassPrivateMethod":
      return true;
    default:
      return false;
  }
}

/** Like `walk`, over nodes that lie inside a function's parameters or body. */
export function walkFunctions(root: Node, visit: (node: Node, ancestors: readonly Node[]) => void): void {
  walk(root, (node, ancestors) => {
    if (ancestors.some(isFunction)) visit(node, ancestors);
  });
}

/**
 * Name of the outermost function around a position, as a reader would say it: "wrap", "Stack.push", "handlers.add".
 * Null outside functions; "default" for an unnamed default export.
 */
export function functionNameAt(ast: File, offset: number): string | null {
  let found: string | null = null;
  walk(ast, (node, ancestors) => {
    if (found !== null || !isFunction(node) || node.start! > offset || offset >= node.end!) return;
    if (!ancestors.some(isFunction)) found = nameOf([...ancestors, node]);
  });
  return found;
}

function nameOf(path: readonly Node[]): string {
  const parts: string[] = [];
  for (const node of path) {
    switch (node.type) {
      case "FunctionDeclaration":
      case "ClassDeclaration":
      case "ClassExpression":
      case "FunctionExpression":
        if (node.id) parts.push(node.id.name);
        break;
      case "VariableDeclarator":
        if (node.id.type === "Identifier") parts.push(node.id.name);
        break;
      case "AssignmentExpression":
        parts.push(...memberNames(node.left));
        break;
      case "ObjectMethod":
      case "ClassMethod":
      case "ClassPrivateMethod":
      case "ObjectProperty":
      case "ClassProperty":
      case "ClassPrivateProperty":
        parts.push(...memberNames(node.key));
        break;
    }
  }
  return parts.length > 0 ? parts.join(".") : "default";
}

function memberNames(node: Node): string[] {
  if (node.type === "Identifier") return [node.name];
  if (node.type === "PrivateName") return [`#${node.id.name}`];
  if (node.type === "StringLiteral") return [node.value];
  if (node.type === "MemberExpression") {
    return [...memberNames(node.object), ...memberNames(node.property)].filter(
      (name) => !["module", "exports", "prototype"].includes(name),
    );
  }
  return [];
}

/** True for an identifier that only names a property, in `a.name` or `{ name: 1 }`. */
export function isPropertyName(node: Node, parent: Node | null): boolean {
  if (parent?.type === "MemberExpression" || parent?.type === "OptionalMemberExpression") return parent.property === node && !parent.computed;
  return parent?.type === "ObjectProperty" && parent.key === node && !parent.computed && !parent.shorthand;
}
