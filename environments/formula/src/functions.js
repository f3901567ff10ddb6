/** Largest common divisor of two whole numbers. */
export function gcd(a, b) {
  let large = Math.abs(a);
  let small = Math.abs(b);
  while (small > 0) {
    [large, small] = [small, large % small];
  }
  return large;
}

/** Product of the whole numbers from 1 to n. */
export function factorial(n) {
  if (n < 0) throw new RangeError('factorial of a negative number');
  let product = 1;
  for (let i = 2; i <= n; i++) product *= i;
  return product;
}

/** Sum of all inputs. */
export function sum(...values) {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** Middle of the sorted inputs, or the mean of the middle two. */
export function median(...values) {
  const sorted = values.sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  if (sorted.length % 2 === 1) return sorted[half];
  return (sorted[half - 1] + sorted[half]) / 2;
}

/** Brings a value between two limits. */
export function clamp(value, low, high) {
  if (value < low) return low;
  if (value > high) return high;
  return value;
}

/** Functions that formulas may call, with their number of inputs. */
export const FUNCTIONS = {
  gcd: { run: gcd, inputs: 2 },
  fact: { run: factorial, inputs: 1 },
  clamp: { run: clamp, inputs: 3 },
  sum: { run: sum, inputs: null },
  median: { run: median, inputs: null },
  max: { run: Math.max, inputs: null },
};
