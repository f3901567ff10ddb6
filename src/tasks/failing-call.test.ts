import { describe, expect, it } from "vitest";
import { failingCall } from "./failing-call.ts";

const FILE = "test/a.test.js";

function read(body: string, name: string, actual?: string, expected?: string, error?: string) {
  const source = `import test from 'node:test';\nimport assert from 'node:assert/strict';\nimport { f, g } from '../src/a.js';\n${body}`;
  return failingCall({ [FILE]: source }, { name: `${FILE} > ${name}`, status: "fail", actual, expected, error });
}

describe("failingCall", () => {
  it("reads the assertion whose expected value was reported", () => {
    const body = "test('t', () => {\n  assert.equal(f(1), 2);\n  assert.deepEqual(f(\n    [1, 'a'],\n    2,\n  ), ['a',\n 3]);\n});";
    expect(read(body, "t", "3", "2")).toEqual({ call: "f(1)", actual: "3", expected: "2" });
    expect(read(body, "t", "[]", "[ 'a', 3 ]")).toEqual({ call: "f([1, 'a'], 2)", actual: "[]", expected: "['a', 3]" });
  });

  it("does not guess between assertions with the same expected value", () => {
    const body = "test('t', () => {\n  assert.equal(f(1), 2);\n  assert.equal(f(3), 2);\n});";
    expect(read(body, "t", "0", "2")).toBeNull();
    // The line tells them apart.
    const error = "Expected values to be strictly equal:\n\n0 !== 2\n    at <anonymous> (test/a.test.js:6:10)";
    expect(read(body, "t", "0", "2", error)).toEqual({ call: "f(3)", actual: "0", expected: "2" });
  });

  it("does not pass over an assertion it cannot read", () => {
    const body = "test('t', () => {\n  const s = g();\n  s.push(2);\n  assert.equal(f(1), 2);\n  assert.equal(s.pop(), 2);\n  assert.match(f(2), /x/);\n});";
    expect(read(body, "t", "0", "2")).toBeNull();
    expect(read(body, "t", "'y'", "/x/")).toBeNull();
  });

  it("tells by elimination where the expected value is no plain data", () => {
    const body = "test('t', () => {\n  assert.deepEqual(f(1), g(2, 3));\n  assert.equal(f(2), null);\n});";
    expect(read(body, "t", "null", "{ a: 2, b: 3 }")).toEqual({ call: "f(1)", actual: "null", expected: "{ a: 2, b: 3 }" });
    expect(read(body, "t", "undefined", "null")).toBeNull();
  });

  it("reads constants with one reader as what they were made from", () => {
    const body = "test('t', () => {\n  const low = 3;\n  const found = [1, 2].map((n) => f(g(low), n));\n  assert.deepEqual(found, [4, 5]);\n});";
    expect(read(body, "t", "[ 4, 4 ]", "[ 4, 5 ]")).toEqual({ call: "[1, 2].map((n) => f(g(3), n))", actual: "[4, 4]", expected: "[4, 5]" });
  });

  it("finds the row of a loop inside a test", () => {
    const body = "test('t', () => {\n  for (const [x, want] of [[1, 'a'], [2, 'b']]) assert.equal(f(x), want);\n});";
    expect(read(body, "t", "'c'", "'b'")).toEqual({ call: "f(2)", actual: "'c'", expected: "'b'" });
  });

  it("puts in the values of constants and of the table's row", () => {
    const body = `
const base = [5, 6];
for (const [input, want] of [[1, 2], [2, 3]]) {
  test(\`f of \${input}\`, () => {
    const step = { by: 1 };
    assert.equal(f(base, input, step), want);
  });
}`;
    expect(read(body, "f of 2", "4", "3")).toEqual({ call: "f([5, 6], 2, { by: 1 })", actual: "4", expected: "3" });
    const objects = "const cases = [{ name: 'small', x: 1, y: 2 }, { name: 'big', x: 8, y: 9 }];\ncases.forEach(({ name, x, y }) => test(name, () => assert.strictEqual(g({ x }), y)));";
    expect(read(objects, "big", "7", "9")).toEqual({ call: "g({ x: 8 })", actual: "7", expected: "9" });
    const helper = "const check = (title, input, want) => test(title, () => assert.equal(f(input), want));\ncheck('one', 1, 10);";
    expect(read(helper, "one", "1", "10")).toEqual({ call: "f(1)", actual: "1", expected: "10" });
  });

  it("leaves functions of the test file as they are, and keeps values apart from what is around them", () => {
    const body = `
const PRICES = { tea: 2 };
const look = (name) => PRICES[name];
function show(pairs) { return pairs.join(' '); }
test('t', () => {
  const text = show(f(look, [1]
    .concat(2)));
  assert.equal(text, '1 2');
});`;
    expect(read(body, "t", "'1'", "'1 2'")).toEqual({ call: "show(f((name) => ({ tea: 2 })[name], [1].concat(2)))", actual: "'1'", expected: "'1 2'" });
  });

  it("keeps spaces inside text values", () => {
    expect(read("test('t', () => assert.equal(f('( a )'), '[ a ]'));", "t", "[ '[ a ]', [ 1 ] ]", "'[ a ]'")).toEqual({
      call: "f('( a )')", actual: "['[ a ]', [1]]", expected: "'[ a ]'",
    });
  });

  it("tells errors that came and errors that did not", () => {
    const throwing = "test('t', () => {\n  assert.throws(() => f(0), RangeError);\n  assert.equal(f(1), 2);\n  assert.equal(f(2), 2);\n});";
    expect(read(throwing, "t", "no error", "throws RangeError")).toEqual({ call: "f(0)", actual: "no error", expected: "throws RangeError" });
    expect(read(throwing, "t", "no error", "throws { name: 'RangeError' }")).toEqual({ call: "f(0)", actual: "no error", expected: "an error" });
    const thrown = "TypeError: x is not a function\n    at f (src/a.js:1:2)\n    at test/a.test.js:7:16";
    expect(read(throwing, "t", "throws TypeError: x is not a function", undefined, thrown)).toEqual({
      call: "f(2)", actual: "throws TypeError: x is not a function", expected: "2",
    });
    expect(read(throwing, "t", "throws TypeError: x is not a function")).toBeNull();
  });

  it("gives nothing where the call needs the rest of the test", () => {
    expect(read("test('t', () => {\n  const s = g();\n  s.push(1);\n  assert.equal(s.pop(), 1);\n});", "t", "2", "1")).toBeNull();
    expect(read("test('t', () => {\n  const xs = [3, 1];\n  f(xs);\n  assert.deepEqual(xs, [1, 3]);\n});", "t", "[3, 1]", "[1, 3]")).toBeNull();
    expect(read("test('t', () => {});", "u", "1", "2")).toBeNull();
    expect(failingCall({}, { name: "test/gone.test.js > t", status: "fail" })).toBeNull();
  });
});
