import { expect, test } from "vitest";
import { isTestFile, relativePath, uniqueNames } from "./names.ts";

test("test files are those that node --test finds", () => {
  for (const path of ["a.test.js", "src/deep/b-test.mjs", "c_test.cjs", "test.js", "test-d.js", "test/any.js", "x/test/helper.ts", "e.test.ts"]) {
    expect(isTestFile(path), path).toBe(true);
  }
  for (const path of ["a.js", "testing.js", "tests/a.js", "test/data.json", "a.test.jsx", "node_modules/p/a.test.js", "types.test.d.ts", "contest.js"]) {
    expect(isTestFile(path), path).toBe(false);
  }
});

test("paths are cleaned and stay inside the repository", () => {
  expect(["a.js", "./a.js", "/repo/a.js", "x/../a.js", ".//a.js"].map(relativePath)).toEqual(Array(5).fill("a.js"));
  for (const path of ["", ".", "/", "/repo", "..", "../a", "a/../../b", "/etc/passwd", "/repository/a"]) expect(() => relativePath(path), path).toThrow();
});

test("tests of one name are told apart", () => {
  const cases = ["a", "b", "a", "a"].map((name) => ({ name, status: "pass" as const }));
  expect(uniqueNames(cases).map((c) => c.name)).toEqual(["a", "b", "a (2)", "a (3)"]);
});
