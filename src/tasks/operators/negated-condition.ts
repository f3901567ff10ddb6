import type { Node } from "../syntax.ts";
import { nodeOperator } from "./operator.ts";

const SIMPLE = new Set(["Identifier", "MemberExpression", "OptionalMemberExpression", "CallExpression", "OptionalCallExpression", "ThisExpression"]);
const COMPARISONS = new Set(["<", "<=", ">", ">=", "==", "!=", "===", "!=="]);

/** The condition of an `if` or of `a ? b : c` turned round, or a `!` dropped elsewhere: `if (done)` becomes `if (!done)`. */
export const negatedCondition = nodeOperator("negated-condition", (node, ancestors, source, propose) => {
  if (node.type === "UnaryExpression" && node.operator === "!") {
    // "!!x" with one mark less is a negation too; dropping the inner one would be the same edit.
    const parent = ancestors[ancestors.length - 1];
    const inner = parent.type === "UnaryExpression" && parent.operator === "!";
    if (!inner) propose(node.start!, node.start! + 1, "");
    return;
  }
  if (node.type !== "IfStatement" && node.type !== "ConditionalExpression") return;
  const test: Node = node.test;
  if (test.type === "UnaryExpression" && test.operator === "!") return;
  // A negated comparison is another comparison: that operator's work.
  if (test.type === "BinaryExpression" && COMPARISONS.has(test.operator)) return;
  const text = source.slice(test.start!, test.end!);
  propose(test.start!, test.end!, SIMPLE.has(test.type) ? `!${text}` : `!(${text})`);
});
