/** What every back end must do alike. */
import http from "node:http";
import { afterAll, describe, expect, test } from "vitest";
import { createEmbeddedSandboxes, createNodeSandboxes } from "./index.node.ts";
import { type Files, SandboxError, SandboxFileError, type SandboxFactory, type SandboxLimits } from "./index.ts";

const MANIFEST = JSON.stringify({ name: "demo", version: "1.2.3", type: "module", scripts: { test: "node --test" } });
const SUITE: Files = {
  "package.json": MANIFEST,
  "src/sum.js": "export function sum(a, b) {\n  return a - b;\n}\nexport const half = (n) => n / 2;\n",
  "test/sum.test.js": `import { describe, it, test } from "node:test";
import assert from "node:assert/strict";
import { half, sum } from "../src/sum.js";

describe("sum", () => {
  it("adds", () => assert.equal(sum(2, 3), 5));
  it("keeps zero", () => assert.equal(sum(4, 0), 4));
  describe("of lists", () => {
    it("gives pairs", () => assert.deepEqual([sum(1, 1), { n: sum(2, 2) }], [2, { n: 4 }]));
  });
});
test("half", async (t) => {
  assert.equal(half(3), 1.5);
  await t.test("of nothing", () => assert.equal(half(0), 0));
});
test("refuses text", () => assert.throws(() => half("x").missing(), RangeError));
test("is not ready", { skip: "later" }, () => assert.fail());
test("breaks", () => {
  throw new RangeError("too far");
});
`,
};
const suiteOf = (body: string): Files => ({
  "package.json": MANIFEST,
  "test/a.test.js": `import test from "node:test";\nimport assert from "node:assert/strict";\n${body}\n`,
});

const factories: [string, SandboxFactory][] = [
  ["embedded", createEmbeddedSandboxes({ workers: 2 })],
  ["node", createNodeSandboxes()],
];
afterAll(() => Promise.all(factories.map(([, f]) => f.close())));

