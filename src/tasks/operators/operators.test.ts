import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyHunks, diffHunks } from "../hunks.ts";
import { normalisedDiff } from "../normalise.ts";
import { parseModule } from "../syntax.ts";
import { arithmetic } from "./arithmetic.ts";
import { comparison } from "./comparison.ts";
import { constant } from "./constant.ts";
import { OPERATORS } from "./index.ts";
import { logical } from "./logical.ts";
import { loopBound } from "./loop-bound.ts";
import { negatedCondition } from "./negated-condition.ts";
import { operandSwap } from "./operand-swap.ts";
import type { Operator } from "./operator.ts";

/** The bodies an operator makes of a function body. */
function bugs(operator: Operator, body: string): string[] {
  const source = `function f(a, b, xs) { ${body} }\n`;
  const hunks = operator.apply(parseModule(source, "src/f.js"), source, "src/f.js");
  return hunks.map((hunk) => applyHunks({ "src/f.js": source }, [hunk])["src/f.js"].slice("function f(a, b, xs) { ".length, -3));
}

describe("operators", () => {
  it("comparison: every other operator that is not the same program", () => {
    expect(bugs(comparison, "return a < b;")).toEqual(["return a <= b;", "return a > b;", "return a >= b;"]);
    expect(bugs(comparison, "return a === b;")).toEqual(["return a !== b;"]);
    expect(bugs(comparison, "return (a) <= /* most */ (b);")).toContain("return (a) < /* most */ (b);");
    // Loop tests are the loop-bound operator's; "in" and instanceof have no neighbour.
    expect(bugs(comparison, "for (let i = 0; i < a; i++); while (a > b); return a in b;")).toEqual([]);
  });

  it("arithmetic: operators, augmented assignments and steps, but not text or loop updates", () => {
    expect(bugs(arithmetic, "return a + b;")).toEqual(["return a - b;"]);
    expect(bugs(arithmetic, "return a * b;")).toEqual(["return a + b;", "return a / b;"]);
    expect(bugs(arithmetic, "a += b; a++; --b;")).toEqual(["a -= b; a++; --b;", "a += b; a--; --b;", "a += b; a++; ++b;"]);
    expect(bugs(arithmetic, "return 'x' + a + b + `y`;")).toEqual([]);
    expect(bugs(arithmetic, "for (let i = a; i !== b; i += 2) {}")).toEqual([]);
    expect(bugs(arithmetic, "return a * 1;")).toEqual(["return a + 1;"]);
  });

  it("logical", () => {
    expect(bugs(logical, "return a && b;")).toEqual(["return a || b;"]);
    expect(bugs(logical, "return a ?? b;")).toEqual(["return a || b;"]);
    expect(bugs(logical, "a ||= b;")).toEqual(["a &&= b;"]);
  });

  it("constant: numbers by one or two, booleans swapped, no names of properties", () => {
    expect(bugs(constant, "return 3;")).toEqual(["return 4;", "return 2;", "return 5;", "return 1;"]);
    expect(bugs(constant, "return a - 1;")).toEqual(["return a - 2;", "return a - 0;", "return a - 3;"]);
    expect(bugs(constant, "return a % 1;")).toEqual(["return a % 2;", "return a % 3;"]);
    expect(bugs(constant, "return -1;")).toEqual(["return -2;", "return -3;"]);
    expect(bugs(constant, "return true;")).toEqual(["return false;"]);
    expect(bugs(constant, "return { 1: a, true: b };")).toEqual([]);
    expect(bugs(constant, "return 0.1;")).toEqual(["return 1.1;", "return -0.9;", "return 2.1;", "return -1.9;"]);
    expect(bugs(constant, "return 0x10 + 1n;")).toEqual([]);
  });

  it("negated condition: what is not a comparison", () => {
    expect(bugs(negatedCondition, "if (a) return b;")).toEqual(["if (!a) return b;"]);
    expect(bugs(negatedCondition, "if (!a) return b;")).toEqual(["if (a) return b;"]);
    expect(bugs(negatedCondition, "return a && b ? 1 : 2;")).toEqual(["return !(a && b) ? 1 : 2;"]);
    expect(bugs(negatedCondition, "return xs.filter((x) => !x.done);")).toEqual(["return xs.filter((x) => x.done);"]);
    expect(bugs(negatedCondition, "if (a < b) return;")).toEqual([]);
    expect(bugs(negatedCondition, "if (a &&\n b) return;")).toEqual([]);
  });

  it("operand swap: operators whose order matters, operands that can move", () => {
    expect(bugs(operandSwap, "return a - b;")).toEqual(["return b - a;"]);
    expect(bugs(operandSwap, "return xs.length / (a + b);")).toEqual(["return (a + b) / xs.length;"]);
    expect(bugs(operandSwap, "return a + b * a - a - a;")).toEqual([]);
    expect(bugs(operandSwap, "return f(a) % b;")).toEqual(["return b % f(a);"]);
  });

  it("loop bound: tests, limits and start values", () => {
    expect(bugs(loopBound, "for (let i = 0; i < xs.length; i++) {}")).toEqual([
      "for (let i = 1; i < xs.length; i++) {}",
      "for (let i = 0; i <= xs.length; i++) {}",
      "for (let i = 0; i < xs.length - 1; i++) {}",
    ]);
    expect(bugs(loopBound, "for (let i = a - 1; i >= 0; i--) {}")).toEqual([
      "for (let i = a; i >= 0; i--) {}",
      "for (let i = a - 1; i > 0; i--) {}",
    ]);
    expect(bugs(loopBound, "while (a > 0) a -= b;")).toEqual(["while (a >= 0) a -= b;"]);
  });

  it("stay inside functions", () => {
    const source = "const LIMIT = 3 + 4;\nif (LIMIT > 5 && !globalThis.x) throw 1;\nfor (let i = 0; i < 3; i++);\n";
    for (const operator of OPERATORS) expect(operator.apply(parseModule(source, "a.js"), source, "a.js")).toEqual([]);
  });

  it("keep classes, methods and TypeScript readable", () => {
    const source = "class A {\n  n = 1;\n  more(by: number = 2): number { return this.n - by; }\n}\n";
    const made = constant.apply(parseModule(source, "a.ts"), source, "a.ts").map((hunk) => applyHunks({ "a.ts": source }, [hunk])["a.ts"]);
    expect(made.length).toBe(4);
    for (const text of made) expect(() => parseModule(text, "a.ts")).not.toThrow();
  });
});

