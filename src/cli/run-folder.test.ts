import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PRESETS } from "./presets.ts";
import { lockRun, openRun, RunFolderError, SUMMARY_KEY } from "./run-folder.ts";

const RUN = { command: "demo", device: "wasm", preset: PRESETS.quick, seed: 1, modelHash: "a".repeat(64) };
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "frogpond-run-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

describe("lockRun", () => {
  it("lets one process in at a time, and takes over from one that is gone", async () => {
    const unlock = await lockRun(dir);
    await expect(lockRun(dir)).rejects.toThrow(new RegExp(`process ${process.pid} is at work`));
    // The lock is no part of the run.
    await openRun(dir, RUN, {});
    await unlock();
    const gone = spawnSync(process.execPath, ["-e", ""]).pid;
    // Many rounds: that two of them remove the same dead lock must not let both in.
    for (const owner of Array.from({ length: 20 }, () => [`${gone} x`, "", "no number"]).flat()) {
      await writeFile(join(dir, "run.lock"), owner);
      const takers = await Promise.allSettled(Array.from({ length: 8 }, () => lockRun(dir)));
      const winners = takers.filter((taker) => taker.status === "fulfilled");
      expect(winners).toHaveLength(1);
      await winners[0].value();
      expect(await readdir(dir)).toEqual(["run.json"]);
    }
  });

  it("says when the folder cannot be made", async () => {
    await writeFile(join(dir, "file"), "");
    await expect(lockRun(join(dir, "file"))).rejects.toThrow(/no run can be kept in .*choose another folder with --out/);
  });

  it("says what to remove where a process died while it took over", async () => {
    for (const name of ["run.lock", "run.lock.removing"]) await writeFile(join(dir, name), "");
    await expect(lockRun(dir)).rejects.toThrow(/remove .*run.lock and .*run.lock.removing/);
  });

  it("leaves a lock alone that has become another's", async () => {
    const unlock = await lockRun(dir);
    await writeFile(join(dir, "run.lock"), "1 other");
    await unlock();
    expect(await readdir(dir)).toEqual(["run.lock"]);
  });
});

describe("openRun", () => {
  it("begins a run, and continues it with the settings it began with", async () => {
    const { storage } = await openRun(dir, RUN, {});
    await storage.write("metrics.jsonl", "{}\n");
    const again = await openRun(dir, { ...RUN, seed: 9, preset: { ...PRESETS.quick, updates: 50 } }, { resume: true });
    expect(again.identity).toEqual(RUN);
    expect(await again.storage.read("metrics.jsonl")).not.toBeNull();
  });

  it("neither continues nor replaces a run unasked", async () => {
    const { storage } = await openRun(dir, RUN, {});
    await expect(openRun(dir, RUN, {})).rejects.toThrow(/unfinished run; continue it with --resume/);
    await storage.write(SUMMARY_KEY, "{}");
    await expect(openRun(dir, RUN, {})).rejects.toThrow(/finished run; .*--force/);
    await expect(openRun(dir, RUN, { resume: true })).rejects.toThrow(/finished run/);
    expect(await storage.list("")).toEqual(["run.json", SUMMARY_KEY]);
  });

  it("replaces a run with force, removing what it left and nothing else", async () => {
    const { storage } = await openRun(dir, RUN, {});
    for (const key of ["checkpoint.safetensors", "tasks/train.jsonl", "notes.txt"]) await storage.write(key, "old");
    await storage.write(SUMMARY_KEY, "{}");
    await openRun(dir, { ...RUN, seed: 2 }, { force: true });
    expect(await storage.list("")).toEqual(["notes.txt", "run.json"]);
    expect((await openRun(dir, RUN, { resume: true })).identity.seed).toBe(2);
  });

  it("never touches a folder that holds something else", async () => {
    await writeFile(join(dir, "thesis.tex"), "years of work");
    for (const options of [{}, { force: true }]) await expect(openRun(dir, RUN, options)).rejects.toThrow(/holds other files \(thesis.tex\)/);
  });

  it("says when there is nothing to resume, or another run", async () => {
    await expect(openRun(dir, RUN, { resume: true })).rejects.toThrow(/no run to resume/);
    await openRun(dir, RUN, {});
    await expect(openRun(dir, { ...RUN, modelHash: "b".repeat(64) }, { resume: true })).rejects.toThrow(/model aaaaaaaaaaaa, not bbbbbbbbbbbb/);
    await expect(openRun(dir, { ...RUN, preset: PRESETS.study }, { resume: true })).rejects.toThrow(/preset "quick", not "study"/);
    await expect(openRun(dir, { ...RUN, device: "reference" }, { resume: true })).rejects.toThrow(/resume it with --device wasm/);
    await expect(openRun(dir, { ...RUN, command: "train" }, { resume: true })).rejects.toThrow(/started by demo; resume it with that command, not with train/);
  });

  it("does not throw a run away that is to be resumed", async () => {
    const { storage } = await openRun(dir, RUN, {});
    await storage.write("metrics.jsonl", "{}\n");
    await expect(openRun(dir, RUN, { resume: true, force: true })).rejects.toThrow(/give one of them/);
    expect(await storage.read("metrics.jsonl")).not.toBeNull();
  });

  it("refuses a run of another format version, or a damaged record", async () => {
    const { storage } = await openRun(dir, RUN, {});
    await storage.write("run.json", JSON.stringify({ version: 9, package: { name: "frogpond", version: "9.0.0" }, ...RUN }));
    await expect(openRun(dir, RUN, { resume: true })).rejects.toThrow(/format version 9, this program writes version 2; .*frogpond 9.0.0/);
    for (const text of ["{", "null", "7", '{"version":2}', JSON.stringify({ version: 2, ...RUN, package: { name: "frogpond", version: "1" }, preset: null })]) {
      await storage.write("run.json", text);
      await expect(openRun(dir, RUN, { resume: true })).rejects.toThrow(RunFolderError);
    }
  });
});
