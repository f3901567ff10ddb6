import { formatCents } from './money.js';
import { cartTotal } from './cart.js';

/** One line of a receipt with the amount on the right. */
export function receiptLine(label, cents, width) {
  const amount = formatCents(cents);
  const dots = width - label.length - amount.length;
  return label + '.'.repeat(Math.max(1, dots)) + amount;
}

/** All lines of a receipt; the total comes last. */
export function receiptLines(cart, width) {
  const lines = [];
  for (const line of cart) {
    const label = line.pieces + ' x ' + line.code;
    lines.push(receiptLine(label, line.price * line.pieces, width));
  }
  lines.push('='.repeat(width));
  lines.push(receiptLine('total', cartTotal(cart), width));
  return lines;
}

/** Coins and notes for an amount, largest first. */
export function makeChange(cents, values) {
  const change = [];
  let rest = cents;
  for (const value of values) {
    while (rest >= value) {
      change.push(value);
      rest -= value;
    }
  }
  if (rest > 0) throw new Error('cannot pay ' + rest);
  return change;
}
