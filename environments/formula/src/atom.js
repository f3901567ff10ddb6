/** Reads the inputs of a call up to the closing bracket. */
export function parseInputs(reader, parseInner) {
  const inputs = [];
  if (reader.accept(')') !== null) return inputs;
  inputs.push(parseInner(reader));
  while (reader.accept(',') !== null) {
    inputs.push(parseInner(reader));
  }
  reader.expect(')');
  return inputs;
}

/** Reads a number, a name, a call or a value in brackets. */
export function parseAtom(reader, parseInner) {
  const { kind, text } = reader.next();
  if (text === '(') {
    const inner = parseInner(reader);
    reader.expect(')');
    return inner;
  }
  if (kind === 'number') return { kind, value: Number(text) };
  if (kind !== 'name') throw new SyntaxError('unexpected ' + text);
  if (reader.accept('(') === null) return { kind, name: text };
  return { kind: 'call', name: text, inputs: parseInputs(reader, parseInner) };
}
