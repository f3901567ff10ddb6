/** Splits text into lines; an empty text has no lines. */
export function splitLines(text) {
  if (text === '') return [];
  return text.split('\n');
}

/** Length of the longest line, or 0 when there is none. */
export function longestLine(lines) {
  let longest = 0;
  for (const line of lines) {
    longest = Math.max(longest, line.length);
  }
  return longest;
}

/** Column after the next tab stop. */
export function nextStop(column, size) {
  return column + size - (column % size);
}

/** Replaces each tab by spaces up to the next tab stop. */
export function expandTabs(line, size) {
  if (size < 1) throw new RangeError('tab size must be at least 1');
  let result = '';
  for (const letter of line) {
    if (letter === '\t') {
      const stop = nextStop(result.length, size);
      result += ' '.repeat(stop - result.length);
    } else {
      result += letter;
    }
  }
  return result;
}

/** Counts the lines that hold something other than spaces. */
export function countFilled(lines) {
  let filled = 0;
  for (const line of lines) {
    if (line.trim() !== '') filled += 1;
  }
  return filled;
}
