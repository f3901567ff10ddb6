import fc from "fast-check";
import { expect, test } from "vitest";
import { Random } from "../../src/compute/index.ts";
import { createEmbeddedSandboxes } from "../../src/sandbox/index.node.ts";
import { mistakesIn } from "./corrections.ts";
import { type ExpertScript, expertScript, substitution } from "./expert.ts";

const commands = (script: ReturnType<typeof expertScript>) => Array.from({ length: 4 }, (_, turn) => script!.answer({ context: "", turn }))
  .map((step) => (typeof step === "string" ? step : step.calls.map((call) => call.arguments.command).join()));

const wrap = (line: string) => `function g(x) {\n  return x || a && b * c;\n}\nfunction f(x) {\n${line}\n}\n`;

test.each([
  ["  if (a < b) {", "  if (a <= b) {", " <# <="],
  ["  if (a <= b) {", "  if (a < b) {", " <=# <"],
  ["  return x[i - 1];", "  return x[i - 2];", " 1# 2"],
  ["f(0, a.length)", "f(1, a.length)", "0#1"],
  ["if (a) b();", "if (!a) b();", "a#!a"],
  ["if (!a) b();", "if (a) b();", "!#"],
  ["const r = b - a;", "const r = a - b;", " b - a# a - b"],
  ["if (a || b) c();", "if (a && b) c();", " ||# \\&\\&"],
  ["return a * b;", "return a / b;", " [*]# /"],
])("the replacement takes the wrong token: %s", (buggy, fixed, item) => {
  expect(substitution("f", wrap(buggy), wrap(fixed))).toEqual({ range: "/function f(/,/^}/", item });
});

const itemOf = (buggy: string, fixed: string) => substitution("none", buggy, fixed)?.item ?? null;

test("where the function has that elsewhere, more of the line is taken", () => {
  expect(itemOf("return a + b + c;", "return a + b - c;")).toBe(" + c# - c");
  expect(itemOf("return x + x + x;", "return x + x - x;")).toBe(" + x;# - x;");
  expect(itemOf("a(b + c);\nreturn b + d;", "a(b + c);\nreturn b - d;")).toBe(" + d# - d");
  expect(itemOf("a(b + c);\nreturn b + c;", "a(b + c);\nreturn b - c;")).toBe(" + c;# - c;");
  expect(itemOf("if (c === ' ') d();", "if (c !== ' ') d();")).toBe(" ===# !==");
  expect(itemOf("f(1, 'a');", "f('a', 1);")).toBe("1, 'a'#'a', 1");
});

test("what is not a change of one line of the function, or needs escapes, is left", () => {
  expect(itemOf("a;\nb;\n", "a;\n")).toBeNull();
  expect(itemOf("a;\nb;\n", "c;\nd;\n")).toBeNull();
  expect(itemOf("same", "same")).toBeNull();
  expect(itemOf("f(1, '$x')", "f('$x', 1)")).toBeNull();
  expect(itemOf("twice;\ntwice;\n", "once;\ntwice;\n")).toBeNull();
  expect(substitution("f", "a < b;\nfunction f() {\n}\n", "a > b;\nfunction f() {\n}\n")).toBeNull();
  expect(substitution("$f", "function $f(a) {\n  return a < 1;\n}\n", "function $f(a) {\n  return a > 1;\n}\n")).toBeNull();
});

test("the sandbox's sed makes the fixed file of the buggy one", async () => {
  const factory = await createEmbeddedSandboxes({ workers: 1 });
  const line = fc.constantFrom("  a();", "  b(1);", "  b(2);", "  if (a < b && !c) d = 10;", "  if (a <= b || c) d = 1;", "  return x[0] * x[1] * 2;", "  return x[0] * x[1] / 2;", "  e('a', 1);", "  e(1, 'a');", "  return a ? b : c.d;");
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 12 }), fc.nat(), line, fc.boolean(), async (lines, position, other, hasScript) => {
        const changed = lines.slice();
        changed[position % lines.length] = other;
        const [buggy, fixed] = [changed, lines].map((list) => `${list.join("\n")}\n`);
        const script = expertScript({ file: "a.js", function: "none", buggy, fixed, hasScript });
        fc.pre(script !== null);
        const sandbox = await factory.create({ "a.js": buggy });
        for (const command of commands(script).slice(0, 2)) await sandbox.exec(command);
        expect(await sandbox.readFile("a.js")).toBe(fixed);
        await sandbox.dispose();
      }),
    );
  } finally {
    await factory.close();
  }
});

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
const HEAD = `t() { sed "/function f(/,/^}/s#$1#" /tmp/o > src/a.js; node repro.mjs; }; t `;
const RIGHT = "' -# +'";
/** What is not to be imitated. */
const hidden = ({ edit, masked }: ExpertScript) => masked.map(([first, last]) => edit.slice(first, last));

test("with a script that shows the bug, replacements are listed; wrong ones are not imitated, to go on only where it is chosen", () => {
  const scripts = Array.from({ length: 200 }, (_, i) => expertScript(FIX, { random: Random.stream("list", i) })!);
  const kinds = { alone: 0, shown: 0, chosen: 0 };
  for (const script of scripts) {
    const [, edit, done] = commands(script);
    expect(edit).toBe(script.edit);
    expect(done).toBe("Fixed f.");
    expect(edit.startsWith(HEAD)).toBe(true);
    const items = edit.slice(HEAD.length).split(" || t ");
    expect(items).toContain(RIGHT);
    expect(new Set(items).size).toBe(items.length);
    const wrong = items.filter((item) => item !== RIGHT);
    const kind = items.length === 1 ? "alone" : hidden(script)[0].endsWith(" || t") ? "shown" : "chosen";
    kinds[kind]++;
    if (kind === "shown") expect(items.at(-1)).toBe(RIGHT);
    expect(hidden(script)).toEqual(wrong.map((item) => item + (kind === "shown" ? " || t" : "")));
  }
  expect(kinds.alone).toBeGreaterThan(50);
  expect(kinds.shown).toBeGreaterThan(50);
  expect(kinds.chosen).toBeGreaterThan(10);
  expect(scripts.some(({ masked }) => masked.length > 3)).toBe(true);
});

test("given mistakes stand in the list; without a script none can be found wrong", () => {
  const mistakes = [" ># >=", "'a'#'b'", "'$a'#'b'"];
  const script = expertScript(FIX, { mistakes })!;
  expect(commands(script)[1]).toBe(`${HEAD}' ># >=' || t "'a'#'b'" || t ${RIGHT}`);
  expect(hidden(script)).toEqual(["' ># >=' || t", `"'a'#'b'" || t`]);
  expect(commands(expertScript({ ...FIX, hasScript: false }, { mistakes })).slice(1, 3)).toEqual(["sed -i '/function f(/,/^}/s# -# +#' src/a.js", "Fixed f."]);
});

const step = (command: string, content = "exit code 0\n") => ({ text: "", seconds: { model: 0, tools: 0 }, calls: [{ name: "Bash", arguments: { command } }], results: [{ name: "", content, ok: true }] });

test("mistakes are the different wrong replacements of an episode", () => {
  const steps = [step("cat src/a.js"), step(`${HEAD}' ># >='`), step("node repro.mjs"), step(`${HEAD}' ># >=' || t "'a'#'b'" || t ${RIGHT}`)];
  expect(mistakesIn({ steps }, FIX)).toEqual([" ># >=", "'a'#'b'"]);
  expect(mistakesIn({ steps: [step("cat src/b.js", "exit code 1\n"), ...steps.slice(1)] }, FIX)).toEqual([]);
});
