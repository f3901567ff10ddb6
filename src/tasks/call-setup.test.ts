import { expect, test } from "vitest";
import { callSetup } from "./call-setup.ts";

const source = `import test from 'node:test';
import assert from 'node:assert';
import { rowTexts as texts, Sheet } from '../src/sheet.js';
import * as edit from '../../lib/edit.js';
import pad from 'pad';
const size = 2;
const sample = () => new Sheet(size);
function twice(text) {
  return pad(text) + text;
}
const { late } = await import('../src/late.js');
test('one', () => {
  assert.equal(texts(sample(), 1), twice('a'));
});
`;

test("imports are relative to the root; declarations bring what they need, each once, in the file's order", () => {
  expect(callSetup(source, "test/unit/sheet.test.js", "texts(sample(), 1, sample())")).toEqual([
    "import { Sheet } from './test/src/sheet.js';",
    "import { rowTexts as texts } from './test/src/sheet.js';",
    "const size = 2;",
    "const sample = () => new Sheet(size);",
  ]);
  expect(callSetup(source, "test/sheet.test.js", "edit.cut(twice('x')).sample")).toEqual([
    "import * as edit from './lib/edit.js';",
    "import pad from 'pad';",
    "function twice(text) {\n  return pad(text) + text;\n}",
  ]);
  expect(callSetup(source, "test/sheet.test.js", "Math.max(1, [2].map((n) => n))")).toEqual([]);
});

test("what loads modules as it runs cannot be moved", () => {
  expect(callSetup(source, "test/sheet.test.js", "late(1)")).toBeNull();
  expect(callSetup("const { a } = require('../a.js');", "test/a.test.js", "a(1)")).toBeNull();
});
