import { percentOf } from './money.js';

/** Percent off for a number of pieces, by the highest step reached. */
export function volumePercent(pieces, steps) {
  let percent = 0;
  for (const step of steps) {
    if (pieces >= step.from) percent = Math.max(percent, step.percent);
  }
  return percent;
}

/** Price of pieces when each full group has one for free. */
export function oneFreePrice(pieces, price, group) {
  const free = Math.floor(pieces / group);
  return (pieces - free) * price;
}

/** Price of pieces when a bundle has its own price. */
export function bundlePrice(pieces, price, bundle) {
  const bundles = Math.floor(pieces / bundle.size);
  const single = pieces % bundle.size;
  return bundles * bundle.price + single * price;
}

/** Takes percent off an amount. */
export function percentOff(cents, percent) {
  return cents - percentOf(cents, percent);
}

/** Takes a coupon off an amount, which never gets negative. */
export function applyCoupon(cents, coupon) {
  if (cents < coupon.minimum) return cents;
  if (coupon.kind === 'percent') return percentOff(cents, coupon.value);
  return Math.max(0, cents - coupon.value);
}

/** The coupon that leaves the smallest amount, or null. */
export function bestCoupon(cents, coupons) {
  let best = null;
  let lowest = cents;
  for (const coupon of coupons) {
    const left = applyCoupon(cents, coupon);
    if (left < lowest) {
      lowest = left;
      best = coupon;
    }
  }
  return best;
}
