import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyEdit, EditError } from "./edit.ts";

const SOURCE = "export function clamp(x, low, high) {\n  if (x < low) return low;\n  if (x > high) return high;\n  return x;\n}\n";
const edit = (source: string, from: string, to: string, all = false): string => applyEdit(source, from, to, all).text;
const refusal = (source: string, from: string, to: string): string => {
  try {
    applyEdit(source, from, to, false);
  } catch (error) {
    if (error instanceof EditError) return error.message;
    throw error;
  }
  return "no refusal";
};

describe("applyEdit", () => {
  test("replaces text that occurs once, also across lines, and says where", () => {
    expect(applyEdit(SOURCE, "x > high", "x >= high", false)).toEqual({ text: SOURCE.replace("x > high", "x >= high"), lines: [3] });
    expect(edit(SOURCE, "low;\n  if", "$& low;\n\n  if")).toBe(SOURCE.replace("low;\n  if", () => "$& low;\n\n  if"));
    expect(edit(SOURCE, "  return x;\n", "")).toBe(SOURCE.replace("  return x;\n", ""));
  });

  test("replaces every occurrence when asked to", () => {
    expect(applyEdit("a b a\na", "a", "aa", true)).toEqual({ text: "aa b aa\naa", lines: [1, 1, 2] });
  });

  test("keeps CRLF, a byte-order mark and everything that is not replaced", () => {
    const crlf = "\ufeffone\r\n  two  \r\nthree\nfour\r\n";
    expect(edit(crlf, "one\n  two  \n", "1\n2\n")).toBe("\ufeff1\r\n2\r\nthree\nfour\r\n");
    expect(edit(crlf, "two", "2")).toBe("\ufeffone\r\n  2  \r\nthree\nfour\r\n");
    expect(edit(crlf, "three\nfour", "3\n4")).toBe("\ufeffone\r\n  two  \r\n3\r\n4\r\n");
    expect(edit("one\ntwo\n", "one\r\ntwo", "1\r\n2")).toBe("1\n2\n");
  });

  test("overlooks spaces at line ends", () => {
    expect(edit("a {  \n  b;\t\n}\n", "a {\n  b;\n", "a {\n  c;\n")).toBe("a {\n  c;\n}\n");
    expect(edit("a {\r\n  b;\r\n}\r\n", "a {   \n  b;", "a {\n  c;")).toBe("a {\r\n  c;\r\n}\r\n");
    expect(refusal("a\n\n\nb\n", " \n ", "x")).toContain("not in the file");
  });

  test("overlooks line numbers copied from Read when every line has one", () => {
    expect(edit(SOURCE, "2\t  if (x < low) return low;\n3\t  if (x > high)", "2\t  if (x <= low) return low;\n3\t  if (x > high)")).toBe(SOURCE.replace("x < low", "x <= low"));
    expect(edit(SOURCE, "4\t  return x;", "  return +x;")).toBe(SOURCE.replace("return x;", "return +x;"));
    expect(refusal(SOURCE, "4\t  return x;\n}", "x")).toContain("not in the file");
    expect(edit("1\ta\n2\tb\n", "1\ta", "1\tc")).toBe("1\tc\n2\tb\n");
  });

  test("shows the nearest lines when there is no match", () => {
    expect(refusal(SOURCE, "  if (x > hi) return hi;", "y")).toBe("old_string is not in the file. Nearest lines:\n3\t  if (x > high) return high;");
    expect(refusal(SOURCE, "if (x <= low) return low;\nif (x >= high) return high;", "y")).toBe("old_string is not in the file. Nearest lines:\n2\t  if (x < low) return low;\n3\t  if (x > high) return high;");
    expect(refusal(SOURCE, "#include <stdio.h>", "y")).toBe("old_string is not in the file. No line is like it: read the file.");
  });

  test("names all places when there are several", () => {
    expect(refusal(SOURCE, "return", "give")).toBe(
      "old_string occurs 3 times, at lines 2, 3, 4. Add lines around it, or set replace_all.\n2\t  if (x < low) return low;\n3\t  if (x > high) return high;\n4\t  return x;",
    );
  });

  test("refuses what would change nothing", () => {
    expect(refusal(SOURCE, "return x;", "return x;")).toContain("nothing would change");
    expect(refusal(SOURCE, "a\r\n", "a\n")).toContain("nothing would change");
    expect(refusal(SOURCE, "4\t  return x;", "  return x;")).toContain("nothing would change");
    expect(refusal("a  \n", "a\n", "a  \n")).toContain("nothing would change");
    expect(refusal(SOURCE, "", "x")).toContain("old_string is empty");
  });

  test("in any file, replacing a unique part touches nothing else", () => {
    const line = fc.string({ unit: fc.constantFrom(..."ab {}\t"), maxLength: 8 });
    const ending = fc.constantFrom("\n", "\r\n");
    const file = fc.array(fc.tuple(line, ending), { minLength: 2, maxLength: 8 }).map((lines) => lines.map(([text, end]) => text + end).join(""));
    fc.assert(fc.property(file, file, line, fc.boolean(), (head, tail, to, bom) => {
      const source = `${bom ? "\ufeff" : ""}${head}UNIQUE${tail}`;
      expect(edit(source, "UNIQUE", `X${to}`)).toBe(source.replace("UNIQUE", () => `X${to}`));
      const unix = source.replaceAll("\r\n", "\n");
      expect(edit(source, unix, `${unix}!`).replaceAll("\r\n", "\n")).toBe(`${unix}!`);
    }));
  });
});
