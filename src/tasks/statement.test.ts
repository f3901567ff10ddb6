import { describe, expect, it } from "vitest";
import { Random } from "../compute/index.ts";
import { sample } from "./sample.ts";
import { exampleText, type Symptom, writeStatement } from "./statement.ts";
import type { StatementLevel } from "./types.ts";

const env = sample();
const range: Symptom = {
  file: "src/range.js",
  function: "rangeOf",
  failures: [
    { name: "test/sum.test.js > sums > triangle of 3", status: "fail", actual: "3", expected: "6" },
    { name: "test/range.test.js > rangeOf includes both ends", status: "fail", actual: "[ 1, 2 ]", expected: "[ 1, 2, 3 ]" },
  ],
};
const clamp: Symptom = {
  file: "src/range.js",
  function: "clamp",
  failures: [{ name: "test/range.test.js > clamp keeps to the limits", status: "fail", actual: "-1", expected: "0" }],
};
/** Every way to say it. */
function variants(symptoms: Symptom[], level: StatementLevel): string[] {
  const all = Array.from({ length: 30 }, (_, i) => writeStatement(env, symptoms, level, Random.stream(i)).statement);
  return [...new Set(all)].toSorted();
}

describe("writeStatement", () => {
  it("L0 tells the symptom without the place", () => {
    expect(variants([range], 0)).toEqual([
      "Something is broken: includes both ends.",
      "This no longer works: includes both ends.",
      "Users report a bug. It should hold, but does not: includes both ends.",
    ]);
  });

  it("L1 tells the contract, with what the README states", () => {
    for (const statement of variants([range], 1)) {
      expect(statement).toContain("rangeOf includes both ends; triangle of 3.");
      expect(statement).toContain("The README says: rangeOf(low, high) lists the whole numbers from low to high, both included.");
      expect(statement).not.toContain("src/");
    }
  });

  it("L2 names function and file", () => {
    expect(variants([range], 2)).toEqual([
      'Bug in rangeOf (src/range.js): "rangeOf includes both ends" fails.',
      'Fix rangeOf in src/range.js: "rangeOf includes both ends" fails.',
      'rangeOf in src/range.js is wrong: "rangeOf includes both ends" fails.',
    ]);
  });

  it("L3 gives a failing call, of the function itself where there is one", () => {
    expect(variants([range], 3)).toContain("Fix rangeOf in src/range.js: rangeOf(1, 3) gives [1, 2] instead of [1, 2, 3].");
    const indirect = { ...range, failures: range.failures.slice(0, 1) };
    expect(variants([indirect], 3)).toContain("Fix rangeOf in src/range.js: triangle(3) gives 3 instead of 6.");
  });

  it("falls back to L2 where no call can be given, and says so", () => {
    const thrown = { ...clamp, failures: [{ ...clamp.failures[0], actual: "throws TypeError: x", expected: undefined }] };
    expect(writeStatement(env, [thrown], 3, Random.stream(1)).level).toBe(2);
    expect(writeStatement(env, [clamp], 3, Random.stream(1)).level).toBe(3);
  });

  it("lists two bugs", () => {
    const { statement, level } = writeStatement(env, [range, clamp], 3, Random.stream(1));
    expect(level).toBe(3);
    expect(statement).toMatch(/^1\. .*rangeOf\(1, 3\).*\n2\. .*clamp\(-1, 0, 5\) gives -1 instead of 0\.$/);
  });

  it("is short at every level", () => {
    for (const level of [0, 1, 2, 3] as const) {
      for (const statement of variants([range], level)) expect(statement.split(/\s+/).length).toBeLessThanOrEqual(60);
    }
  });
});

const say = (actual: string, expected: string) => exampleText({ call: "f(1)", actual, expected });

describe("exampleText", () => {
  it("puts values and errors into words", () => {

    expect(say("2", "3")).toBe("f(1) gives 2 instead of 3");
    expect(say("throws TypeError: x", "3")).toBe("f(1) throws TypeError: x instead of giving 3");
    expect(say("no error", "throws RangeError")).toBe("f(1) gives no error instead of throwing RangeError");
    expect(say("no error", "an error")).toBe("f(1) gives no error instead of an error");
  });
});
