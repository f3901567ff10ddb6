import { applySign } from './evaluate.js';

/** Tells whether a tree is a number with a given value. */
export function isNumber(tree, value) {
  return tree.kind === 'number' && tree.value === value;
}

/** Drops additions of 0 and multiplications with 0 or 1. */
export function dropNeutral(tree) {
  const { sign, left, right } = tree;
  if (sign === '+' && isNumber(left, 0)) return right;
  if (sign === '+' && isNumber(right, 0)) return left;
  if (sign === '-' && isNumber(right, 0)) return left;
  if (sign === '*' && isNumber(left, 1)) return right;
  if (sign === '*' && isNumber(right, 1)) return left;
  if (sign === '*' && isNumber(left, 0)) return left;
  if (sign === '*' && isNumber(right, 0)) return right;
  return tree;
}

/** Computes pairs of numbers and drops what changes nothing. */
export function simplify(tree) {
  if (tree.kind !== 'pair') return tree;
  const left = simplify(tree.left);
  const right = simplify(tree.right);
  if (left.kind === 'number' && right.kind === 'number') {
    const value = applySign(tree.sign, left.value, right.value);
    return { kind: 'number', value };
  }
  return dropNeutral({ kind: 'pair', sign: tree.sign, left, right });
}
