import { nodeOperator, tokenRange } from "./operator.ts";

const CHANGES: Record<string, string> = {
  "&&": "||", "||": "&&", "??": "||", "&&=": "||=", "||=": "&&=", "??=": "||=",
};

/** Another logical operator: `a && b` becomes `a || b`; `a ?? b` becomes `a || b`, which differs for 0 and "". */
export const logical = nodeOperator("logical", (node, _ancestors, source, propose) => {
  if (node.type !== "LogicalExpression" && node.type !== "AssignmentExpression") return;
  if (!(node.operator in CHANGES)) return;
  const range = tokenRange(source, node.left, node.right, node.operator);
  if (range) propose(...range, CHANGES[node.operator]);
});
