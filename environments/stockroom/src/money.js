/** Checks that an amount is a whole number of cents. */
export function checkCents(cents) {
  if (!Number.isInteger(cents)) {
    throw new TypeError('not a whole number of cents: ' + cents);
  }
  return cents;
}

/** Part of an amount in percent, rounded half up to a cent. */
export function percentOf(cents, percent) {
  return Math.floor((cents * percent + 50) / 100);
}

/** Shares an amount evenly; the first shares get the odd cents. */
export function shareCents(cents, people) {
  const base = Math.floor(cents / people);
  const odd = cents % people;
  const shares = [];
  for (let i = 0; i < people; i++) {
    shares.push(i < odd ? base + 1 : base);
  }
  return shares;
}

/** Writes an amount such as $12.05. */
export function formatCents(cents) {
  const sign = cents < 0 ? '-' : '';
  const positive = Math.abs(cents);
  const dollars = Math.floor(positive / 100);
  const rest = positive % 100;
  const digits = rest < 10 ? '0' + rest : String(rest);
  return sign + '$' + dollars + '.' + digits;
}

/** Rounds an amount up to the next price that ends in 99 cents. */
export function charmPrice(cents) {
  const rest = (cents + 1) % 100;
  if (rest === 0) return cents;
  return cents + 100 - rest;
}
