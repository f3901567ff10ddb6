/** Codes whose count is below their minimum, as given. */
export function lowCodes(stock, minimums) {
  const low = [];
  for (const [code, minimum] of Object.entries(minimums)) {
    if (stock.count(code) < minimum) low.push(code);
  }
  return low;
}

/** Pieces to order, in full packs, to reach at least a target. */
export function orderSize(count, target, pack) {
  const missing = target - count;
  if (missing <= 0) return 0;
  return Math.ceil(missing / pack) * pack;
}

/** Full days that a stock lasts; null when nothing is sold. */
export function daysOfStock(count, soldPerDay) {
  if (soldPerDay === 0) return null;
  return Math.floor(count / soldPerDay);
}

/** Average number of pieces sold per day, rounded down. */
export function averageSales(sales) {
  if (sales.length === 0) return 0;
  let total = 0;
  for (const pieces of sales) total += pieces;
  return Math.floor(total / sales.length);
}

/** Tells whether stock runs out before a delivery arrives. */
export function isUrgent(count, soldPerDay, deliveryDays) {
  const days = daysOfStock(count, soldPerDay);
  if (days === null) return false;
  return days < deliveryDays;
}
