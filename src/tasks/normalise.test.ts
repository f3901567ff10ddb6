import { describe, expect, it } from "vitest";
import { normalisedDiff, taskId } from "./normalise.ts";

const clean = { "src/a.js": "export function f(a) {\n  return a < 1; // small\n}\nexport const g = (x) => x;\n", "README.md": "x" };
const bug = { ...clean, "src/a.js": clean["src/a.js"].replace("<", "<=") };

const restyle = (text: string) => text.replace("// small", "/* tiny */").replace("return a", "return   (a)").replace("(x) => x", "(x) => x + 1");

describe("taskId", () => {
  it("is the same for the same change, whatever layout, comments, quotes, parentheses and other functions", () => {
    const id = taskId(clean, bug);
    expect(id).toMatch(/^[0-9a-f]{20}$/);
    const restyled = (files: typeof clean) => ({ ...files, "src/a.js": restyle(files["src/a.js"]) });
    expect(taskId(restyled(clean), restyled(bug))).toBe(id);
  });

  it("differs for another operator, place or file", () => {
    const ids = [
      taskId(clean, bug),
      taskId(clean, { ...clean, "src/a.js": clean["src/a.js"].replace("<", ">") }),
      taskId(bug, clean),
      taskId({ "src/b.js": clean["src/a.js"] }, { "src/b.js": bug["src/a.js"] }),
    ];
    expect(new Set(ids).size).toBe(4);
  });

  it("is null when the program is the same", () => {
    expect(taskId(clean, { ...clean, "src/a.js": `// note\n${clean["src/a.js"]}` })).toBeNull();
    expect(normalisedDiff(clean, clean)).toEqual([]);
  });

  it("says which file does not parse", () => {
    expect(() => taskId(clean, { ...clean, "src/a.js": "export function {" })).toThrow(/src\/a\.js/);
  });
});
