/** Number of spaces at the start of a line. */
export function leadingSpaces(line) {
  let count = 0;
  while (count < line.length && line[count] === ' ') {
    count += 1;
  }
  return count;
}

/** Puts spaces before every line that is not empty. */
export function indentLines(lines, amount) {
  const result = [];
  for (const line of lines) {
    if (line === '') result.push('');
    else result.push(' '.repeat(amount) + line);
  }
  return result;
}

/** Smallest indent of the lines that are not blank. */
export function commonIndent(lines) {
  let smallest = -1;
  for (const line of lines) {
    if (line.trim() === '') continue;
    const spaces = leadingSpaces(line);
    if (smallest < 0 || spaces < smallest) smallest = spaces;
  }
  return Math.max(smallest, 0);
}

/** Takes the common indent away from every line. */
export function dedentLines(lines) {
  const indent = commonIndent(lines);
  const result = [];
  for (const line of lines) {
    result.push(line.slice(indent));
  }
  return result;
}
