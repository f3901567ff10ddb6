import { isLoopTest, nodeOperator, tokenRange } from "./operator.ts";

// `a < b` to `b > a` would be the same program; each of these differs for some pair of values.
const CHANGES: Record<string, string[]> = {
  "<": ["<=", ">", ">="],
  "<=": ["<", ">=", ">"],
  ">": [">=", "<", "<="],
  ">=": [">", "<=", "<"],
  "===": ["!=="],
  "!==": ["==="],
  "==": ["!="],
  "!=": ["=="],
};

/** Another comparison operator: `a < b` becomes `a <= b`, `a > b` or `a >= b`. */
export const comparison = nodeOperator("comparison", (node, ancestors, source, propose) => {
  if (node.type !== "BinaryExpression" || !(node.operator in CHANGES) || isLoopTest(node, ancestors)) return;
  const range = tokenRange(source, node.left, node.right, node.operator);
  if (range) for (const other of CHANGES[node.operator]) propose(...range, other);
});
