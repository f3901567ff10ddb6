import { isLoopTest, nodeOperator, tokenRange } from "./operator.ts";

const OFF_BY_ONE: Record<string, string> = { "<": "<=", "<=": "<", ">": ">=", ">=": ">" };

/** A loop that runs once too often or too seldom: another bound, another start value, or a limit moved by one. */
export const loopBound = nodeOperator("loop-bound", (node, ancestors, source, propose) => {
  if (node.type === "BinaryExpression" && node.operator in OFF_BY_ONE && isLoopTest(node, ancestors)) {
    const range = tokenRange(source, node.left, node.right, node.operator);
    if (range) propose(...range, OFF_BY_ONE[node.operator]);
    const limit = node.right;
    if (limit.type === "Identifier" || limit.type === "MemberExpression") {
      const text = source.slice(limit.start!, limit.end!);
      if (node.operator === "<" || node.operator === "<=") propose(limit.start!, limit.end!, `${text} - 1`);
    }
  }
  if (node.type === "ForStatement" && node.init?.type === "VariableDeclaration") {
    for (const { init } of node.init.declarations) {
      if (init?.type === "NumericLiteral") {
        propose(init.start!, init.end!, String(init.value + 1));
        if (init.value > 0) propose(init.start!, init.end!, String(init.value - 1));
      } else if (init?.type === "BinaryExpression" && init.operator === "-" && init.right.type === "NumericLiteral" && init.right.value === 1) {
        // `i = n - 1` starts one too far.
        propose(init.left.end!, init.end!, "");
      }
    }
  }
});
