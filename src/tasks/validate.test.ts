import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SandboxFactory } from "../sandbox/index.ts";
import { createEmbeddedSandboxes } from "../sandbox/index.node.ts";
import { EnvironmentError } from "./environment.ts";
import { SUITE_STEPS } from "./grade.ts";
import { edit, sample } from "./sample.ts";
import { sitePlace, siteUse } from "./sites.ts";
import type { Environment, Hunk } from "./types.ts";
import { GATES, Validator } from "./validate.ts";

let factory: SandboxFactory;
let validator: Validator;
beforeAll(() => {
  factory = createEmbeddedSandboxes({ workers: 1 });
  validator = new Validator(factory);
});
afterAll(() => factory.close());

const tell = () => ({ statement: "Something is broken.", level: 0 as const });
/** The gate that stops a bug and why; the last gate passed when none does. */
async function outcome(env: Environment, hunks: Hunk[], statement = tell): Promise<[string, string | undefined]> {
  const { verdicts } = await validator.validate(env, hunks, statement);
  const last = verdicts[verdicts.length - 1];
  expect(verdicts.map(({ gate }) => gate)).toEqual(GATES.slice(0, verdicts.length));
  expect(verdicts.slice(0, -1).every(({ ok }) => ok)).toBe(true);
  return [last.gate, last.reason];
}

