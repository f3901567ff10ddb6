import { arithmetic } from "./arithmetic.ts";
import { comparison } from "./comparison.ts";
import { constant } from "./constant.ts";
import { logical } from "./logical.ts";
import { loopBound } from "./loop-bound.ts";
import { negatedCondition } from "./negated-condition.ts";
import { operandSwap } from "./operand-swap.ts";
import type { Operator } from "./operator.ts";

export const OPERATORS: readonly Operator[] = [
  comparison, arithmetic, logical, constant, negatedCondition, operandSwap, loopBound,
];
