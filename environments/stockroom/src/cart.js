import { checkCents } from './money.js';

/** A cart is a list of lines { code, price, pieces }. */
export function addLine(cart, code, price, pieces = 1) {
  checkCents(price);
  const known = cart.find((line) => line.code === code);
  if (known === undefined) return [...cart, { code, price, pieces }];
  return cart.map((line) => {
    if (line !== known) return line;
    return { code, price, pieces: line.pieces + pieces };
  });
}

/** Sets the pieces of a line; 0 pieces remove it. */
export function changePieces(cart, code, pieces) {
  const changed = [];
  for (const line of cart) {
    if (line.code !== code) changed.push(line);
    else if (pieces > 0) changed.push({ ...line, pieces });
  }
  return changed;
}

/** Number of pieces in the cart. */
export function countPieces(cart) {
  let total = 0;
  for (const line of cart) total += line.pieces;
  return total;
}

/** Sum of price times pieces. */
export function cartTotal(cart) {
  let total = 0;
  for (const line of cart) {
    total += line.price * line.pieces;
  }
  return total;
}

/** The line with the highest price, the first of equals, or null. */
export function dearestLine(cart) {
  let dearest = null;
  for (const line of cart) {
    if (dearest === null || line.price > dearest.price) dearest = line;
  }
  return dearest;
}
