import { expect, test } from "vitest";
import { Random } from "../../src/compute/index.ts";
import { renamer } from "./rename.ts";

const SOURCE = `import { other } from './other.js';

/** Counts the marks. */
export function countMarks(marks, limit = 2) {
  let total = 0;
  for (const mark of marks) {
    if (mark.length > limit) total += other(mark);
  }
  return marks.filter((one) => one > 0).length + total;
}
`;

test("declared names change everywhere alike, the language's own words stay", () => {
  const rename = renamer(SOURCE, Random.stream("rename"));
  const renamed = rename(SOURCE);
  for (const name of ["other", "countMarks", "marks", "limit", "total", "mark", "one"]) expect(renamed).not.toMatch(new RegExp(`\\b${name}\\b(?!')(?!\\.js)`));
  for (const word of ["import", "export function", ".length", ".filter(", "for (const", "let "]) expect(renamed).toContain(word);
  expect(renamed.split("\n").length).toBe(SOURCE.split("\n").length);
  const name = /function (\w+)/.exec(renamed)![1];
  expect(rename("countMarks(['a']) gives 1")).toBe(`${name}(['a']) gives 1`);
  expect(renamer(SOURCE, Random.stream("rename"))(SOURCE)).toBe(renamed);
});

test("no two names become one, and none becomes one that stays", () => {
  const source = "export function f(end, first, last, name) {\n  return end + first + last + name;\n}\n";
  for (let i = 0; i < 2000; i++) {
    const [, list] = /\((.*)\) \{/.exec(renamer(source, Random.stream("clash", i))(source))!;
    expect(new Set(list.split(", ")).size).toBe(4);
  }
});
