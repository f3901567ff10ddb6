import { describe, expect, it } from "vitest";
import { parseModule } from "./syntax.ts";
import { testCalls } from "./test-source.ts";
import { withholdTests } from "./withhold.ts";

const FILE = "test/a.test.js";
const HEAD = "import test, { describe, it as check } from 'node:test';\nimport assert from 'node:assert/strict';\n";

/** The test file without the cases of these names (given without the file). */
function without(body: string, ...names: string[]): string | undefined {
  return withholdTests({ [FILE]: HEAD + body, "src/a.js": "" }, names.map((name) => `${FILE} > ${name}`))[FILE]?.slice(HEAD.length);
}

describe("withholdTests", () => {
  it("takes out one call with the comment above it, and nothing else", () => {
    const body = `
test('adds', () => {
  assert.equal(1 + 1, 2);
});

// Negative numbers come from refunds.
test('subtracts', () => {
  assert.equal(1 - 1, 0);
});

test('multiplies', () => {});
`;
    expect(without(body, "subtracts")).toBe(`
test('adds', () => {
  assert.equal(1 + 1, 2);
});

test('multiplies', () => {});
`);
  });

  it("leaves files without such a case alone, byte for byte", () => {
    const files = { [FILE]: HEAD + "test( 'x',()=>{} )", "test/b.test.js": HEAD + "test('x', () => {})" };
    expect(withholdTests(files, ["test/b.test.js > x"])).toEqual({ [FILE]: files[FILE] });
    expect(withholdTests(files, [])).toEqual(files);
  });

  it("follows suites, aliases, modifiers, async tests and subtests", () => {
    const body = `
describe('outer', () => {
  describe('inner', () => {
    check('one', async () => {});
    check.only('two', (t, done) => done());
  });
  test.skip('three', () => {});
});
await test('with steps', async (t) => {
  await t.test('first', () => {});
  await t.test('second', () => {});
});
`;
    expect(without(body, "outer > inner > one")).not.toMatch(/'one'/);
    expect(without(body, "outer > inner > one")).toMatch(/'two'/);
    // A suite left empty goes too.
    const rest = without(body, "outer > inner > one", "outer > inner > two")!;
    expect(rest).not.toMatch(/inner/);
    expect(rest).toMatch(/'three'/);
    // A failed subtest fails the test around it: both names are withheld.
    expect(without(body, "with steps > second", "with steps")).not.toMatch(/steps|first/);
    expect(without(body, "with steps > second")).toMatch(/'first'/);
  });

  it("takes a loop of tests as a whole, with its table", () => {
    const loop = `
const ROWS = [[1, 2], [2, 3]];
const other = 5;
for (const [a, b] of ROWS) {
  test(\`next of \${a}\`, () => assert.equal(a + 1, b));
}
test('other', () => assert.equal(other, 5));
`;
    expect(without(loop, "next of 2")).toBe("\nconst other = 5;\ntest('other', () => assert.equal(other, 5));\n");
    const forms = [
      "[[1, 2]].forEach(([a, b]) => test('next of ' + a, () => assert.equal(a + 1, b)));",
      "for (const a of [1, 2]) test(`next of ${a}`, () => {});",
      "for (const a of [1, 2]) {\n  if (a > 0) {\n    test(`next of ${a}`, () => {});\n  }\n}",
      "Object.entries({ a: 1 }).forEach(([a, b]) => {\n  test('next of ' + a, () => {});\n});",
    ];
    for (const form of forms) expect(without(`${form}\ntest('other', () => {});\n`, "next of 1")).toBe("test('other', () => {});\n");
  });

  it("prefers the exact title to one with unknown parts", () => {
    const body = "for (const a of [1]) test(`next of ${a}`, () => {});\ntest('next of kin', () => {});\n";
    expect(without(body, "next of kin")).toBe("for (const a of [1]) test(`next of ${a}`, () => {});\n");
  });

  it("follows local functions that make tests", () => {
    const body = `
function same(title, input, want) {
  test(\`\${title} works\`, () => assert.equal(input, want));
}
same('one', 1, 1);
same('two', 2, 2);
`;
    expect(without(body, "two works")).toBe(body.replace("same('two', 2, 2);\n", ""));
    expect(without(body, "one works", "two works")).toBeUndefined();
  });

  it("understands require and titles taken from function names", () => {
    const file = "const { describe: group, it } = require('node:test');\ngroup('g', () => {\n  it(function named() {});\n  it('b', () => {});\n});\n";
    expect(withholdTests({ [FILE]: file }, [`${FILE} > g > named`])[FILE]).toBe(file.replace("  it(function named() {});\n", ""));
  });

  it("drops a file with no test left, and one in which the case cannot be found", () => {
    expect(without("test('a', () => {});\n", "a")).toBeUndefined();
    expect(without("test('a', () => {});\ntest('b', () => {});\n", "c")).toBeUndefined();
  });

  it("leaves valid code whatever the layout", () => {
    const body = "test('a', () => {}); test('b', () => {});\r\ntest('c', () => {}) // note\r\n;test('d', () => {})\r\n";
    for (const names of [["a"], ["b"], ["c"], ["d"], ["a", "b"], ["b", "d"], ["a", "c", "d"]]) {
      const rest = HEAD + without(body, ...names)!;
      const titles = testCalls(parseModule(rest, FILE)).map((call) => call.pattern);
      expect(titles).toEqual(["a", "b", "c", "d"].filter((name) => !names.includes(name)));
    }
  });
});
