/** Splits text into words at runs of spaces. */
export function splitWords(text) {
  const words = [];
  for (const part of text.split(' ')) {
    if (part !== '') words.push(part);
  }
  return words;
}

/** Cuts a word into pieces of at most width characters. */
export function breakWord(word, width) {
  if (width < 1) throw new RangeError('width must be at least 1');
  const pieces = [];
  for (let i = 0; i < word.length; i += width) {
    pieces.push(word.slice(i, i + width));
  }
  return pieces;
}

/** Tells whether a word still fits on a line after one space. */
export function fitsOnLine(line, word, width) {
  if (line === '') return word.length <= width;
  return line.length + 1 + word.length <= width;
}

/** Wraps text greedily into lines of at most width characters. */
export function wrapText(text, width) {
  const lines = [];
  let line = '';
  for (const word of splitWords(text)) {
    for (const piece of breakWord(word, width)) {
      if (fitsOnLine(line, piece, width)) {
        line = line === '' ? piece : line + ' ' + piece;
      } else {
        lines.push(line);
        line = piece;
      }
    }
  }
  if (line !== '') lines.push(line);
  return lines;
}

/** Wraps each line of a text on its own and keeps empty lines. */
export function wrapParagraphs(text, width) {
  const lines = [];
  for (const paragraph of text.split('\n')) {
    const wrapped = wrapText(paragraph, width);
    if (wrapped.length === 0) lines.push('');
    for (const line of wrapped) lines.push(line);
  }
  return lines;
}
