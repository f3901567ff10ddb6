/** Cuts a text at a sign, but not inside brackets. */
export function cutOutside(text, sign) {
  const pieces = [];
  let depth = 0;
  let piece = '';
  for (const char of text) {
    if (char === '(') depth += 1;
    if (char === ')') depth -= 1;
    if (char === sign && depth === 0) {
      pieces.push(piece);
      piece = '';
    } else {
      piece += char;
    }
  }
  pieces.push(piece);
  return pieces;
}

/** Tells whether every bracket is closed in order. */
export function areBalanced(text) {
  let open = 0;
  for (const char of text) {
    if (char === '(') open += 1;
    if (char === ')') open -= 1;
    if (open < 0) return false;
  }
  return open === 0;
}

/** Name and inside of a call such as SUM(A1:A3), or null. */
export function readCall(text) {
  const open = text.indexOf('(');
  if (open < 1 || !text.endsWith(')')) return null;
  return { name: text.slice(0, open), inside: text.slice(open + 1, -1) };
}

/** Formula text without its equals sign and its spaces. */
export function formulaBody(typed) {
  return typed.slice(1).split(' ').join('');
}
