import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEmbeddedSandboxes } from "../sandbox/index.node.ts";
import type { SandboxFactory } from "../sandbox/index.ts";
import { toJsonLines } from "../storage/index.ts";
import { findTask, makeTaskSet } from "./task-sets.ts";

let dir: string;
let sandboxes: SandboxFactory;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "frogpond-tasks-"));
  sandboxes = createEmbeddedSandboxes();
});
afterAll(async () => {
  await sandboxes.close();
  await rm(dir, { recursive: true, force: true });
});

describe("makeTaskSet", () => {
  it("shares the tasks among the environments, which take turns, and keeps training and evaluation sites apart", async () => {
    const spec = { environments: 2, tasks: 5 } as const;
    const evaluation = await makeTaskSet("train", spec, "evaluation", 1, sandboxes);
    const training = await makeTaskSet("train", spec, "rl", 1, sandboxes);
    const [a, b] = evaluation.environments;
    expect(evaluation.tasks.map((task) => task.env)).toEqual([a, b, a, b, a]);
    expect([evaluation, training].map((set) => [...new Set(set.tasks.map((task) => task.use))])).toEqual([["evaluation"], ["rl"]]);
    const ids = new Set(training.tasks.map((task) => task.id));
    expect(evaluation.tasks.some((task) => ids.has(task.id))).toBe(false);
    const file = join(dir, "tasks.jsonl");
    await writeFile(file, toJsonLines(evaluation.tasks));
    const { id } = evaluation.tasks[2];
    expect((await findTask(`${file}#${id.slice(0, 8)}`)).id).toBe(id);
    await expect(findTask(`${file}#zz`)).rejects.toThrow(/has no task zz; it holds 5 tasks, for example/);
  });
});

describe("findTask", () => {
  it.each(["tasks.jsonl", "#abc", "tasks.jsonl#"])("wants FILE#ID, not %j", async (reference) => {
    await expect(findTask(reference)).rejects.toThrow("--task takes FILE#ID");
  });
});
