import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { envCheck } from "./env-check.ts";

let base = "";
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "env-check-"));
});
afterAll(() => rm(base, { recursive: true, force: true }));

async function folder(name: string, files: Record<string, string>): Promise<string> {
  for (const [path, text] of Object.entries({ ".keep": "", ...files })) {
    const file = join(base, name, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return join(base, name);
}
async function check(dir: string) {
  const lines: string[] = [];
  const outcome = await envCheck({ print: (line) => lines.push(line), signal: new AbortController().signal }, dir);
  return { ...outcome, text: lines.join("\n") };
}
const manifest = JSON.stringify({ name: "x", type: "module" });
const suite = (body: string) => `import test from "node:test";\nimport assert from "node:assert/strict";\n${body}\n`;

describe("env check", () => {
  test("agrees on a plain repository", async () => {
    const dir = await folder("plain", {
      "package.json": manifest,
      "index.js": "export const one = 1;\n",
      "test/one.test.js": suite('import { one } from "../index.js";\ntest("one", () => assert.equal(one, 1));\ntest.skip("later", () => {});'),
    });
    const { ok, result, text } = await check(dir);
    expect(ok).toBe(true);
    expect(result).toEqual({
      env: "plain",
      agree: true,
      passes: true,
      cases: [
        { name: "test/one.test.js > one", embedded: "pass", node: "pass" },
        { name: "test/one.test.js > later", embedded: "skip", node: "skip" },
      ],
      failures: { embedded: null, node: null },
    });
    expect(text.split("\n")).toEqual(["test/one.test.js > one: pass in both", "test/one.test.js > later: skip in both", "2 tests agree between the embedded sandbox and Node"]);
  });

  test("names the tests that differ", async () => {
    const dir = await folder("differs", {
      "package.json": manifest,
      "a.test.js": suite('test("same", () => {});\ntest("zlib", async () => assert.ok((await import("node:zlib")).gzipSync));'),
    });
    const { ok, result, text } = await check(dir);
    expect(ok).toBe(false);
    expect(result.agree).toBe(false);
    expect(result.cases).toContainEqual({ name: "a.test.js > zlib", embedded: "fail", node: "pass" });
    expect(text).toContain("a.test.js > zlib: fail in the sandbox, pass in Node");
    expect(text).toContain("Cannot find module 'node:zlib'");
  });

  test("says when the suite itself fails or never ends", async () => {
    const failing = await check(await folder("failing", { "package.json": manifest, "a.test.js": suite('test("wrong", () => assert.equal(1, 2));') }));
    expect(failing).toMatchObject({ ok: false, result: { agree: true, passes: false } });
    expect(failing.text).toContain("the suite itself fails");
    expect(failing.text).toContain("a.test.js > wrong");
    const pending = await check(await folder("pending", { "package.json": manifest, "a.test.js": suite('test("waits", () => new Promise(() => {}));') }));
    expect(pending).toMatchObject({ ok: false, result: { agree: true, failures: { embedded: { kind: "timeout" }, node: { kind: "timeout" } } } });
  });

  test("refuses what is no repository with tests", async () => {
    await expect(check(join(base, "nowhere"))).rejects.toThrow("there is no folder");
    await expect(check(await folder("bare", {}))).rejects.toThrow("has no package.json");
    await expect(check(await folder("broken", { "package.json": "{" }))).rejects.toThrow("is not valid JSON");
    await expect(check(await folder("untested", { "package.json": manifest, "a.js": "" }))).rejects.toThrow("has no test files");
    await expect(check(join(base, "bare/.keep"))).rejects.toThrow("is a file");
  });
});
