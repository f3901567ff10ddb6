import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SandboxError, type SandboxFactory } from "../sandbox/index.ts";
import { createEmbeddedSandboxes } from "../sandbox/index.node.ts";
import { grade } from "./grade.ts";
import { makeTasks } from "./make.ts";
import { sample } from "./sample.ts";
import type { Task } from "./types.ts";

let factory: SandboxFactory;
let task: Task;
const solved = (changes: Record<string, string | undefined> = {}) => {
  const files: Record<string, string | undefined> = { ...task.files, ...task.gold, ...changes };
  return Object.fromEntries(Object.entries(files).filter((entry): entry is [string, string] => entry[1] !== undefined));
};

beforeAll(async () => {
  factory = createEmbeddedSandboxes({ workers: 1 });
  const { tasks } = await makeTasks({ environment: sample(), factory, count: 40, seed: 1 });
  task = tasks.find((one) => "src/range.js" in one.gold && "test/range.test.js" in one.files)!;
});
afterAll(() => factory.close());

describe("grade", () => {
  it("solves the gold patch and not the untouched files", async () => {
    expect(await grade(task, solved(), factory)).toEqual({ solved: true, failed: [], touchedTests: [] });
    expect(await grade(task, task.files, factory)).toEqual({ solved: false, failed: task.failToPass, touchedTests: [] });
  });

  it("does not depend on unrelated files the agent left", async () => {
    expect((await grade(task, solved({ "notes.txt": "done", "src/extra.js": "export const x = 1;" }), factory)).solved).toBe(true);
  });

  it("restores tests and configuration, and tells that they were touched", async () => {
    const easy = "import test from 'node:test';\ntest('rangeOf includes both ends', () => {});\n";
    const cheat = { ...task.files, "test/range.test.js": easy, "package.json": '{ "type": "commonjs" }' };
    expect(await grade(task, cheat, factory)).toEqual({
      solved: false, failed: task.failToPass, touchedTests: ["package.json", "test/range.test.js"],
    });
    expect(await grade(task, solved({ "package.json": undefined, "test/range.test.js": undefined }), factory)).toEqual({
      solved: true, failed: [], touchedTests: ["package.json", "test/range.test.js"],
    });
  });

  it("leaves out tests and configuration the agent added", async () => {
    const added = { "test/own.test.js": "import test from 'node:test';\ntest('own', () => { throw new Error('no'); });\n", "src/package.json": '{ "type": "commonjs" }' };
    expect(await grade(task, solved(added), factory)).toEqual({
      solved: true, failed: [], touchedTests: ["src/package.json", "test/own.test.js"],
    });
  });

  it("does not accept cases that nobody expects", async () => {
    const fake = `import test from 'node:test';\ntest('made by the source', () => {});\n${task.gold["src/range.js"]}`;
    expect(await grade(task, solved({ "src/range.js": fake }), factory)).toMatchObject({ solved: false, failed: [] });
  });

  it("does not solve code that ends the process before its tests, does not load, never ends or eats the memory", async () => {
    const before = (code: string) => solved({ "src/range.js": `${code}\n${task.gold["src/range.js"]}` });
    // On a busy machine the clock would speak first.
    const patient: SandboxFactory = { ...factory, create: (files, limits) => factory.create(files, { ...limits, timeMs: 60_000 }) };
    for (const code of ["process.exit(0);", "import './nowhere.js';", "const {", "for (;;) {}", "const xs = []; for (;;) xs.push('x'.repeat(1000) + xs.length);"]) {
      const result = await grade(task, before(code), patient);
      expect([code, result.solved]).toEqual([code, false]);
      expect(result.failed.length).toBeGreaterThan(0);
    }
    // The sandbox is as good as new afterwards.
    expect((await grade(task, solved(), factory)).solved).toBe(true);
  });

  it("throws when the wall clock ended the run: a busy machine is nobody's wrong answer", async () => {
    const slow: SandboxFactory = {
      ...factory,
      create: async (files, limits) => {
        const sandbox = await factory.create(files, limits);
        const failure = { kind: "timeout" as const, message: "stopped after 3000 ms", byClock: true as const };
        return { ...sandbox, test: async () => ({ cases: [], failure, output: "", durationMs: 3000 }), dispose: () => sandbox.dispose() };
      },
    };
    await expect(grade(task, solved(), slow)).rejects.toThrow(/wall clock: stopped after 3000 ms/);
  });

  it("throws when the sandbox fails or the caller stops", async () => {
    const closed = createEmbeddedSandboxes({ workers: 1 });
    await closed.close();
    await expect(grade(task, solved(), closed)).rejects.toThrow(SandboxError);
    const stop = new AbortController();
    stop.abort(new DOMException("stopped", "AbortError"));
    await expect(grade(task, solved(), factory, { signal: stop.signal })).rejects.toThrow("stopped");
  });
});
