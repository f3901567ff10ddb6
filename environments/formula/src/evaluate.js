import { FUNCTIONS } from './functions.js';
import { parse } from './parser.js';

/** Joins two numbers by a sign; comparisons give 1 or 0. */
export function applySign(sign, left, right) {
  if (sign === '+') return left + right;
  if (sign === '-') return left - right;
  if (sign === '*') return left * right;
  if (sign === '^') return left ** right;
  if (sign === '<') return Number(left < right);
  if (sign === '<=') return Number(left <= right);
  if (sign === '>') return Number(left > right);
  if (sign === '>=') return Number(left >= right);
  if (sign === '==') return Number(left === right);
  if (sign === '!=') return Number(left !== right);
  if (right === 0) throw new RangeError('division by zero');
  return sign === '%' ? left % right : left / right;
}

/** Calls a function by its name after checking the inputs. */
export function callFunction(name, inputs) {
  if (!Object.hasOwn(FUNCTIONS, name)) {
    throw new ReferenceError('unknown function ' + name);
  }
  const known = FUNCTIONS[name];
  if (known.inputs !== null && known.inputs !== inputs.length) {
    throw new TypeError(name + ' takes ' + known.inputs + ' inputs');
  }
  return known.run(...inputs);
}

/** Value of a tree; names get their values from the scope. */
export function evaluateTree(tree, scope) {
  if (tree.kind === 'number') return tree.value;
  if (tree.kind === 'negative') return -evaluateTree(tree.value, scope);
  if (tree.kind === 'choice') {
    const test = evaluateTree(tree.test, scope);
    return evaluateTree(test !== 0 ? tree.yes : tree.no, scope);
  }
  if (tree.kind === 'call') {
    const inputs = tree.inputs.map((input) => evaluateTree(input, scope));
    return callFunction(tree.name, inputs);
  }
  if (tree.kind === 'pair') {
    const left = evaluateTree(tree.left, scope);
    return applySign(tree.sign, left, evaluateTree(tree.right, scope));
  }
  if (Object.hasOwn(scope, tree.name)) return scope[tree.name];
  throw new ReferenceError('unknown name ' + tree.name);
}

/** Value of a formula. */
export function evaluate(text, scope = {}) {
  return evaluateTree(parse(text), scope);
}
