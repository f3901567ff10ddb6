import { splitWords, wrapText } from './wrap.js';

/** Sum of the lengths of all words. */
export function totalLetters(words) {
  let total = 0;
  for (const word of words) total += word.length;
  return total;
}

/** Shares spaces among gaps; the first gaps get the extra ones. */
export function spreadSpaces(spaces, gaps) {
  const base = Math.floor(spaces / gaps);
  const extra = spaces % gaps;
  const sizes = [];
  for (let i = 0; i < gaps; i++) {
    sizes.push(i < extra ? base + 1 : base);
  }
  return sizes;
}

/** Stretches the gaps of one line until it is width long. */
export function justifyLine(line, width) {
  const words = splitWords(line);
  if (words.length < 2 || line.length >= width) return line;
  const spaces = width - totalLetters(words);
  const sizes = spreadSpaces(spaces, words.length - 1);
  let result = words[0];
  for (let i = 0; i < sizes.length; i++) {
    result += ' '.repeat(sizes[i]) + words[i + 1];
  }
  return result;
}

/** Wraps text and justifies every line but the last. */
export function justifyText(text, width) {
  const lines = wrapText(text, width);
  for (let i = 0; i < lines.length - 1; i++) {
    lines[i] = justifyLine(lines[i], width);
  }
  return lines;
}
