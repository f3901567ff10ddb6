import { onlyNumbers } from './content.js';

/** Adds up the numbers; texts do not count. */
export function addUp(values) {
  let total = 0;
  for (const value of onlyNumbers(values)) total += value;
  return total;
}

/** Mean of the numbers. */
export function meanOf(values) {
  const numbers = onlyNumbers(values);
  if (numbers.length === 0) throw new Error('no numbers');
  return addUp(numbers) / numbers.length;
}

/** Largest minus smallest number, 0 when there are none. */
export function spreadOf(values) {
  const numbers = onlyNumbers(values);
  if (numbers.length === 0) return 0;
  return Math.max(...numbers) - Math.min(...numbers);
}

/** How many numbers are at least a limit. */
export function countFrom(values, limit) {
  let count = 0;
  for (const number of onlyNumbers(values)) {
    if (number >= limit) count += 1;
  }
  return count;
}

/** Summaries that a formula can name. */
const SUMMARIES = {
  SUM: addUp,
  AVG: meanOf,
  SPREAD: spreadOf,
  COUNT: (values) => onlyNumbers(values).length,
};

/** Runs a summary by its name. */
export function summarize(name, values) {
  const run = SUMMARIES[name];
  if (run === undefined) throw new Error('no summary ' + name);
  return run(values);
}