describe.each(factories)("%s sandbox", (name, factory) => {
  const slow: Partial<SandboxLimits> = { timeMs: 20_000 };

  test("keeps files exactly as written", async () => {
    const text = "\ufeffline one\r\nzwei ä €\r\n\r\nlast";
    const s = await factory.create({ "b/c.txt": text, "a.txt": "" });
    expect(await s.readFile("b/c.txt")).toBe(text);
    await s.writeFile("new/deep/x.md", text);
    await s.writeFile("a.txt", "changed");
    expect(await s.list()).toEqual(["a.txt", "b/c.txt", "new/deep/x.md"]);
    expect(await s.snapshot()).toEqual({ "a.txt": "changed", "b/c.txt": text, "new/deep/x.md": text });
    await s.removeFile("a.txt");
    expect(await s.list()).toEqual(["b/c.txt", "new/deep/x.md"]);
    // A command that leaves a file alone must leave its bytes alone.
    expect((await s.exec("cat b/c.txt > copy.txt; ls b", slow)).stdout).toBe("c.txt\n");
    expect(await s.readFile("copy.txt")).toBe(text);
    expect(await s.readFile("b/c.txt")).toBe(text);
    await s.dispose();
  });

  test("refuses wrong paths with one clear error", async () => {
    const s = await factory.create({ "src/a.js": "" });
    await expect(s.readFile("src/none.js")).rejects.toThrow(new SandboxFileError("src/none.js: no such file"));
    await expect(s.removeFile("none")).rejects.toThrow(SandboxFileError);
    await expect(s.readFile("../etc/passwd")).rejects.toThrow("outside the repository");
    await expect(s.writeFile("/etc/x", "")).rejects.toThrow(SandboxFileError);
    await expect(s.writeFile("src", "")).rejects.toThrow("src: is a directory");
    await expect(s.writeFile("src/a.js/b", "")).rejects.toThrow(SandboxFileError);
    await expect(factory.create({ "../x": "" })).rejects.toThrow(SandboxFileError);
    await s.dispose();
  });

  test("runs shell commands and keeps the working directory", async () => {
    const s = await factory.create(SUITE);
    expect(await s.exec("pwd", slow)).toMatchObject({ stdout: "/repo\n", exitCode: 0, timedOut: false });
    expect((await s.exec("grep -rn 'a - b' . | head -1", slow)).stdout).toMatch(/^(\.\/)?src\/sum\.js:2: {2}return a - b;\n$/);
    expect((await s.exec("cd src && ls", slow)).stdout).toBe("sum.js\n");
    expect((await s.exec("pwd; sed -i 's/a - b/a + b/' sum.js; echo $?", slow)).stdout).toBe("/repo/src\n0\n");
    expect(await s.readFile("src/sum.js")).toContain("return a + b;");
    const failed = await s.exec("cat nothing.txt", slow);
    expect(failed.exitCode).not.toBe(0);
    expect(failed.stderr).toContain("No such file");
    expect((await s.exec("cat /repo/package.json | wc -l; exit 3", slow)).exitCode).toBe(3);
    await s.exec("mkdir -p /repo/made/empty; rm sum.js", slow);
    expect((await s.exec("ls /repo/made", slow)).stdout).toBe("empty\n");
    expect(await s.list()).toEqual(["package.json", "test/sum.test.js"]);
    await s.dispose();
  });

  test("runs programs", async () => {
    const s = await factory.create({
      "package.json": MANIFEST,
      "main.js": `import fs from "node:fs";
import { readFile } from "node:fs/promises";
import tool from "./tool.cjs";
import data from "./data.json" with { type: "json" };
fs.writeFileSync("out.txt", process.argv.slice(2).join("+"));
console.log(tool.twice(data.n), await readFile(new URL("./data.json", import.meta.url), "utf8"), process.cwd());
console.error("warned %d", 3);
process.exitCode = 4;
`,
      "tool.cjs": `const path = require("node:path");\nmodule.exports = { twice: (n) => n * 2, name: path.basename("/a/b.txt", ".txt") };\n`,
      "data.json": '{"n":21}',
      "broken.js": "\n\nfunction f() {\n  null.x;\n}\nf();\n",
    });
    expect(await s.exec("node main.js a b", slow)).toMatchObject({ stdout: '42 {"n":21} /repo\n', exitCode: 4 });
    expect((await s.exec("node main.js 2>&1 >/dev/null", slow)).stdout).toContain("warned 3");
    expect(await s.readFile("out.txt")).toBe("");
    expect((await s.exec("node main.js x; cat out.txt", slow)).stdout).toMatch(/x$/);
    const broken = await s.exec("node broken.js", slow);
    expect(broken.exitCode).toBe(1);
    expect(broken.stderr).toMatch(/TypeError/);
    expect(broken.stderr).toMatch(/broken\.js:4:/);
    expect((await s.exec("node -p '1 + 1'; node -e 'console.log(require(\"os\").EOL.length)'", slow)).stdout).toBe("2\n1\n");
    expect((await s.exec("node nothing.js", slow)).exitCode).toBe(1);
    await s.dispose();
  });

  test("reports each test by its full name", async () => {
    const s = await factory.create(SUITE, slow);
    const run = await s.test();
    expect(run.failure).toBeNull();
    expect(run.cases.map((c) => [c.name, c.status])).toEqual([
      ["test/sum.test.js > sum > adds", "fail"],
      ["test/sum.test.js > sum > keeps zero", "pass"],
      ["test/sum.test.js > sum > of lists > gives pairs", "fail"],
      ["test/sum.test.js > half > of nothing", "pass"],
      ["test/sum.test.js > half", "pass"],
      ["test/sum.test.js > refuses text", "fail"],
      ["test/sum.test.js > is not ready", "skip"],
      ["test/sum.test.js > breaks", "fail"],
    ]);
    const of = (end: string) => run.cases.find((c) => c.name.endsWith(end))!;
    expect(of("adds")).toMatchObject({ actual: "-1", expected: "5" });
    expect(of("adds").error).toContain("Expected values to be strictly equal:\n\n-1 !== 5");
    expect(of("gives pairs")).toMatchObject({ actual: "[ 0, { n: 0 } ]", expected: "[ 2, { n: 4 } ]" });
    expect(of("refuses text").actual).toMatch(/^throws TypeError/);
    expect(of("breaks").actual).toBe("throws RangeError: too far");
    expect(of("breaks").error).toMatch(/^RangeError: too far\n.*test\/sum\.test\.js:19:/);
    await s.writeFile("src/sum.js", SUITE["src/sum.js"].replace("a - b", "a + b"));
    expect((await s.test(["test/sum.test.js"])).cases.filter((c) => c.status === "fail").map((c) => c.name)).toEqual([
      "test/sum.test.js > refuses text",
      "test/sum.test.js > breaks",
    ]);
    await s.dispose();
  });

  test("prints TAP for node --test, also through npm", async () => {
    const s = await factory.create(SUITE, slow);
    const direct = await s.exec("node --test");
    expect(direct.exitCode).toBe(1);
    expect(direct.stdout).toMatch(/^TAP version 13\n/);
    expect(direct.stdout).toContain("# Subtest: sum\n    # Subtest: adds\n    not ok 1 - adds\n");
    expect(direct.stdout).toMatch(/\n# tests 8\n# suites 2\n# pass 3\n# fail 4\n# cancelled 0\n# skipped 1\n# todo 0\n/);
    const npm = await s.exec("npm test");
    expect(npm.stdout).toContain("\n> demo@1.2.3 test\n> node --test\n");
    expect(npm.stdout).toContain("# pass 3");
    expect(npm.exitCode).not.toBe(0);
    const chosen = await s.exec("node --test --test-reporter=spec test/sum.test.js");
    expect(chosen.stdout).toContain("ℹ fail 4");
    await s.dispose();
  });

  test("runs TypeScript, with the lines of its source", async () => {
    const s = await factory.create(
      {
        "package.json": MANIFEST,
        "src/shape.ts": "export interface Shape { side: number }\nexport enum Kind { A = 1, B }\nexport const area = (s: Shape): number => s.side ** 2;\nexport function fail(): never {\n  throw new Error(`line five`);\n}\n",
        "test/shape.test.ts": 'import test from "node:test";\nimport assert from "node:assert/strict";\nimport { area, fail, Kind, type Shape } from "../src/shape.ts";\ntest("area", () => { const s: Shape = { side: 3 }; assert.equal(area(s) + Kind.B, 11); });\ntest("fails", () => fail());\n',
      },
      slow,
    );
    const { cases } = await s.test();
    expect(cases.map((c) => c.status)).toEqual(["pass", "fail"]);
    expect(cases[1].error).toMatch(/line five\n.*src\/shape\.ts:5:/);
    await s.dispose();
  });

  test("tells a file that does not load from a failing test", async () => {
    const s = await factory.create(
      {
        ...suiteOf('test("fine", () => {});'),
        "test/syntax.test.js": "const x = ;\n",
        "test/import.test.js": 'import { nope } from "../src/x.js";\n',
        "test/throws.test.js": 'import test from "node:test";\ntest("never runs", () => {});\nthrow new Error("at the top");\n',
        "src/x.js": "export const yes = 1;\n",
      },
      slow,
    );
    const run = await s.test();
    expect(run.cases.map((c) => [c.name, c.status])).toEqual([
      ["test/a.test.js > fine", "pass"],
      ["test/import.test.js", "fail"],
      ["test/syntax.test.js", "fail"],
      ["test/throws.test.js", "fail"],
    ]);
    expect(run.failure).toMatchObject({ kind: "load" });
    expect(run.cases[1].error).toMatch(/does not provide an export named 'nope'/);
    expect(run.cases[2].error).toMatch(/SyntaxError/);
    expect(run.cases[3].error).toMatch(/at the top/);
    expect((await s.test(["test/none.test.js"])).failure).toEqual({ kind: "load", message: "test/none.test.js: no such test file" });
    await s.dispose();
    const empty = await factory.create({ "package.json": MANIFEST });
    expect((await empty.test()).failure).toMatchObject({ kind: "load", message: expect.stringContaining("no test files") });
    await empty.dispose();
  });

  test("ends a test that never ends", async () => {
    const loop = await factory.create(suiteOf('test("first", () => {});\ntest("loops", () => { for (;;); });'), { timeMs: 2500 });
    const run = await loop.test();
    expect(run.failure).toMatchObject({ kind: "timeout", message: expect.stringContaining("2500 ms") });
    // The sandbox is as good as before.
    await loop.writeFile("test/a.test.js", 'import test from "node:test";\ntest("short", () => {});\n');
    expect((await loop.test()).cases).toEqual([{ name: "test/a.test.js > short", status: "pass" }]);
    await loop.dispose();
    const pending = await factory.create(suiteOf('test("first", () => {});\ntest("waits", () => new Promise(() => {}));\ntest("last", () => {});'), slow);
    const waiting = await pending.test();
    expect(waiting.failure).toEqual({
      kind: "timeout",
      message: "test/a.test.js > waits never ended: its promise was still pending when nothing was left to run",
    });
    expect(waiting.cases.map((c) => c.status)).toEqual(["pass", "fail", "fail"]);
    await pending.dispose();
    const timers = await factory.create(suiteOf('test("ticks", () => { setInterval(() => {}, 100); });'), { timeMs: 2500 });
    expect((await timers.test()).failure).toMatchObject({ kind: "timeout" });
    await timers.dispose();
  });

  test("ends a command that never ends", async () => {
    const s = await factory.create({ "package.json": MANIFEST, "loop.js": 'console.log("begin");\nfor (;;);\n' });
    const program = await s.exec("node loop.js", { timeMs: 2000 });
    expect(program).toMatchObject({ timedOut: true, exitCode: 124 });
    const shell = await s.exec("while true; do true; done", { timeMs: 1500 });
    expect(shell.exitCode).not.toBe(0);
    expect((await s.exec("echo alive", slow)).stdout).toBe("alive\n");
    await s.dispose();
  });

  test("ends a memory bomb", async () => {
    const s = await factory.create(
      suiteOf('test("eats", () => { const a = []; for (;;) a.push(new Array(1000).fill(a.length)); });'),
      { timeMs: 30_000, memoryBytes: 64 << 20 },
    );
    const run = await s.test();
    expect(run.failure).toMatchObject({ kind: "memory", message: expect.stringContaining("out of memory") });
    expect(run.cases.every((c) => c.status === "fail")).toBe(true);
    await s.dispose();
  });

  test("has a seeded random and a frozen clock", async () => {
    const files = suiteOf(`
const t0 = Date.now();
test("clock", async () => {
  assert.equal(t0, Date.UTC(2024, 0, 1));
  assert.equal(new Date().toISOString(), "2024-01-01T00:00:00.000Z");
  let n = 0;
  for (let i = 0; i < 1e5; i++) n += i;
  assert.equal(Date.now(), t0);
  await new Promise((resolve) => setTimeout(resolve, 40));
  assert.equal(Date.now() - t0, 40);
  assert.ok(new Date() instanceof Date);
  assert.equal(new Date(5).getTime(), 5);
});
test("random", () => console.log([Math.random(), Math.random()].map((x) => x.toFixed(6)).join(" ")));`);
    for (let i = 0; i < 2; i++) {
      const s = await factory.create(files, slow);
      const run = await s.test();
      expect(run.cases.map((c) => c.error)).toEqual([undefined, undefined]);
      expect(run.output.trim()).toBe("0.627074 0.002736");
      await s.dispose();
    }
  });

  test("has no network", async () => {
    let hits = 0;
    const server = http.createServer((_request, response) => {
      hits++;
      response.end("hello");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
    try {
      const s = await factory.create(
        suiteOf(`
test("fetch", () => assert.equal(typeof fetch, "undefined"));
test("http", async () => {
  await assert.rejects(async () => {
    const http = await import("node:http");
    await new Promise((resolve, reject) => http.get("${url}", resolve).on("error", reject));
  });
});
test("import", () => assert.rejects(() => import("${url}x.js")));`),
        slow,
      );
      expect((await s.test()).cases.map((c) => [c.status, c.error])).toEqual([["pass", undefined], ["pass", undefined], ["pass", undefined]]);
      await s.dispose();
      expect(hits).toBe(0);
    } finally {
      server.close();
    }
  });

  test("shares nothing between episodes or runs", async () => {
    const files = suiteOf(`
test("fresh", () => {
  assert.equal(globalThis.leak, undefined);
  assert.equal(Array.prototype.leak, undefined);
  globalThis.leak = Array.prototype.leak = 1;
});`);
    const a = await factory.create(files, slow);
    const b = await factory.create(files, slow);
    await a.writeFile("only-a.txt", "a");
    await a.exec("echo x > /tmp/shared.txt", slow);
    for (const s of [a, b, a]) expect((await s.test()).cases.map((c) => c.status)).toEqual(["pass"]);
    expect(await b.list()).toEqual(["package.json", "test/a.test.js"]);
    if (name === "embedded") expect((await b.exec("cat /tmp/shared.txt")).exitCode).toBe(1);
    await a.dispose();
    await b.dispose();
  });

  test("can be cancelled and disposed of", async () => {
    const s = await factory.create(suiteOf('test("loops", () => { for (;;); });'), slow);
    const cancel = new AbortController();
    const running = s.test(undefined, { signal: cancel.signal });
    const command = s.exec("while true; do true; done", { signal: cancel.signal });
    setTimeout(() => cancel.abort(new Error("stopped by the user")), 300);
    await expect(running).rejects.toThrow("stopped by the user");
    await expect(command).rejects.toThrow("stopped by the user");
    expect((await s.exec("echo still here", slow)).stdout).toBe("still here\n");
    await s.dispose();
    await expect(s.readFile("package.json")).rejects.toThrow(SandboxError);
    await expect(s.exec("true")).rejects.toThrow("disposed");
    await s.dispose();
  });
});
