/** Adds fill characters on the left until the text is width long. */
export function alignRight(text, width, fill = ' ') {
  let result = text;
  while (result.length < width) {
    result = fill + result;
  }
  return result;
}

/** Adds fill characters on the right until the text is width long. */
export function alignLeft(text, width, fill = ' ') {
  let result = text;
  while (result.length < width) {
    result = result + fill;
  }
  return result;
}

/** Puts text in the middle; an odd space goes to the right. */
export function alignCenter(text, width, fill = ' ') {
  const spare = width - text.length;
  if (spare <= 0) return text;
  const left = Math.floor(spare / 2);
  const right = spare - left;
  return fill.repeat(left) + text + fill.repeat(right);
}

/** Aligns text by the name of a side: left, right or center. */
export function alignText(text, width, side) {
  if (side === 'left') return alignLeft(text, width);
  if (side === 'right') return alignRight(text, width);
  if (side === 'center') return alignCenter(text, width);
  throw new Error('unknown side: ' + side);
}

/** Cuts text to width; the last three places become dots. */
export function shorten(text, width) {
  if (text.length <= width) return text;
  if (width <= 3) return '.'.repeat(width);
  return text.slice(0, width - 3) + '...';
}
