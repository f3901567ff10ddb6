/** Faults of the workers themselves, which real workers do not show on demand: here they follow a script. */
import { describe, expect, test } from "vitest";
import { SandboxError } from "../sandbox.ts";
import { Pool, type SpawnWorker, type WorkerEvents } from "./pool.ts";
import type { Job, ToWorker } from "./protocol.ts";

const job: Job = {
  kind: "test", files: new Map(), directories: new Set(), paths: [], limits: { timeMs: 100, memoryBytes: 1 << 20, outputChars: 100 },
};
const outcome = { kind: "test" as const, result: { cases: [], failure: null, output: "", durationMs: 0 } };

/** The nth worker answers a job as the nth behaviour says; the last behaviour serves all later workers. */
function scripted(...behaviours: ((events: WorkerEvents, message: ToWorker) => void)[]) {
  const log = { spawned: 0, terminated: 0 };
  const spawn: SpawnWorker = (events) => {
    const answer = behaviours[Math.min(log.spawned++, behaviours.length - 1)];
    queueMicrotask(() => events.message({ ready: true }));
    return { post: (message) => queueMicrotask(() => answer(events, message)), terminate: () => void log.terminated++ };
  };
  return { spawn, log };
}
const works = (events: WorkerEvents, { id }: ToWorker) => events.message({ id, outcome });
const refuses: SpawnWorker = () => {
  throw new SandboxError("not built");
};
const dies = (events: WorkerEvents) => events.died("exit code 1", false);

describe("worker pool", () => {
  test("runs a job again when its worker dies, and gives up after the second time", async () => {
    const once = scripted(dies, works);
    expect(await new Pool(once.spawn, 1).run(job, 100)).toEqual({ kind: "done", outcome });
    expect(once.log.spawned).toBe(2);
    const always = scripted(dies);
    await expect(new Pool(always.spawn, 1).run(job, 100)).rejects.toThrow(new SandboxError("a sandbox worker died twice on one job: exit code 1"));
  });

  test("tells a worker without memory from one that died", async () => {
    const { spawn } = scripted((events) => events.died("out of memory", true));
    expect(await new Pool(spawn, 1).run(job, 100)).toEqual({ kind: "memory" });
  });

  test("gives up when workers do not start", async () => {
    let tries = 0;
    const spawn: SpawnWorker = (events) => {
      tries++;
      queueMicrotask(() => events.died("no such file", false));
      return { post: () => {}, terminate: () => {} };
    };
    await expect(new Pool(spawn, 1).run(job, 100)).rejects.toThrow(new SandboxError("a sandbox worker did not start: no such file"));
    expect(tries).toBe(2);
    await expect(new Pool(refuses, 1).run(job, 100)).rejects.toThrow("not built");
  });

  test("ends a worker that does not answer, and takes an answer that waited in a busy thread's queue", async () => {
    const silent = scripted(() => {}, works);
    const pool = new Pool(silent.spawn, 1);
    expect(await pool.run(job, 20)).toEqual({ kind: "timeout" });
    expect(silent.log.terminated).toBe(1);
    expect(await pool.run(job, 20)).toEqual({ kind: "done", outcome });
    // The answer is posted, then the thread is busy until long after the deadline.
    const late = scripted((events, { id }) => {
      setTimeout(() => events.message({ id, outcome }), 10);
      const end = performance.now() + 1200;
      while (performance.now() < end);
    });
    expect(await new Pool(late.spawn, 1).run(job, 20)).toEqual({ kind: "done", outcome });
  });

  test("passes a fault of the worker's own code on as an error, never as a result", async () => {
    const { spawn } = scripted((events, { id }) => events.message({ id, fault: "TypeError: x" }));
    await expect(new Pool(spawn, 1).run(job, 100)).rejects.toThrow(new SandboxError("the sandbox worker failed: TypeError: x"));
  });
});
