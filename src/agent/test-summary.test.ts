import { expect, test } from "vitest";
import { summariseTests } from "./test-summary.ts";

const failing = (name: string, error: string): string => `    # Subtest: ${name}
    not ok 1 - ${name}
      ---
      duration_ms: 1.2
      failureType: 'testCodeFailure'
      error: ${error}
      code: 'ERR_ASSERTION'
      stack: |-
        somewhere
      ...
`;

const run = (body: string, fail: number): string => `TAP version 13
# Subtest: sum
    # Subtest: passes
    ok 1 - passes
      ---
      duration_ms: 0.1
      ...
${body}    1..2
not ok 1 - sum
  ---
  duration_ms: 3
  type: 'suite'
  failureType: 'subtestsFailed'
  error: '1 subtest failed'
  ...
1..1
# tests ${fail + 1}
# suites 1
# pass 1
# fail ${fail}
# cancelled 0
# skipped 0
# todo 0
# duration_ms 76.6
`;

test("tells totals and the failing tests with their errors, not the suites around them", () => {
  const block = `|-
        Expected values to be strictly equal:
        
        3 !== 4
        `;
  expect(summariseTests(run(failing("adds", block), 1))).toBe("tests 2, pass 1, fail 1\nnot ok sum > adds: Expected values to be strictly equal:\n3 !== 4");
  expect(summariseTests(run(failing("adds", `"Cannot read properties of null (reading 'x')"`), 1))).toBe("tests 2, pass 1, fail 1\nnot ok sum > adds: Cannot read properties of null (reading 'x')");
});

test("shows three failures of many", () => {
  const body = Array.from({ length: 300 }, (_, i) => failing(`case ${i}`, "'no'")).join("");
  const summary = summariseTests(run(body, 300))!;
  expect(summary.split("\n")).toEqual(["tests 301, pass 1, fail 300", "not ok sum > case 0: no", "not ok sum > case 1: no", "not ok sum > case 2: no", "and 297 more failures"]);
});

test("a long error ends early", () => {
  const block = `|-\n${Array.from({ length: 30 }, (_, i) => `        line ${i}`).join("\n")}`;
  expect(summariseTests(run(failing("adds", block), 1))!.split("\n").slice(1)).toEqual(["not ok sum > adds: line 0", ...Array.from({ length: 7 }, (_, i) => `line ${i + 1}`), "…"]);
});

test("says in a few words what an assertion saw and wanted", () => {
  const strict = `|-
        Expected values to be strictly equal:

        1 !== 2
            at <anonymous> (test/a.test.js:3:34)
      actual: 'it\\'s'
      expected: 2`;
  expect(summariseTests(run(failing("adds", strict), 1))).toBe("tests 2, pass 1, fail 1\nnot ok sum > adds: got it's, want 2 (test/a.test.js:3)");
  const worded = strict.replace("Expected values to be strictly equal:", "the sum is off");
  expect(summariseTests(run(failing("adds", worded), 1))).toContain("not ok sum > adds: the sum is off\n1 !== 2\n");
});

test("an output that was cut still tells its failures", () => {
  const cut = run(failing("adds", "'no'"), 1).split("    1..2")[0];
  expect(summariseTests(cut)).toBe("fail 1 (the output was cut)\nnot ok sum > adds: no");
});

test("keeps what other commands printed before and after the run", () => {
  expect(summariseTests(`before\n${run("", 0)}  after\n`)).toBe("before\ntests 1, pass 1, fail 0\nafter");
  expect(summariseTests(`${run("", 0)}${run(failing("adds", "'no'"), 1)}`)).toBe("tests 2, pass 1, fail 1\nnot ok sum > adds: no");
});

test("is not led astray by what tests print", () => {
  expect(summariseTests(run("  # Subtest: indented by two\n", 0))).toBe("tests 1, pass 1, fail 0");
});

test("a green run is one line; other output is none of its business", () => {
  expect(summariseTests("TAP version 13\n# Subtest: a\nok 1 - a\n  ---\n  duration_ms: 1\n  ...\n1..1\n# tests 1\n# pass 1\n# fail 0\n# skipped 2\n")).toBe("tests 1, pass 1, fail 0, skipped 2");
  expect(summariseTests("hello\nnot ok at all\n")).toBeNull();
});
