import fc from "fast-check";
import { expect, test } from "vitest";
import { Random } from "../../src/compute/index.ts";
import { createEmbeddedSandboxes } from "../../src/sandbox/index.node.ts";
import { mistakesIn } from "./corrections.ts";
import { expertScript, sedEdit } from "./expert.ts";

const wrap = (line: string) => `function g(x) {\n  return x || a && b * c;\n}\nfunction f(x) {\n${line}\n}\n`;

test.each([
  ["  if (a < b) {", "  if (a <= b) {", "s# <# <=#"],
  ["  if (a <= b) {", "  if (a < b) {", "s# <=# <#"],
  ["  return x[i - 1];", "  return x[i - 2];", "s# 1# 2#"],
  ["f(0, a.length)", "f(1, a.length)", "s#0#1#"],
  ["if (a) b();", "if (!a) b();", "s#a#!a#"],
  ["if (!a) b();", "if (a) b();", "s#!##"],
  ["const r = b - a;", "const r = a - b;", "s# b - a# a - b#"],
  ["if (a || b) c();", "if (a && b) c();", "s# ||# \\&\\&#"],
  ["return a * b;", "return a / b;", "s# [*]# /#"],
])("the edit takes the wrong token: %s", (buggy, fixed, script) => {
  expect(sedEdit({ file: "src/a.js", function: "f" }, wrap(buggy), wrap(fixed))).toBe(`sed -i '/function f(/,/^}/${script}' src/a.js`);
});

const A = { file: "a.js", function: "none" };

test("where the function has that elsewhere, more of the line is taken; quotes are put around quotes", () => {
  expect(sedEdit(A, "return a + b + c;", "return a + b - c;")).toBe("sed -i 's# + c# - c#' a.js");
  expect(sedEdit(A, "return x + x + x;", "return x + x - x;")).toBe("sed -i 's# + x;# - x;#' a.js");
  expect(sedEdit(A, "a(b + c);\nreturn b + d;", "a(b + c);\nreturn b - d;")).toBe("sed -i 's# + d# - d#' a.js");
  expect(sedEdit(A, "a(b + c);\nreturn b + c;", "a(b + c);\nreturn b - c;")).toBe("sed -i 's# + c;# - c;#' a.js");
  expect(sedEdit(A, "if (c === ' ') d();", "if (c !== ' ') d();")).toBe("sed -i 's# ===# !==#' a.js");
  expect(sedEdit(A, "f(1, 'a');", "f('a', 1);")).toBe(`sed -i "s#1, 'a'#'a', 1#" a.js`);
});

test("what is not a change of one line of the function, or needs more quoting, is left", () => {
  expect(sedEdit(A, "a;\nb;\n", "a;\n")).toBeNull();
  expect(sedEdit(A, "a;\nb;\n", "c;\nd;\n")).toBeNull();
  expect(sedEdit(A, "same", "same")).toBeNull();
  expect(sedEdit(A, "f(1, '$x')", "f('$x', 1)")).toBeNull();
  expect(sedEdit(A, "twice;\ntwice;\n", "once;\ntwice;\n")).toBeNull();
  expect(sedEdit({ ...A, function: "f" }, "a < b;\nfunction f() {\n}\n", "a > b;\nfunction f() {\n}\n")).toBeNull();
});

test("the sandbox's sed makes the fixed file of the buggy one", async () => {
  const factory = await createEmbeddedSandboxes({ workers: 1 });
  const line = fc.constantFrom("  a();", "  b(1);", "  b(2);", "  if (a < b && !c) d = 10;", "  if (a <= b || c) d = 1;", "  return x[0] * x[1] * 2;", "  return x[0] * x[1] / 2;", "  e('a', 1);", "  e(1, 'a');", "  return a ? b : c.d;");
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 12 }), fc.nat(), line, async (lines, position, other) => {
        const changed = lines.slice();
        changed[position % lines.length] = other;
        const [buggy, fixed] = [changed, lines].map((list) => `${list.join("\n")}\n`);
        const edit = sedEdit(A, buggy, fixed);
        fc.pre(edit !== null);
        const sandbox = await factory.create({ "a.js": buggy });
        await sandbox.exec(edit!);
        expect(await sandbox.readFile("a.js")).toBe(fixed);
        await sandbox.dispose();
      }),
    );
  } finally {
    await factory.close();
  }
});

const commands = (script: ReturnType<typeof expertScript>) => Array.from({ length: 12 }, (_, turn) => script!.answer({ context: "", turn }))
  .map((step) => (typeof step === "string" ? step : step.calls.map((call) => call.arguments.command).join()));

