/** What was typed: a formula, a number, a text or nothing. */
export function contentKind(typed) {
  if (typed === '') return 'empty';
  if (typed.startsWith('=')) return 'formula';
  return Number.isNaN(Number(typed)) ? 'text' : 'number';
}

/** Value of a cell without a formula; empty cells count as 0. */
export function plainValue(typed) {
  const kind = contentKind(typed);
  if (kind === 'empty') return 0;
  return kind === 'number' ? Number(typed) : typed;
}

/** Keeps the numbers of a list of values. */
export function onlyNumbers(values) {
  return values.filter((value) => typeof value === 'number');
}

/** Shows a value with a fixed number of places after the dot. */
export function showValue(value, places = 0) {
  if (typeof value !== 'number') return value;
  const scaled = Math.round(value * 10 ** places);
  const digits = String(Math.abs(scaled)).padStart(places + 1, '0');
  const cut = digits.length - places;
  const sign = scaled < 0 ? '-' : '';
  if (places === 0) return sign + digits;
  return sign + digits.slice(0, cut) + '.' + digits.slice(cut);
}
