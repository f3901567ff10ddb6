import fc from "fast-check";
import { expect, test } from "vitest";
import { expertScript, minimalEdit } from "./expert.ts";

test.each([
  ["  if (a < b) {", "  if (a <= b) {", " < b", " <= b"],
  ["  return x[i - 1];", "  return x[i - 2];", " 1]", " 2]"],
  ["f(0, a.length)", "f(1, a.length)", "0,", "1,"],
  ["if (a) b();", "if (!a) b();", "a", "!a"],
  ["total -= x.price * 2;", "total += x.price * 2;", " -= x.price", " += x.price"],
  ["const r = b - a;", "const r = a - b;", " b - a;", " a - b;"],
])("the edit starts with what is wrong and goes one token further where it must: %s", (buggy, fixed, from, to) => {
  expect(minimalEdit(`${buggy}\n`, `${fixed}\n`)).toEqual({ old: from, new: to });
});

test("the edit is widened until it occurs once", () => {
  expect(minimalEdit("if (a < b) return a < b + 1;", "if (a < b) return a > b + 1;")).toEqual({ old: " < b +", new: " > b +" });
  const fixed = "function a(x) {\n  return x + 1;\n}\nfunction b(x) {\n  if (x) y();\n  return x - 1;\n}\n";
  expect(minimalEdit(fixed.replace("x - 1", "x + 1"), fixed)).toEqual({ old: "if (x) y();\n  return x + 1;", new: "if (x) y();\n  return x - 1;" });
});

test("applying the edit once gives the fixed file", () => {
  const line = fc.constantFrom("  a();", "  b(1);", "  b(2);", "  if (a < b && !c) d = 10;", "  if (a <= b || c) d = 1;", "}", "", "  return a;");
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 12 }), fc.nat(), line, (lines, position, other) => {
      const changed = lines.slice();
      changed[position % lines.length] = other;
      const [buggy, fixed] = [changed.join("\n"), lines.join("\n")];
      fc.pre(buggy !== fixed && buggy !== "");
      const edit = minimalEdit(buggy, fixed);
      expect(buggy.indexOf(edit.old)).toBe(buggy.lastIndexOf(edit.old));
      expect(buggy.replace(edit.old, () => edit.new)).toBe(fixed);
    }),
  );
});

test("an edit that is unique in the function but not in the file is widened after the tool's answer", () => {
  const fixed = "export function a(x) {\n  return x > 1;\n}\n\nexport function b(y) {\n  return y < 1;\n}\n";
  const script = expertScript({ file: "src/a.js", function: "b", buggy: fixed.replace("y < 1", "y > 1"), fixed });
  const steps = [0, 1, 2, 3].map((turn) => script.answer({ context: "", turn }));
  expect(steps.map((step) => (typeof step === "string" ? step : step.calls[0].arguments))).toEqual([
    { command: "sed -n '/function b(/,/^}/p' src/a.js" },
    { file_path: "src/a.js", old_string: " > 1", new_string: " < 1" },
    { file_path: "src/a.js", old_string: "return y > 1;", new_string: "return y < 1;" },
    "Fixed b.",
  ]);
});
