/** Splits "12.5km" into its number text and its unit text. */
export function splitMeasure(text) {
  const trimmed = text.trim();
  let cut = 0;
  while (cut < trimmed.length && '0123456789.-'.includes(trimmed[cut])) {
    cut += 1;
  }
  return [trimmed.slice(0, cut), trimmed.slice(cut).trim()];
}

/** Reads a decimal number with at most one dot. */
export function scanNumber(text) {
  const number = Number(text);
  if (text === '' || Number.isNaN(number)) {
    throw new SyntaxError('bad number: ' + text);
  }
  return number;
}

/** Reads a fraction such as "3/4" or a plain number. */
export function scanFraction(text) {
  const slash = text.indexOf('/');
  if (slash < 0) return scanNumber(text);
  const above = scanNumber(text.slice(0, slash));
  const below = scanNumber(text.slice(slash + 1));
  if (below === 0) throw new RangeError('fraction over zero');
  return above / below;
}

/** Cuts a text before each number that follows a letter. */
export function splitParts(text) {
  const parts = [];
  let part = '';
  let inUnit = false;
  for (const char of text) {
    const numeric = '0123456789.-'.includes(char);
    if (numeric && inUnit) {
      parts.push(part.trim());
      part = '';
      inUnit = false;
    }
    if (!numeric && char !== ' ') inUnit = true;
    part += char;
  }
  if (part.trim() !== '') parts.push(part.trim());
  return parts;
}
