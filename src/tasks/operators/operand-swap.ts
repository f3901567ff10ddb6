import type { Node } from "../syntax.ts";
import { nodeOperator } from "./operator.ts";

const ORDERED = new Set(["-", "/", "%", "**"]);
const COMPOUND = new Set([
  "BinaryExpression", "LogicalExpression", "ConditionalExpression", "AssignmentExpression", "ArrowFunctionExpression",
  "UnaryExpression", "UpdateExpression", "AwaitExpression", "YieldExpression", "SequenceExpression",
]);

/** The two sides of an operator that is not commutative change places: `a - b` becomes `b - a`. */
export const operandSwap = nodeOperator("operand-swap", (node, _ancestors, source, propose) => {
  if (node.type !== "BinaryExpression" || !ORDERED.has(node.operator)) return;
  const left = outer(node.left, source);
  const right = outer(node.right, source);
  // An operand with operators of its own would need parentheses to stay one operand.
  if (!left || !right) return;
  const [first, second] = [source.slice(...left), source.slice(...right)];
  if (first !== second) propose(left[0], right[1], second + source.slice(left[1], right[0]) + first);
});

/** Range of an operand with its parentheses; null where it is not safe to move. */
function outer(node: Node, source: string): [number, number] | null {
  if (node.extra?.parenthesized !== true) return COMPOUND.has(node.type) ? null : [node.start!, node.end!];
  const start = node.extra.parenStart as number;
  const opened = source.slice(start, node.start!).replace(/[^(]/g, "").length;
  const close = new RegExp(`^(\\s*\\)){${opened}}`).exec(source.slice(node.end!));
  return close ? [start, node.end! + close[0].length] : null;
}
