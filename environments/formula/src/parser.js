import { Reader } from './reader.js';
import { tokenize } from './tokens.js';
import { parseAtom } from './atom.js';

const LEVELS = [['==', '!='], ['<', '<=', '>', '>='], ['+', '-'],
  ['*', '/', '%']];

/** Reads a choice between two values, or a plain value. */
function parseChoice(reader) {
  const test = parseLevel(reader, 0);
  if (reader.accept('?') === null) return test;
  const yes = parseChoice(reader);
  reader.expect(':');
  return { kind: 'choice', test, yes, no: parseChoice(reader) };
}

/** Reads pairs of one level; pairs of higher levels bind tighter. */
function parseLevel(reader, level) {
  if (level === LEVELS.length) return parseSigned(reader);
  let left = parseLevel(reader, level + 1);
  let sign = reader.accept(...LEVELS[level]);
  while (sign !== null) {
    const right = parseLevel(reader, level + 1);
    left = { kind: 'pair', sign, left, right };
    sign = reader.accept(...LEVELS[level]);
  }
  return left;
}

/** Reads a value that may have minus signs before it. */
function parseSigned(reader) {
  if (reader.accept('-') === null) return parsePower(reader);
  return { kind: 'negative', value: parseSigned(reader) };
}

/** Reads a value and its power; powers group to the right. */
function parsePower(reader) {
  const left = parseAtom(reader, parseChoice);
  if (reader.accept('^') === null) return left;
  return { kind: 'pair', sign: '^', left, right: parseSigned(reader) };
}

/** Reads a formula into a tree. */
export function parse(text) {
  const reader = new Reader(tokenize(text));
  const tree = parseChoice(reader);
  if (!reader.atEnd()) {
    throw new SyntaxError('unexpected ' + reader.peek());
  }
  return tree;
}
