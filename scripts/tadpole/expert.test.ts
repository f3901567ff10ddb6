import fc from "fast-check";
import { expect, test } from "vitest";
import { minimalEdit } from "./expert.ts";

test("the edit is the changed line, widened upwards until it occurs once", () => {
  const fixed = "function a(x) {\n  return x + 1;\n}\nfunction b(x) {\n  if (x) y();\n  return x - 1;\n}\n";
  const buggy = fixed.replace("x - 1", "x + 1");
  expect(minimalEdit(buggy, fixed)).toEqual({ old: "if (x) y();\n  return x + 1;", new: "if (x) y();\n  return x - 1;" });
  expect(minimalEdit("  if (a < b) {\n    c();\n  }\n", "  if (a <= b) {\n    c();\n  }\n")).toEqual({ old: "if (a < b) {", new: "if (a <= b) {" });
});

test("applying the edit once gives the fixed file", () => {
  const line = fc.constantFrom("  a();", "  b(1);", "  b(2);", "}", "", "  return a;");
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
