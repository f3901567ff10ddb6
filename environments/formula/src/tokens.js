import { isDigit, isNamePart, isNameStart, scanWhile } from './letters.js';

const SIGNS = ['<=', '>=', '==', '!=', '+', '-', '*', '/', '%', '^',
  '(', ')', ',', '<', '>', '?', ':'];

/** The longest sign at a place in a text, or null. */
export function signAt(text, start) {
  for (const sign of SIGNS) {
    if (text.startsWith(sign, start)) return sign;
  }
  return null;
}

/** End of the number that starts at a place. */
export function numberEnd(text, start) {
  const whole = scanWhile(text, start, isDigit);
  if (text[whole] !== '.') return whole;
  const end = scanWhile(text, whole + 1, isDigit);
  if (end === whole + 1) throw new SyntaxError('digit missing at ' + end);
  return end;
}

/** The token at a place: { kind, text, start }. */
export function tokenAt(text, start) {
  if (isDigit(text[start])) {
    const end = numberEnd(text, start);
    return { kind: 'number', text: text.slice(start, end), start };
  }
  if (isNameStart(text[start])) {
    const end = scanWhile(text, start, isNamePart);
    return { kind: 'name', text: text.slice(start, end), start };
  }
  const sign = signAt(text, start);
  if (sign !== null) return { kind: 'sign', text: sign, start };
  throw new SyntaxError('unexpected ' + text[start] + ' at ' + start);
}

/** Cuts a formula into tokens; spaces separate and vanish. */
export function tokenize(text) {
  const tokens = [];
  let at = scanWhile(text, 0, (char) => char === ' ');
  while (at < text.length) {
    const token = tokenAt(text, at);
    tokens.push(token);
    const end = at + token.text.length;
    at = scanWhile(text, end, (char) => char === ' ');
  }
  return tokens;
}
