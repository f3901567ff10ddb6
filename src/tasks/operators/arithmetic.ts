import type { Node } from "../syntax.ts";
import { inForUpdate, nodeOperator, tokenRange } from "./operator.ts";

const CHANGES: Record<string, string[]> = {
  "+": ["-"],
  "-": ["+"],
  "*": ["+", "/"],
  "/": ["*"],
  "%": ["/", "*"],
  "**": ["*"],
  "+=": ["-="],
  "-=": ["+="],
  "*=": ["+=", "/="],
  "/=": ["*="],
  "%=": ["/="],
};

/** Text joined by "+" has no minus: such an edit gives NaN, which is no believable bug. */
function isText(node: Node): boolean {
  if (node.type === "BinaryExpression") return node.operator === "+" && (isText(node.left) || isText(node.right));
  return node.type === "StringLiteral" || node.type === "TemplateLiteral";
}

const isOne = (node: Node) => node.type === "NumericLiteral" && node.value === 1;

/** Another arithmetic operator, in expressions, augmented assignments and `++`/`--`: `a + b` becomes `a - b`. */
export const arithmetic = nodeOperator("arithmetic", (node, ancestors, source, propose) => {
  if (inForUpdate(node, ancestors)) return;
  if (node.type === "UpdateExpression") {
    const start = node.prefix ? node.start! : node.end! - 2;
    propose(start, start + 2, node.operator === "++" ? "--" : "++");
    return;
  }
  if (node.type !== "BinaryExpression" && node.type !== "AssignmentExpression") return;
  if (!(node.operator in CHANGES) || isText(node.left) || isText(node.right)) return;
  const range = tokenRange(source, node.left, node.right, node.operator);
  if (!range) return;
  for (const other of CHANGES[node.operator]) {
    // x * 1 and x / 1 are the same.
    if (isOne(node.right) && /^[*/]=?$/.test(node.operator) && /^[*/]=?$/.test(other)) continue;
    propose(...range, other);
  }
});
