const FREE_FROM = 5000;

/** Shipping price by weight in grams. */
export function weightPrice(grams) {
  if (grams <= 500) return 299;
  if (grams <= 2000) return 499;
  const extra = Math.ceil((grams - 2000) / 1000);
  return 499 + extra * 150;
}

/** Shipping price of an order; large orders ship for free. */
export function shippingPrice(total, grams, express) {
  if (express) return weightPrice(grams) * 2;
  if (total >= FREE_FROM) return 0;
  return weightPrice(grams);
}

/** Cents that are missing for free shipping. */
export function missingForFree(total) {
  return Math.max(0, FREE_FROM - total);
}

/** Packs weights in order into parcels of a limited weight. */
export function packParcels(weights, limit) {
  const parcels = [];
  let load = limit;
  for (const weight of weights) {
    if (weight > limit) throw new RangeError('too heavy: ' + weight);
    if (load + weight > limit) {
      parcels.push([]);
      load = 0;
    }
    parcels.at(-1).push(weight);
    load += weight;
  }
  return parcels;
}
