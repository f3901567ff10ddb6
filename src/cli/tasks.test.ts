import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Task } from "../tasks/index.ts";
import type { CommandContext } from "./command.ts";
import { tasksCheck, tasksMake } from "./tasks.ts";

let folder: string;
let printed: string[];
const context: CommandContext = {
  signal: new AbortController().signal,
  print: (line) => printed.push(line),
  progress: () => ({ update: () => {}, end: () => {} }),
};
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tasks-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("tasks make and tasks check", () => {
  it("write tasks of a held-out environment, and find what is wrong with a changed file by its line", async () => {
    printed = [];
    const out = join(folder, "new", "tasks.jsonl");
    expect(await tasksMake(context, { env: "unitkit", count: 6, seed: 4, out })).toMatchObject({ ok: true, result: { count: 6, shortage: null } });
    const lines = (await readFile(out, "utf8")).trimEnd().split("\n");
    expect(lines).toHaveLength(6);
    expect(await tasksCheck(context, out)).toEqual({ ok: true, result: { file: out, count: 6, problems: [] } });

    const task = JSON.parse(lines[0]) as Task;
    const changed = join(folder, "changed.jsonl");
    await writeFile(changed, [
      lines[0],
      "{",
      JSON.stringify({ ...task, id: "00000000000000000000" }),
      lines[0],
      JSON.stringify({ ...task, env: "nosuch", id: "0000000000000000000a" }),
      JSON.stringify({ ...task, split: "train" }),
      lines[1],
      ...["", "src//c.js", "src/", "a\0b.js", "../x.js", "src/deep.js/y.js"].map((path) => JSON.stringify({ ...task, files: { ...task.files, "src/deep.js": "", [path]: "" } })),
    ].join("\n"));
    const { ok, result } = await tasksCheck(context, changed);
    const { problems } = result as { problems: { line: number; gate: string }[] };
    expect(ok).toBe(false);
    expect([...new Set(problems.map(({ line }) => line))]).toEqual([2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13]);
    for (const { gate } of problems.filter(({ line }) => line > 7)) expect(gate).toBe("form");
    expect(problems.find(({ line }) => line === 2)!.gate).toBe("form");
    expect(problems.find(({ line }) => line === 3)!.gate).toBe("same");
    expect(problems.find(({ line }) => line === 4)!.gate).toBe("duplicate");
    expect(printed).toContain("2 of 13 tasks are valid");
    expect(printed.find((line) => line.startsWith(`${changed}:2`))).toMatch(/JSON/);
  });

  it("write what there is and fail when there is less than asked for", async () => {
    printed = [];
    const repository = join(folder, "tiny");
    await mkdir(join(repository, "src"), { recursive: true });
    await writeFile(join(repository, "package.json"), '{ "type": "module" }');
    await writeFile(join(repository, "src/a.js"), "export const less = (a, b) => a < b;\nexport const same = (a) => a;\n");
    await writeFile(join(repository, "a.test.js"), "import test from 'node:test';\nimport assert from 'node:assert';\nimport { less, same } from './src/a.js';\n" +
      "test('less is strict', () => assert.equal(less(2, 2), false));\ntest('same', () => assert.equal(same(1), 1));\n");
    const out = join(folder, "few.jsonl");
    const { ok, result } = await tasksMake(context, { env: repository, count: 9, seed: 1, out });
    expect(ok).toBe(false);
    expect(result).toMatchObject({ wanted: 9, shortage: expect.stringMatching(/"tiny" gives \d of 9/) });
    expect((await readFile(out, "utf8")).split("\n").length - 1).toBe((result as { count: number }).count);
    expect((await tasksCheck(context, out)).ok).toBe(true);
  });

  it("leave a file alone that they have nothing better for", async () => {
    printed = [];
    const repository = join(folder, "bare");
    await mkdir(join(repository, "src"), { recursive: true });
    await writeFile(join(repository, "package.json"), '{ "type": "module" }');
    await writeFile(join(repository, "src/a.js"), "export const same = (a) => a;\n");
    await writeFile(join(repository, "a.test.js"), "import test from 'node:test';\nimport { same } from './src/a.js';\ntest('same', () => { same(1); });\n");
    const out = join(folder, "kept.jsonl");
    await writeFile(out, "kept\n");
    expect((await tasksMake(context, { env: repository, count: 2, seed: 1, out })).ok).toBe(false);
    expect(await readFile(out, "utf8")).toBe("kept\n");
    await expect(tasksMake(context, { env: repository, count: 2, seed: 1, out: folder })).rejects.toThrow(/--out takes a file/);
  });

  it("say what is wrong with their input", async () => {
    await expect(tasksMake(context, { env: "nosuch", count: 1, seed: 1, out: join(folder, "x") })).rejects.toThrow(/built-in environments/);
    await expect(tasksCheck(context, join(folder, "absent.jsonl"))).rejects.toThrow(/cannot read the task file/);
    await writeFile(join(folder, "empty.jsonl"), "");
    await expect(tasksCheck(context, join(folder, "empty.jsonl"))).rejects.toThrow(/is empty/);
  });
});
