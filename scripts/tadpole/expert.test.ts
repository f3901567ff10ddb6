import fc from "fast-check";
import { expect, test } from "vitest";
import { Random } from "../../src/compute/index.ts";
import { mistakesIn } from "./corrections.ts";
import { expertScript, lineEdit } from "./expert.ts";

test.each([
  ["  if (a < b) {", "  if (a <= b) {", " < b) {", " <= b) {"],
  ["  return x[i - 1];", "  return x[i - 2];", " 1];", " 2];"],
  ["f(0, a.length)", "f(1, a.length)", "0, a.length)", "1, a.length)"],
  ["if (a) b();", "if (!a) b();", "a) b();", "!a) b();"],
  ["const r = b - a;", "const r = a - b;", " b - a;", " a - b;"],
])("the edit starts with what is wrong and goes on to the end of the line: %s", (buggy, fixed, from, to) => {
  expect(lineEdit(`${buggy}\n`, `${fixed}\n`)).toEqual({ old: from, new: to });
});

test("where that occurs twice, whole lines are replaced", () => {
  const fixed = "function a(x) {\n  return x + 1;\n}\nfunction b(x) {\n  if (x) y();\n  return x - 1;\n}\n";
  expect(lineEdit(fixed.replace("x - 1", "x + 1"), fixed)).toEqual({ old: "if (x) y();\n  return x + 1;", new: "if (x) y();\n  return x - 1;" });
});

test("applying the edit once gives the fixed file", () => {
  const line = fc.constantFrom("  a();", "  b(1);", "  b(2);", "  if (a < b && !c) d = 10;", "  if (a <= b || c) d = 1;", "}", "", "  return a;");
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 12 }), fc.nat(), line, (lines, position, other) => {
      const changed = lines.slice();
      changed[position % lines.length] = other;
      const [buggy, fixed] = [changed.join("\n"), lines.join("\n")];
      fc.pre(buggy !== fixed && buggy !== "");
      const edit = lineEdit(buggy, fixed);
      expect(buggy.indexOf(edit.old)).toBe(buggy.lastIndexOf(edit.old));
      expect(buggy.replace(edit.old, () => edit.new)).toBe(fixed);
    }),
  );
});

const calls = (script: ReturnType<typeof expertScript>) => Array.from({ length: 12 }, (_, turn) => script.answer({ context: "", turn }))
  .map((step) => (typeof step === "string" ? step : step.calls.map((call) => call.arguments)));

test("an edit that is unique in the function but not in the file is widened after the tool's answer", () => {
  const fixed = "export function a(x) {\n  return x > 1;\n}\n\nexport function b(y) {\n  return y < 1;\n}\n";
  const script = expertScript({ file: "src/a.js", function: "b", buggy: fixed.replace("y < 1", "y > 1"), fixed, hasScript: false });
  expect(calls(script).slice(0, 4)).toEqual([
    [{ command: "cp src/a.js /tmp/o; sed -n '/function b(/,/^}/p' src/a.js" }],
    [{ file_path: "src/a.js", old_string: " > 1;", new_string: " < 1;" }],
    [{ file_path: "src/a.js", old_string: "return y > 1;", new_string: "return y < 1;" }],
    "Fixed b.",
  ]);
});

const check = { command: "node repro.mjs || cat /tmp/o > src/a.js" };

test("an episode that checks runs the script after every edit; what did not help is not imitated", () => {
  const fixed = "export function f(a, b) {\n  if (a > 1) return a + 2;\n  return a + b;\n}\n";
  const fix = { file: "src/a.js", function: "f", buggy: fixed.replace("a + b", "a - b"), fixed, hasScript: true };
  const scripts = Array.from({ length: 60 }, (_, i) => expertScript(fix, { random: Random.stream("check", i) }));
  const checking = scripts.filter((script) => script.checks);
  expect(checking.length).toBeGreaterThan(5);
  expect(scripts.length - checking.length).toBeGreaterThan(5);
  for (const script of checking) {
    const turns = calls(script);
    const first = turns.findIndex((turn) => JSON.stringify(turn).includes("repro.mjs"));
    expect(turns[first]).toEqual([check]);
    const last = turns.indexOf("Fixed f.") - 1;
    for (let i = first + 1; i <= last; i++) expect(turns[i]).toMatchObject([{ file_path: "src/a.js" }, check]);
    const right = Math.max(...turns.flatMap((turn, i) => (JSON.stringify(turn).includes('" + b;"') ? [i] : [])));
    expect([...script.masked].every((turn) => turn < right && JSON.stringify(turns[turn]).includes("old_string"))).toBe(true);
  }
  expect(checking.some((script) => script.masked.size > 1)).toBe(true);
});

test("given mistakes come first; a check that they call for is shown, but not imitated", () => {
  const fixed = "export function f(a, b) {\n  if (a > 1) return a + 2;\n  return a + b;\n}\n";
  const fix = { file: "src/a.js", function: "f", buggy: fixed.replace("a + b", "a - b"), fixed, hasScript: true };
  const refused = { file: "src/b.js", old: " - b;", new: " + b;", refused: true };
  const taken = { file: "src/a.js", old: " > 1) return a + 2;", new: " >= 1) return a + 2;", refused: false };
  const plain = expertScript(fix, { mistakes: [refused] });
  expect(calls(plain).slice(1, 4)).toEqual([
    [{ file_path: "src/b.js", old_string: " - b;", new_string: " + b;" }],
    [{ file_path: "src/a.js", old_string: " - b;", new_string: " + b;" }],
    "Fixed f.",
  ]);
  expect([...plain.masked]).toEqual([1]);
  const checking = expertScript(fix, { mistakes: [taken, refused] });
  expect(calls(checking)[2]).toEqual([check]);
  expect([...checking.masked]).toEqual([1, 2, 3]);
  expect(calls(checking)[4]).toMatchObject([{ file_path: "src/a.js", old_string: " - b;" }, check]);
  // Without a script to run, an edit that was taken cannot be found wrong.
  expect(calls(expertScript({ ...fix, hasScript: false }, { mistakes: [taken] })).slice(1, 3)).toEqual([[{ file_path: "src/a.js", old_string: " - b;", new_string: " + b;" }], "Fixed f."]);
});

const step = (content: string, ok: boolean, ...edit: [string, string] | []) => ({
  text: "", seconds: { model: 0, tools: 0 },
  calls: [edit.length > 0 ? { name: "Edit", arguments: { file_path: "src/a.js", old_string: edit[0], new_string: edit[1] } } : { name: "Bash", arguments: { command: "cat src/a.js" } }],
  results: [{ name: "", content, ok }],
});

test("mistakes are the different edits before the right one", () => {
  const fix = { file: "src/a.js", function: "f", buggy: "return a - b;\n", fixed: "return a + b;\n", hasScript: false };
  const shown = step("exit code 0\nreturn a - b;", true);
  const steps = [shown, step("Error", false, "c", "d"), step("Error", false, "c", "d"), step("Edited", true, "a", "b"), step("Edited", true, " -", " +"), step("Error", false, "e", "f")];
  expect(mistakesIn({ steps }, fix)).toEqual([
    { file: "src/a.js", old: "c", new: "d", refused: true },
    { file: "src/a.js", old: "a", new: "b", refused: false },
  ]);
  expect(mistakesIn({ steps: [step("exit code 1", true), ...steps.slice(1)] }, fix)).toEqual([]);
});
