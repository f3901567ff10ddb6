/** Tells whether a character is a digit. */
export function isDigit(char) {
  return char >= '0' && char <= '9';
}

/** Tells whether a character may start a name. */
export function isNameStart(char) {
  if (char === '_') return true;
  const lower = char.toLowerCase();
  return lower >= 'a' && lower <= 'z';
}

/** Tells whether a character may go on in a name. */
export function isNamePart(char) {
  return isNameStart(char) || isDigit(char);
}

/** First place from a start on where a test no longer holds. */
export function scanWhile(text, start, holds) {
  let end = start;
  while (end < text.length && holds(text[end])) end += 1;
  return end;
}