test("a function or a method is printed, then mended; without one, the whole file", () => {
  const fixed = "export function b(y) {\n  return y < 1;\n}\n\nexport class C {\n  go(x) {\n    return x > 1;\n  }\n}\n";
  const fix = { file: "src/a.js", fixed, hasScript: false };
  expect(commands(expertScript({ ...fix, function: "b", buggy: fixed.replace("y < 1", "y > 1") })).slice(0, 3)).toEqual([
    "cp src/a.js /tmp/o; sed -n '/function b(/,/^}/p' src/a.js",
    "sed -i '/function b(/,/^}/s# ># <#' src/a.js",
    "Fixed b.",
  ]);
  expect(commands(expertScript({ ...fix, function: "C.go", buggy: fixed.replace("x > 1", "x < 1") })).slice(0, 3)).toEqual([
    "cp src/a.js /tmp/o; sed -n '/^  go(/,/^  }/p' src/a.js",
    "sed -i '/^  go(/,/^  }/s# <# >#' src/a.js",
    "Fixed C.go.",
  ]);
  expect(commands(expertScript({ ...fix, function: "shown", buggy: "export const shown = 1;\n", fixed: "export const shown = 2;\n" })).slice(0, 3)).toEqual([
    "cp src/a.js /tmp/o; cat src/a.js",
    "sed -i 's# 1# 2#' src/a.js",
    "Fixed shown.",
  ]);
  expect(expertScript({ ...fix, function: "b", buggy: "other" })).toBeNull();
});

const FIXED = "export function f(a, b) {\n  if (a > 1) return a + 2;\n  return a + b;\n}\n";
const FIX = { file: "src/a.js", function: "f", buggy: FIXED.replace("a + b", "a - b"), fixed: FIXED, hasScript: true };
const RIGHT = "sed -i '/function f(/,/^}/s# -# +#' src/a.js";
const CHECK = "; node repro.mjs || cat /tmp/o > src/a.js";

test("an episode that checks runs the script with every edit; what did not help is not imitated", () => {
  const scripts = Array.from({ length: 60 }, (_, i) => expertScript(FIX, { random: Random.stream("check", i) })!);
  const checking = scripts.filter((script) => script.checks);
  expect(checking.length).toBeGreaterThan(5);
  expect(scripts.length - checking.length).toBeGreaterThan(5);
  for (const script of scripts) {
    const turns = commands(script);
    const last = turns.indexOf("Fixed f.") - 1;
    expect(turns[last]).toBe(RIGHT + (script.checks ? CHECK : ""));
    for (const turn of turns.slice(1, last)) expect(turn).toMatch(/^sed -i '\/function f\(\/,\/\^}\/s#.*#' src\/a.js; node repro.mjs \|\| cat \/tmp\/o > src\/a.js$/);
    expect([...script.masked]).toEqual(Array.from({ length: last - 1 }, (_, i) => [i + 1, null]));
  }
  expect(checking.some((script) => script.masked.size > 1)).toBe(true);
});

test("given mistakes come first, checked, and are not imitated", () => {
  const mistakes = ["sed -i '2s# ># >=#' src/a.js", "sed -i '9s#x#y#' src/a.js"];
  const script = expertScript(FIX, { mistakes });
  expect(commands(script).slice(1, 5)).toEqual([mistakes[0] + CHECK, mistakes[1] + CHECK, RIGHT + CHECK, "Fixed f."]);
  expect([...script!.masked]).toEqual([[1, null], [2, null]]);
  // Where the expert would check anyway, that much is imitated.
  const choosing = Array.from({ length: 60 }, (_, i) => expertScript(FIX, { random: Random.stream("chooses", i), mistakes })!);
  expect(new Set(choosing.map(({ masked }) => JSON.stringify([...masked])))).toEqual(new Set([[[1, null], [2, null]], [[1, mistakes[0]], [2, mistakes[1]]]].map((masked) => JSON.stringify(masked))));
  // Without a script to run, an edit cannot be found wrong.
  expect(commands(expertScript({ ...FIX, hasScript: false }, { mistakes })).slice(1, 3)).toEqual([RIGHT, "Fixed f."]);
});

const step = (command: string, content = "exit code 0\n") => ({ text: "", seconds: { model: 0, tools: 0 }, calls: [{ name: "Bash", arguments: { command } }], results: [{ name: "", content, ok: true }] });

test("mistakes are the different wrong edits of an episode", () => {
  const wrong = "sed -i '2s# ># >=#' src/a.js";
  const quoted = `sed -i "2s#'a'#'b'#" src/a.js`;
  const steps = [step("cat src/a.js"), step(wrong + CHECK), step(wrong), step("node repro.mjs"), step(quoted + CHECK), step(RIGHT + CHECK)];
  expect(mistakesIn({ steps }, FIX)).toEqual([wrong, quoted]);
  expect(mistakesIn({ steps: [step("cat src/b.js", "exit code 1\n"), ...steps.slice(1)] }, FIX)).toEqual([]);
});
