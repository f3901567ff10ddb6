/** Walks over tokens from left to right. */
export class Reader {
  constructor(tokens) {
    this.tokens = tokens;
    this.index = 0;
  }

  /** Tells whether all tokens are read. */
  atEnd() {
    return this.index >= this.tokens.length;
  }

  /** Text of the next token, or an empty text at the end. */
  peek() {
    return this.atEnd() ? '' : this.tokens[this.index].text;
  }

  /** Reads the next token. */
  next() {
    if (this.atEnd()) throw new SyntaxError('unexpected end');
    const token = this.tokens[this.index];
    this.index += 1;
    return token;
  }

  /** Reads the next token if its text is one of the given ones. */
  accept(...texts) {
    if (this.atEnd() || !texts.includes(this.peek())) return null;
    return this.next().text;
  }

  /** Reads a token that has to be there. */
  expect(text) {
    if (this.peek() !== text) {
      const found = this.atEnd() ? 'end' : this.peek();
      throw new SyntaxError('expected ' + text + ' but found ' + found);
    }
    return this.next();
  }
}
