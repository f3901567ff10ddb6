import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SandboxFactory } from "../sandbox/index.ts";
import { createEmbeddedSandboxes } from "../sandbox/index.node.ts";
import { checkTask, parseTask, TaskError } from "./check.ts";
import { EnvironmentError } from "./environment.ts";
import { grade } from "./grade.ts";
import { builtInEnvironments, loadEnvironment } from "./index.node.ts";
import { makeTasks } from "./make.ts";
import { REPRODUCTION } from "./reproduction.ts";
import { sample } from "./sample.ts";
import type { Task } from "./types.ts";
import { Validator } from "./validate.ts";

let factory: SandboxFactory;
beforeAll(() => {
  factory = createEmbeddedSandboxes();
});
afterAll(() => factory.close());

/** Changed source lines of the pristine files, as a reader would recognise them. */
function goldLines(task: Task): string[] {
  return Object.entries(task.gold).flatMap(([file, text]) => {
    const now = task.files[file].split("\n");
    return text.split("\n").filter((line) => !now.includes(line)).map((line) => line.trim());
  });
}

const make = (seed: number, lanes: number) => makeTasks({ environment: sample(), factory, count: 8, seed, lanes, pairShare: 0.4 });
const failedGate = async (changed: Task) => (await checkTask(changed, new Validator(factory))).find(({ ok }) => !ok);

describe("makeTasks", () => {
  it("gives the same tasks for the same seed, whatever is done at the same time", async () => {
    const one = await make(5, 1);
    const many = await make(5, 7);
    expect(many.tasks).toEqual(one.tasks);
    expect(many.yields).toEqual(one.yields);
    expect((await make(6, 4)).tasks.map(({ id }) => id)).not.toEqual(one.tasks.map(({ id }) => id));
  });

  it("tells when there are fewer than asked for, and where the others were stopped", async () => {
    const { tasks, shortage, yields } = await makeTasks({ environment: sample(), factory, count: 500, seed: 1 });
    expect(shortage).toMatch(new RegExp(`"sample" gives ${tasks.length} of 500 tasks.*allow pairs`));
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(tasks.length);
    const tried = Object.values(yields.operators).reduce((sum, { tried: n }) => sum + n, 0);
    const valid = Object.values(yields.operators).reduce((sum, { valid: n }) => sum + n, 0);
    expect(valid).toBe(tasks.length);
    expect(tried - valid).toBe(Object.values(yields.gates).reduce((sum, n) => sum + n, 0));
    expect(yields.gates["fail-to-pass"]).toBeGreaterThan(0);
  });

  it("keeps to the use and levels asked for, and makes pairs of one use", async () => {
    let made = 0;
    for (const use of ["demonstration", "rl", "evaluation"] as const) {
      const { tasks } = await makeTasks({ environment: sample({}, "train"), factory, count: 3, seed: 2, use, levels: [0], pairShare: 1 });
      for (const task of tasks) expect(task).toMatchObject({ use, level: 0, split: "train", operators: [expect.any(String), expect.any(String)] });
      made += tasks.length;
    }
    expect(made).toBeGreaterThan(0);
  });

  it("says so when nothing can be made", async () => {
    const env = sample({ "src/parity.js": "export const parity = (n) => ['even', 'odd'][n & 1n ? 1 : 0];", "src/range.js": "const {", "test/range.test.js": undefined });
    await expect(makeTasks({ environment: env, factory, count: 1, seed: 1 })).rejects.toThrow(EnvironmentError);
    await expect(makeTasks({ environment: env, factory, count: 1, seed: 1 })).rejects.toThrow(/src\/range\.js/);
  });

  it("stops when told to", async () => {
    const stop = new AbortController();
    const made = makeTasks({
      environment: sample(), factory, count: 100, seed: 1, signal: stop.signal,
      onProgress: () => stop.abort(new DOMException("stopped", "AbortError")),
    });
    await expect(made).rejects.toThrow("stopped");
  });
});

describe("tasks of every built-in environment", () => {
  it("are solved by the gold patch alone, tell no gold line and hide what they are graded by", async () => {
    for (const name of await builtInEnvironments()) {
      const environment = await loadEnvironment(name);
      const { tasks } = await makeTasks({ environment, factory, count: 8, seed: 3, pairShare: 0.25 });
      expect([name, tasks.length]).toEqual([name, 8]);
      for (const task of tasks) {
        for (const line of goldLines(task).filter((one) => one.length > 3)) expect(task.statement).not.toContain(line.replace(/[;{}\s]+$/, ""));
        expect(task.statement.split(/\s+/).length).toBeLessThanOrEqual(60 * task.operators.length);
        const visible = Object.entries(task.files).filter(([path]) => path.startsWith("test/")).map(([, text]) => text).join("\n");
        for (const failing of task.failToPass) {
          const title = failing.split(" > ").pop()!;
          if (task.passToPass.some((other) => other.endsWith(title))) continue;
          expect(visible).not.toContain(`'${title}'`);
        }
      }
      const [task] = tasks;
      expect((await grade(task, { ...task.files, ...task.gold }, factory)).solved).toBe(true);
      expect((await grade(task, task.files, factory)).failed).toEqual(task.failToPass);
    }
  }, 240_000);
});

