import { cellNames, readArea } from './area.js';
import { areBalanced, cutOutside, formulaBody, readCall } from './pieces.js';
import { summarize } from './summary.js';

/** Value of a sum: pieces between plus signs. */
export function computeSum(text, look) {
  let total = 0;
  for (const piece of cutOutside(text, '+')) {
    total += computeDifference(piece, look);
  }
  return total;
}

/** Value of the first piece minus all later ones. */
export function computeDifference(text, look) {
  const [first, ...others] = cutOutside(text, '-');
  let value = first === '' ? 0 : computeProduct(first, look);
  for (const piece of others) {
    value -= computeProduct(piece, look);
  }
  return value;
}

/** Value of a product of factors. */
export function computeProduct(text, look) {
  let value = 1;
  for (const piece of cutOutside(text, '*')) {
    value *= computeFactor(piece, look);
  }
  return value;
}

/** Value of a number, a cell, a call or a part in brackets. */
export function computeFactor(text, look) {
  if (text === '') throw new Error('something is missing');
  if (!Number.isNaN(Number(text))) return Number(text);
  if (text.startsWith('(')) return computeSum(text.slice(1, -1), look);
  const call = readCall(text);
  if (call === null) return look(text);
  return summarize(call.name, cellNames(readArea(call.inside)).map(look));
}

/** Value of a typed formula; look gives the value of a cell. */
export function computeFormula(typed, look) {
  const body = formulaBody(typed);
  if (!areBalanced(body)) throw new Error('brackets do not match');
  return computeSum(body, look);
}
