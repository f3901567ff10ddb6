import { percentOf } from './money.js';

const RATES = { food: 5, book: 7, other: 20 };

/** Tax rate in percent of a kind of product. */
export function taxRate(kind) {
  return RATES[kind] ?? RATES.other;
}

/** Tax on top of a net amount. */
export function addTax(net, kind) {
  return net + percentOf(net, taxRate(kind));
}

/** Net part of an amount that has its tax inside, rounded down. */
export function withoutTax(gross, kind) {
  return Math.floor((gross * 100) / (100 + taxRate(kind)));
}

/** Sums the tax of lines { net, kind } by kind. */
export function taxByKind(lines) {
  const sums = {};
  for (const line of lines) {
    const tax = percentOf(line.net, taxRate(line.kind));
    sums[line.kind] = (sums[line.kind] ?? 0) + tax;
  }
  return sums;
}