it("brings a script for statements with a call: still wrong with the bug, ok with the gold patch", async () => {
  const environment = await loadEnvironment((await builtInEnvironments("train"))[1]);
  const { tasks } = await makeTasks({ environment, factory, count: 10, seed: 3, levels: [3] });
  const withScript = tasks.filter(({ files }) => REPRODUCTION in files);
  expect(withScript.length).toBeGreaterThan(5);
  for (const task of withScript) {
    expect(task.statement).toMatch(/ instead of [^]*\nnode repro\.mjs shows it\.$/);
    for (const [files, output] of [[task.files, "still wrong\n"], [{ ...task.files, ...task.gold }, "ok\n"]] as const) {
      const sandbox = await factory.create(files);
      expect([task.statement, (await sandbox.exec(`node ${REPRODUCTION}`)).stdout]).toEqual([task.statement, output]);
      await sandbox.dispose();
    }
  }
  // Other statements bring none.
  const { tasks: plain } = await makeTasks({ environment: sample(), factory, count: 3, seed: 3, levels: [2] });
  expect(plain.some(({ files }) => REPRODUCTION in files)).toBe(false);
}, 60_000);

describe("checkTask", () => {
  let task: Task;
  beforeAll(async () => {
    const { tasks } = await makeTasks({ environment: sample(), factory, count: 12, seed: 1, pairShare: 0.3 });
    task = tasks.find(({ operators, files }) => operators.length === 1 && "test/range.test.js" in files)!;
    for (const one of tasks) expect([one.id, await failedGate(one)]).toEqual([one.id, undefined]);
  });

  it("passes what was stored as JSON", async () => {
    const verdicts = await checkTask(parseTask(JSON.parse(JSON.stringify(task))), new Validator(factory));
    expect(verdicts.every(({ ok }) => ok)).toBe(true);
    expect(verdicts[verdicts.length - 1].gate).toBe("same");
  });

  it("finds what was tampered with", async () => {
    const [file] = Object.keys(task.gold);
    const [first, ...others] = task.failToPass;
    expect(await failedGate({ ...task, id: "0123456789abcdef0123" })).toMatchObject({ gate: "same", reason: expect.stringMatching(/\bid\b/) });
    expect(await failedGate({ ...task, failToPass: others, passToPass: [...task.passToPass, first] })).toMatchObject({ gate: "same" });
    expect(await failedGate({ ...task, use: task.use === "rl" ? "evaluation" : "rl" })).toMatchObject({ gate: "same", reason: expect.stringMatching(/use/) });
    expect(await failedGate({ ...task, files: { ...task.files, ...task.gold } })).toMatchObject({ gate: "parse" });
    expect(await failedGate({ ...task, gold: { [file]: task.gold[file].replaceAll("return", "throw") } })).toMatchObject({ gate: "clean" });
    expect(await failedGate({ ...task, statement: "" })).toMatchObject({ gate: "statement" });
    expect(await failedGate({ ...task, files: { ...task.files, ...task.tests } })).toMatchObject({ gate: "same", reason: expect.stringMatching(/files/) });
    expect(await failedGate({ ...task, tests: {}, files: { [file]: task.files[file] } })).toMatchObject({ gate: "clean", reason: expect.stringMatching(/package\.json/) });
  });

  it("finds a script that does not show the bug, or is not content with the gold patch", async () => {
    const { tasks } = await makeTasks({ environment: sample(), factory, count: 3, seed: 1, levels: [3] });
    const shown = tasks.find(({ files }) => REPRODUCTION in files)!;
    expect((await checkTask(shown, new Validator(factory))).map(({ gate }) => gate)).toContain("script");
    for (const [text, reason] of [["console.log('ok')", /"ok" on the task's files/], ["console.log('still wrong')", /"still wrong" on the gold patch/], ["throw new Error()", /"" on the task's files/]] as const) {
      expect(await failedGate({ ...shown, files: { ...shown.files, [REPRODUCTION]: text } })).toMatchObject({ gate: "script", reason: expect.stringMatching(reason) });
    }
  });

  it("says which field of a stored value is wrong", () => {
    expect(() => parseTask({ ...task, level: 4 })).toThrow(/level/);
    expect(() => parseTask({ ...task, id: "x" })).toThrow(/id.*hex/);
    expect(() => parseTask({ ...task, files: { a: 1 } })).toThrow(/files\.a/);
    expect(() => parseTask({ ...task, version: 2 })).toThrow(/version 1: version/);
    expect(() => parseTask(null)).toThrow(TaskError);
  });
});