describe("every proposed edit", () => {
  const leaf = fc.constantFrom("a", "b", "xs.length", "f(a)", "1", "12", "0", "true");
  const expression = fc.letrec<{ e: string }>((tie) => ({
    e: fc.oneof(
      { depthSize: "small" },
      leaf,
      fc.tuple(tie("e"), fc.constantFrom("+", "-", "*", "/", "%", "<", ">=", "===", "!==", "&&", "||"), tie("e")).map(([l, o, r]) => `(${l}) ${o} (${r})`),
      fc.tuple(leaf, fc.constantFrom("+", "-", "<", "&&", "**", "%"), leaf).map(([l, o, r]) => `${l} ${o} ${r}`),
      tie("e").map((e) => `!(${e})`),
      fc.tuple(tie("e"), leaf, leaf).map(([c, x, y]) => `((${c}) ? ${x} : ${y})`),
    ),
  })).e;
  const program = fc.array(
    fc.oneof(
      expression.map((e) => `if (${e}) return ${e};`),
      expression.map((e) => `for (let i = 1; i < ${e}; i++) { a += ${e}; }`),
      expression.map((e) => `while (${e}) { b--; }`),
      expression.map((e) => `let c = ${e};`).map((line) => `{ ${line} }`),
    ),
    { minLength: 1, maxLength: 5 },
  ).map((lines) => `export function f(a, b, xs) {\n${lines.map((line) => `  ${line}`).join("\n")}\n}\n`);

  it("gives a program that parses and differs, and taking it back restores the text", () => {
    fc.assert(
      fc.property(program, (source) => {
        const files = { "m.js": source };
        const ast = parseModule(source, "m.js");
        for (const operator of OPERATORS) {
          for (const hunk of operator.apply(ast, source, "m.js")) {
            const buggy = applyHunks(files, [hunk]);
            expect(normalisedDiff(files, buggy)).toHaveLength(1);
            const back = diffHunks("m.js", buggy["m.js"], source, "back");
            expect(applyHunks(buggy, back)).toEqual(files);
            expect(applyHunks(files, diffHunks("m.js", source, buggy["m.js"], "again"))).toEqual(buggy);
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  it("may not overlap another or lie outside its file", () => {
    const hunk = { file: "m.js", start: 0, end: 2, text: "x", operator: "" };
    expect(() => applyHunks({ "m.js": "abc" }, [hunk, { ...hunk, start: 1, end: 3 }])).toThrow(RangeError);
    expect(() => applyHunks({ "m.js": "abc" }, [{ ...hunk, end: 4 }])).toThrow(RangeError);
    expect(() => applyHunks({}, [hunk])).toThrow(/m\.js/);
  });
});
