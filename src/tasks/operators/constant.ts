import type { Node } from "../syntax.ts";
import { inForUpdate, nodeOperator } from "./operator.ts";

const STEPS = [1, -1, 2, -2];

/** The start value of a `for` belongs to the loop-bound operator. */
function isLoopStart(ancestors: readonly Node[]): boolean {
  const [loop, , declarator] = ancestors.slice(-3);
  return loop?.type === "ForStatement" && declarator?.type === "VariableDeclarator";
}

function isName(node: Node, parent: Node): boolean {
  switch (parent.type) {
    case "ObjectProperty":
    case "ObjectMethod":
    case "ClassMethod":
    case "ClassProperty":
      return parent.key === node && !parent.computed;
    default:
      return parent.type.startsWith("TS");
  }
}

/** A number moved by one or two, or a boolean swapped: `slice(0, 3)` becomes `slice(1, 3)`. */
export const constant = nodeOperator("constant", (node, ancestors, source, propose) => {
  const parent = ancestors[ancestors.length - 1];
  if (node.type === "BooleanLiteral" && !isName(node, parent)) propose(node.start!, node.end!, String(!node.value));
  if (node.type !== "NumericLiteral" || isName(node, parent) || isLoopStart(ancestors) || inForUpdate(node, ancestors)) return;
  if (!/^\d+(\.\d+)?$/.test(source.slice(node.start!, node.end!))) return;
  for (const step of STEPS) {
    // Keeps 0.1 + 1 at one decimal instead of 1.1 with rounding noise.
    const value = Number((node.value + step).toPrecision(12));
    // "- -1" and "--1" read badly or do not parse.
    if (value < 0 && (parent.type === "UnaryExpression" || parent.type === "BinaryExpression")) continue;
    if (value === 0 && parent.type === "UnaryExpression") continue;
    // x / 0 and x % 0 are not what anyone writes.
    if (value === 0 && parent.type === "BinaryExpression" && parent.right === node && /^[/%]$/.test(parent.operator)) continue;
    propose(node.start!, node.end!, String(value));
  }
});
