/** What a mutation operator is: a rule that proposes single-line bugs in one module. */
import type { File, Node } from "../syntax.ts";
import { walkFunctions } from "../syntax.ts";
import type { Hunk } from "../types.ts";

export interface Operator {
  name: string;
  /** Every edit this rule can make inside the functions of a module, in source order; each alone is one bug. */
  apply(ast: File, source: string, file: string): Hunk[];
}

/** Proposes an edit: the text at [start, end) of the module becomes `text`. */
export type Propose = (start: number, end: number, text: string) => void;

/** An operator that looks at one node at a time. Edits over several lines are left out. */
export function nodeOperator(
  name: string,
  look: (node: Node, ancestors: readonly Node[], source: string, propose: Propose) => void,
): Operator {
  return {
    name,
    apply(ast, source, file) {
      const hunks: Hunk[] = [];
      walkFunctions(ast, (node, ancestors) => {
        look(node, ancestors, source, (start, end, text) => {
          if (!source.slice(start, end).includes("\n")) hunks.push({ file, start, end, text, operator: name });
        });
      });
      return hunks.toSorted((a, b) => a.start - b.start || a.end - b.end);
    },
  };
}

/** Start and end of the operator's own characters between two operands. */
export function tokenRange(source: string, left: Node, right: Node, token: string): [number, number] | null {
  const at = source.slice(left.end!, right.start!).indexOf(token);
  return at < 0 ? null : [left.end! + at, left.end! + at + token.length];
}

const LOOPS = new Set(["ForStatement", "WhileStatement", "DoWhileStatement"]);

/** True where `node` is the whole test of a loop: those bounds belong to the loop-bound operator. */
export function isLoopTest(node: Node, ancestors: readonly Node[]): boolean {
  const parent = ancestors[ancestors.length - 1];
  return LOOPS.has(parent.type) && (parent as { test?: Node | null }).test === node;
}

/** True inside the update part of a `for`: changing it mostly makes a loop that never ends. */
export function inForUpdate(node: Node, ancestors: readonly Node[]): boolean {
  const path = [...ancestors, node];
  return path.some((step, i) => i > 0 && path[i - 1].type === "ForStatement" && (path[i - 1] as { update?: unknown }).update === step);
}
