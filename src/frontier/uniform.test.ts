import { describe, expect, it } from "vitest";
import type { Task } from "../tasks/index.ts";
import { TaskSourceError, uniformSource } from "./index.ts";

const tasks = (n: number): Task[] =>
  Array.from({ length: n }, (_, i) => ({
    id: `task-${i}`, version: 1, env: "e", split: "train", use: "rl", operators: [], statement: "s", level: 1,
    files: {}, gold: {}, tests: {}, failToPass: [], passToPass: [],
  }));
const ids = async (source: ReturnType<typeof uniformSource>, n: number) => (await source.next(n)).map((task) => task.id);

describe("uniformSource", () => {
  it("gives each task once per epoch, in another order each epoch", async () => {
    const source = uniformSource(tasks(6), 1);
    const first = [...(await ids(source, 3)), ...(await ids(source, 3))];
    const second = await ids(source, 6);
    expect(new Set(first).size).toBe(6);
    expect(new Set(second).size).toBe(6);
    expect(second).not.toEqual(first);
  });

  it("never repeats a task within a batch that crosses epochs", async () => {
    const source = uniformSource(tasks(5), 2);
    const counts = new Map<string, number>();
    for (let i = 0; i < 25; i++) {
      const batch = await ids(source, 4);
      expect(new Set(batch).size).toBe(4);
      for (const id of batch) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    expect([...counts.values()]).toEqual([20, 20, 20, 20, 20]);
  });

  it("continues from its saved state, and depends on the seed and the set, not on the list's order", async () => {
    const source = uniformSource(tasks(7), 3);
    await source.next(5);
    const resumed = uniformSource(tasks(7).toReversed(), 3);
    resumed.restore(JSON.parse(JSON.stringify(source.state())));
    expect(await ids(resumed, 6)).toEqual(await ids(source, 6));
    expect(await ids(uniformSource(tasks(7), 3), 7)).not.toEqual(await ids(uniformSource(tasks(7), 4), 7));
  });

  it("says when there are too few tasks or the saved state is of other tasks", async () => {
    await expect(uniformSource(tasks(2), 1).next(3)).rejects.toThrow(TaskSourceError);
    const source = uniformSource(tasks(4), 1);
    await source.next(1);
    expect(() => uniformSource(tasks(2), 1).restore(source.state())).toThrow(TaskSourceError);
  });
});