describe("the gates", () => {
  const env = sample();
  const bound = edit(env, "src/range.js", "n <= high", "n < high");
  const limit = edit(env, "src/range.js", "x > high", "x < high");
  const swap = edit(env, "src/parity.js", "=== 0", "!== 0");

  it("let a good bug through, and give the agent a green suite without the failing tests", async () => {
    const { task } = await validator.validate(env, [bound], tell);
    expect(task).toMatchObject({
      env: "sample", split: "user", version: 1, operators: ["edit"], statement: "Something is broken.",
      failToPass: [
        "test/range.test.js > rangeOf includes both ends", "test/sum.test.js > sums > triangle of 1",
        "test/sum.test.js > sums > triangle of 3", "test/sum.test.js > sums > triangle of 4",
      ].filter((name) => task!.failToPass.includes(name)),
      gold: { "src/range.js": env.files["src/range.js"] },
    });
    expect(task!.failToPass).toHaveLength(4);
    expect(task!.passToPass).toHaveLength(4);
    expect(task!.files["src/range.js"]).toContain("n < high");
    expect(task!.files["test/range.test.js"]).not.toMatch(/includes both ends/);
    expect(task!.files["test/sum.test.js"]).not.toMatch(/triangle of/);
    expect(task!.files["README.md"]).toBe(env.files["README.md"]);
    expect(Object.keys(task!.tests)).toEqual(["package.json", "test/range.test.js", "test/sum.test.js", "test/parity.test.js"]);
  });

  it("parse: broken, empty, equal and outside functions", async () => {
    expect(await outcome(env, [edit(env, "src/range.js", "n <= high", "n <= ")])).toEqual(["parse", expect.stringMatching(/src\/range\.js/)]);
    expect(await outcome(env, [edit(env, "src/range.js", "n <= high", "n  <= (high)")])).toEqual(["parse", expect.stringMatching(/not change the program/)]);
    expect(await outcome(env, [])).toEqual(["parse", "there is no edit"]);
    expect(await outcome(env, [edit(env, "src/sum.js", "rangeOf }", "clamp as rangeOf }")])).toEqual(["parse", expect.stringMatching(/outside functions/)]);
  });

  it("time: a loop without end, and one that eats the memory", async () => {
    expect((await outcome(env, [edit(env, "src/range.js", "n++", "n--")]))[0]).toBe("time");
    expect((await outcome(env, [edit(env, "src/parity.js", "return 'odd'", "for (;;) {}")]))[0]).toBe("time");
  });

  it("fail-to-pass: a bug that nothing notices, and one after which nothing passes", async () => {
    expect(await outcome(env, [edit(env, "src/range.js", "a > 3", "a >= 3")])).toEqual(["fail-to-pass", "no test notices the bug"]);
    const one = sample({ "test/range.test.js": undefined, "test/sum.test.js": undefined });
    expect(await outcome(one, [edit(one, "src/parity.js", "=== 0", "!== 0")])).toEqual(["fail-to-pass", "no test passes with the bug"]);
  });

  it("hunks: an edit that changes no result, and edits for different uses", async () => {
    const same = edit(env, "src/range.js", "a > 3", "a >= 3");
    const [reason, uses] = [/changes no test's result|different use/, new Set<string>()];
    for (const other of [bound, limit, swap]) {
      const [gate, why] = await outcome(env, [other, same]);
      expect([gate, why]).toEqual(["hunks", expect.stringMatching(reason)]);
      uses.add(why!);
    }
    expect(uses.size).toBeGreaterThan(1);
  });

  it("visible: nothing left to run", async () => {
    const few = sample({
      "test/range.test.js": undefined, "test/sum.test.js": undefined,
      "test/parity.test.js": "import test from 'node:test';\nimport assert from 'node:assert';\nimport { parity } from '../src/parity.js';\n" +
        "for (const [n, want] of [[2, 'even'], [3, 'odd']]) test(`${n}`, () => assert.equal(parity(n), want));\n",
    });
    expect(await outcome(few, [edit(few, "src/parity.js", "'odd'", "'even'")])).toEqual(["visible", "no visible test is left"]);
  });

  it("visible: a failing test that cannot be taken out alone", async () => {
    // Order matters here: a case withheld changes what the next one sees.
    const chained = sample({
      "test/parity.test.js": "import test from 'node:test';\nimport assert from 'node:assert';\nimport { parity } from '../src/parity.js';\nlet seen = [];\n" +
        "test('first', () => { seen.push(1); assert.equal(parity(3), 'odd'); });\ntest('second', () => assert.deepEqual(seen, [1]));\n",
    });
    expect(await outcome(chained, [edit(chained, "src/parity.js", "'odd'", "'even'")])).toEqual(["visible", expect.stringMatching(/second/)]);
  });

  it("statement: empty, with a gold line, about hidden tests, without the place, about what nobody tells", async () => {
    const say = (statement: string, level: 0 | 2 = 0) => outcome(env, [swap], (() => ({ statement, level })) as typeof tell);
    expect(await say(" \n")).toEqual(["statement", "the statement is empty"]);
    expect(await say("It should say if (n % 2 ===  0) return 'even' there.")).toEqual(["statement", expect.stringMatching(/quotes a line/)]);
    expect(await say("Make the hidden tests pass.")).toEqual(["statement", expect.stringMatching(/hidden tests/)]);
    expect(await say("parity is wrong.", 2)).toEqual(["statement", expect.stringMatching(/does not name src\/parity\.js/)]);
    expect(await say("x".repeat(700))).toEqual(["statement", expect.stringMatching(/longer/)]);
    const bare = sample({ "README.md": "# nothing\n" });
    const untold = await outcome(bare, [edit(bare, "src/parity.js", "=== 0", "!== 0")], () => ({ statement: "Broken.", level: 0 }));
    expect(untold).toEqual(["statement", expect.stringMatching(/tells what "test\/parity\.test\.js > parity tells/)]);
  });

  it("let two bugs through whose sites have the same use", async () => {
    const noticed = [bound, limit, swap, edit(env, "src/range.js", "x < low", "x > low"), edit(env, "src/sum.js", "sum + x", "sum - x")];
    const use = (hunk: Hunk) => siteUse(env, sitePlace(env, hunk)!);
    const a = noticed.find((hunk) => noticed.filter((other) => use(other) === use(hunk) && other.file !== hunk.file).length > 0)!;
    const b = noticed.find((other) => use(other) === use(a) && other.file !== a.file)!;
    const { verdicts, task } = await validator.validate(env, [a, b], tell);
    expect(verdicts.filter(({ ok }) => !ok)).toEqual([]);
    expect(task).toMatchObject({ operators: ["edit", "edit"], use: use(a) });
    expect(Object.keys(task!.gold)).toEqual([a.file, b.file].toSorted());
  });
});

const test = (body: string) => ({ "test/parity.test.js": `import test from 'node:test';\nimport assert from 'node:assert/strict';\n${body}\n` });
const clean = (changes: Record<string, string | undefined>) => new Validator(factory, { timeMs: 20_000, steps: SUITE_STEPS }).clean(sample(changes));

describe("the clean suite", () => {
  it.each([
    ["fails", test("test('wrong sum', () => assert.equal(1 + 1, 3));"), /environment "sample".*must pass.*"test\/parity\.test\.js > wrong sum"/s],
    ["is flaky", test("test('coin', () => assert.ok(Math.random() < 0.5));"), /flaky.*"test\/parity\.test\.js > coin"/],
    ["changes its names", test("test(`n ${Math.random()}`, () => {});"), /flaky/],
    ["never ends", test("test('loop', () => { for (;;) {} });"), /did not run to their end \(timeout\)/],
    ["eats the memory", test("test('bomb', () => { const xs = []; for (;;) xs.push('x'.repeat(1 << 22) + xs.length); });"), /\(memory\)/],
    ["does not load", test("import { nothing } from '../src/nowhere.js';"), /nowhere/],
    ["skips everything", { ...test("test.skip('later', () => {});"), "test/range.test.js": undefined, "test/sum.test.js": undefined }, /every test is skipped/],
  ])("gives one clear error when it %s", async (_, changes, message) => {
    const error = await clean(changes).then(() => null, (reason: unknown) => reason);
    expect(error).toBeInstanceOf(EnvironmentError);
    expect((error as Error).message).toMatch(message);
  });

  it("lets random numbers be used where the result does not depend on them", async () => {
    const { passed } = await clean(test("test('in range', () => { const x = Math.random(); assert.ok(x >= 0 && x < 1); });"));
    expect(passed).toContain("test/parity.test.js > in range");
  });
});
