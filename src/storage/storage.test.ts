import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMemoryStorage, JsonLinesError, mendJsonLines, readJsonLines, type Storage, StorageKeyError, toJsonLines } from "./index.ts";
import { createFileStorage } from "./index.node.ts";

const text = (data: Uint8Array | null) => (data ? new TextDecoder().decode(data) : null);
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "frogpond-storage-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

describe.each(["file", "memory"])("%s storage", (kind) => {
  let storage: Storage;
  beforeAll(() => {
    storage = kind === "file" ? createFileStorage(join(dir, "run")) : createMemoryStorage();
  });

  it("reads back what was written, and null for a missing key", async () => {
    expect(await storage.read("nothing.bin")).toBeNull();
    await storage.write("a/b.bin", new Uint8Array([1, 2, 255]));
    expect([...(await storage.read("a/b.bin"))!]).toEqual([1, 2, 255]);
    await storage.write("a/b.bin", "höher");
    expect(text(await storage.read("a/b.bin"))).toBe("höher");
  });

  it("appends, lists sorted by prefix, removes", async () => {
    await storage.append("log/x.jsonl", "1\n");
    await storage.append("log/x.jsonl", "2\n");
    await storage.write("log/a.json", "{}");
    expect(text(await storage.read("log/x.jsonl"))).toBe("1\n2\n");
    expect(await storage.list("log/")).toEqual(["log/a.json", "log/x.jsonl"]);
    await storage.remove("log/a.json");
    await storage.remove("log/a.json");
    expect(await storage.list("log/")).toEqual(["log/x.jsonl"]);
  });

  it("keeps its own copy of the bytes", async () => {
    const data = new Uint8Array([1]);
    await storage.write("own", data);
    data[0] = 9;
    (await storage.read("own"))![0] = 8;
    expect([...(await storage.read("own"))!]).toEqual([1]);
  });

  it.each(["../out", "/etc/passwd", "a//b", "", "a/./b", "a\\b"])("refuses the key %j", async (key) => {
    await expect(storage.write(key, "x")).rejects.toThrow(StorageKeyError);
  });

  it("drops a torn last JSONL line and names a bad one", async () => {
    await storage.write("good.jsonl", toJsonLines([{ a: 1 }, { a: 2 }]) + '{"a":');
    expect(await readJsonLines(storage, "good.jsonl")).toEqual([{ a: 1 }, { a: 2 }]);
    expect(await readJsonLines(storage, "none.jsonl")).toEqual([]);
    expect(await mendJsonLines(storage, "good.jsonl")).toHaveLength(2);
    await storage.append("good.jsonl", toJsonLines([{ a: 3 }]));
    expect(await readJsonLines(storage, "good.jsonl")).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
    await storage.write("bad.jsonl", '{"a":1}\nnot json\n{"a":2}\n');
    await expect(readJsonLines(storage, "bad.jsonl")).rejects.toThrow(JsonLinesError);
    await expect(readJsonLines(storage, "bad.jsonl")).rejects.toThrow("line 2");
  });
});

describe("file storage", () => {
  it("leaves no temporary file behind and hides one left by a crash", async () => {
    const storage = createFileStorage(join(dir, "atomic"));
    await Promise.all(Array.from({ length: 20 }, (_, i) => storage.write("state.json", String(i))));
    expect(await readdir(join(dir, "atomic"))).toEqual(["state.json"]);
    await writeFile(join(dir, "atomic", ".tmp-1-1"), "half");
    expect(await storage.list("")).toEqual(["state.json"]);
  });

  it("keeps the old bytes when a write fails", async () => {
    const storage = createFileStorage(join(dir, "failing"));
    await storage.write("state/x.json", "old");
    await expect(storage.write("state", "a folder is in the way")).rejects.toThrow();
    expect(text(await storage.read("state/x.json"))).toBe("old");
    expect(await readdir(join(dir, "failing"))).toEqual(["state"]);
  });
});
