/** What guest code may not do: outlive its time, eat memory, break the engine, reach the worker, fool the runner. */
import { afterAll, describe, expect, test } from "vitest";
import { createEmbeddedSandboxes } from "../index.node.ts";
import { SandboxError } from "../index.ts";

const factory = createEmbeddedSandboxes({ workers: 2 });
afterAll(() => factory.close());
const MANIFEST = '{"type":"module"}';

async function node(code: string, timeMs = 10_000) {
  const sandbox = await factory.create({ "package.json": MANIFEST, "main.js": code }, { timeMs, memoryBytes: 32 << 20 });
  const result = await sandbox.exec("node main.js");
  // Whatever happened, the next command of the same episode works.
  expect((await sandbox.exec("node -p 40+2")).stdout).toBe("42\n");
  await sandbox.dispose();
  return result;
}

describe("time", () => {
  test.each([
    ["a regular expression that backtracks", "/^(a+)+$/.test('a'.repeat(50) + '!')"],
    ["one long operation of the engine", "let s = 'ab'.repeat(1 << 20); for (;;) s.split('').reverse().join('').indexOf('zzz')"],
    ["a loop that catches everything", "for (;;) { try { for (;;); } catch {} }"],
    ["endless microtasks", "(function again() { Promise.resolve().then(again); })()"],
    ["endless immediates", "(function again() { setImmediate(again); })()"],
    ["an endless generator", "[...(function* () { for (;;) yield 1; })()].length"],
  ])("ends %s", async (_name, code) => {
    const begin = performance.now();
    const result = await node(code, 800);
    expect(result.exitCode).not.toBe(0);
    // The engine polls rarely inside one operation: then the worker is ended a second later.
    expect(performance.now() - begin).toBeLessThan(8000);
  });

  test("does not lose an episode's files or other episodes' work when a worker is ended", async () => {
    const victim = await factory.create({ "package.json": MANIFEST, "main.js": "'x'.repeat(1 << 22).split('').map((c) => c.repeat(50)).join('').replace(/(x+)+y/g, '')" }, { timeMs: 500 });
    await victim.writeFile("kept.txt", "kept");
    const other = await factory.create({ "package.json": MANIFEST });
    const [stopped, ...fine] = await Promise.all([victim.exec("node main.js"), ...Array.from({ length: 20 }, (_, i) => other.exec(`node -p ${i}`))]);
    expect(stopped.exitCode).not.toBe(0);
    expect(fine.map((r) => r.stdout)).toEqual(Array.from({ length: 20 }, (_, i) => `${i}\n`));
    expect(await victim.readFile("kept.txt")).toBe("kept");
    expect((await victim.exec("cat kept.txt")).stdout).toBe("kept");
  });

  test("tells an end by the clock from one by the count of steps", async () => {
    const sandbox = await factory.create({ "package.json": MANIFEST, "a.test.js": `import test from "node:test";\ntest("slow", () => { const s = "ab".repeat(1 << 14); for (;;) s.split("").reverse().join("").indexOf("zzz"); });\n` }, { timeMs: 300 });
    expect((await sandbox.test()).failure).toMatchObject({ kind: "timeout", byClock: true });
  });

  test("keeps the results that came before the end", async () => {
    const sandbox = await factory.create(
      {
        "package.json": MANIFEST,
        "a.test.js": 'import test from "node:test";\ntest("good", () => {});\n',
        "b.test.js": 'import test from "node:test";\ntest("fine", () => { console.log("out"); });\ntest("loops", () => { for (;;); });\n',
      },
      { timeMs: 700 },
    );
    const run = await sandbox.test();
    expect(run.cases.map((c) => [c.name, c.status])).toEqual([["a.test.js > good", "pass"], ["b.test.js > fine", "pass"], ["b.test.js", "fail"]]);
    // Ended by the count of its steps, not by the clock.
    expect(run.failure).toEqual({ kind: "timeout", message: expect.stringContaining("b.test.js: did not end") });
    expect(run.output).toBe("out\n");
  });

  test("tells a time-out from a queue: waiting does not count", async () => {
    const sandboxes = await Promise.all(Array.from({ length: 40 }, () => factory.create({ "package.json": MANIFEST }, { timeMs: 1500 })));
    const code = "const t = []; for (let i = 0; i < 2e5; i++) t.push(i); console.log(t.length)";
    const results = await Promise.all(sandboxes.map((s) => s.exec(`node -e "${code}"`)));
    expect(results.map((r) => r.stdout)).toEqual(Array(40).fill("200000\n"));
  });

  test("ends an endless loop at the same step each time", async () => {
    const outputs = new Set<string>();
    for (let i = 0; i < 3; i++) {
      const result = await node("let n = 0; for (;;) if (++n % 1e5 === 0) console.log(n);", 300);
      expect(result).toMatchObject({ exitCode: 124, timedOut: true, stderr: "node: did not end within its limit of 300 ms: an endless loop or endless timers\n" });
      outputs.add(result.stdout);
    }
    expect(outputs.size).toBe(1);
  });
});

describe("memory", () => {
  test.each([
    ["arrays", "const a = []; for (;;) a.push(new Array(1000).fill(1));"],
    ["arrays, caught", "const a = []; for (;;) { try { for (;;) a.push(new Array(1000).fill(1)); } catch {} }"],
    ["arrays, later", "const f = async () => { await null; const a = []; for (;;) a.push(new Array(1000).fill(1)); }; await f();"],
    ["arrays, in a timer", "setTimeout(() => { const a = []; for (;;) a.push(new Array(1000).fill(1)); });"],
    ["strings", "let s = 'x'; for (;;) s += s;"],
    ["buffers", "const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1));"],
    ["promises", "const a = []; for (;;) a.push(new Promise(() => {}).then(() => {}));"],
  ])("ends a bomb of %s", async (_name, code) => {
    const result = await node(code);
    expect(result.exitCode).not.toBe(0);
    expect(result.stderr).toMatch(/out of memory|Invalid string length|string too long/i);
  });

  test.each(["", "await null; "])("ends a test that is a bomb (%s)", async (first) => {
    const sandbox = await factory.create(
      { "package.json": MANIFEST, "a.test.js": `import test from "node:test";\ntest("a", () => {});\ntest("b", async () => { ${first}const a = []; for (;;) a.push(new Array(1000).fill(1)); });\n` },
      { memoryBytes: 32 << 20 },
    );
    const run = await sandbox.test();
    expect(run.failure).toEqual({ kind: "memory", message: "a.test.js: out of memory: the limit is 32 MiB" });
    expect(run.cases.map((c) => c.name)).toEqual(["a.test.js > a", "a.test.js"]);
  });

  test("caps output", async () => {
    const sandbox = await factory.create({ "package.json": MANIFEST, "main.js": "for (let i = 0; i < 2e4; i++) console.log('line ' + i);" }, { outputChars: 1000 });
    const { stdout, exitCode } = await sandbox.exec("node main.js");
    expect(exitCode).toBe(0);
    expect(stdout.length).toBe(1000);
  });
});

describe("the engine", () => {
  test.each([
    ["deep recursion", "try { (function f() { f(); })(); } catch (e) { console.log(e.name); }", "RangeError"],
    ["deep nesting", "try { JSON.parse('['.repeat(1e5)); } catch (e) { console.log(e.name); }", "Error"],
    ["deep source", "try { (0, eval)('('.repeat(1e5)); } catch (e) { console.log(e.name); }", "Error"],
    ["deep toString", "const a = []; let b = a; for (let i = 0; i < 1e5; i++) { const c = []; b.push(c); b = c; } try { String(a); } catch (e) { console.log(e.name); }", "Error"],
    ["recursive getters", "const o = { get x() { return this.x; } }; try { o.x; } catch (e) { console.log(e.name); }", "RangeError"],
  ])("survives %s", async (_name, code, word) => {
    expect((await node(code)).stdout).toContain(word);
  });
});

describe("the guest's world", () => {
  test("has no way out", async () => {
    const { stdout } = await node(`
      const names = ["fetch", "XMLHttpRequest", "WebSocket", "Worker", "postMessage", "importScripts", "indexedDB", "WebAssembly", "require", "self", "window", "__host", "__guest", "Atomics"];
      console.log(names.filter((n) => typeof globalThis[n] !== "undefined").join(), typeof this);
      console.log((function () { return this; }).constructor === Function, Function("return typeof process.binding")());
      for (const s of ["node:child_process", "node:net", "node:http", "worker_threads", "node:vm", "http://127.0.0.1/x.js", "data:text/javascript,1"]) {
        await import(s).then(() => console.log("loaded", s), (e) => console.log(e.code));
      }`);
    expect(stdout.split("\n")).toEqual([
      " undefined", "true undefined",
      ...Array(5).fill("ERR_UNKNOWN_BUILTIN_MODULE"), "ERR_UNSUPPORTED_ESM_URL_SCHEME", "ERR_UNSUPPORTED_ESM_URL_SCHEME", "",
    ]);
  });

  test("shows nothing of the worker in stacks", async () => {
    const { stdout } = await node(`
      const stacks = [new Error("a").stack];
      await import("./none.js").catch((e) => stacks.push(e.stack));
      try { null.x; } catch (e) { stacks.push(e.stack); }
      const { default: fs } = await import("node:fs");
      try { fs.readFileSync("none"); } catch (e) { stacks.push(e.stack); }
      console.log(stacks.join("\\n"));`);
    expect(stdout).not.toMatch(/wasm|worker|file:\/\/\/(?!repo)|node_modules|build\/sandbox/);
    expect(stdout).toContain("Cannot find module '/repo/none.js' imported from /repo/main.js");
  });

  test("starts anew in each run, whatever the last one did to it", async () => {
    const sandbox = await factory.create({
      "package.json": MANIFEST,
      "bad.js": "delete Array.prototype.map; Object.prototype.evil = 1; Math.random = () => 5; globalThis.x = 1; JSON.stringify = () => 'no'; Promise.prototype.then = () => {}; Error.prepareStackTrace = () => { throw 1; };",
      "good.js": "console.log(typeof [].map, {}.evil, Math.random() < 1, globalThis.x, JSON.stringify([1]), new Error('e').message)",
    });
    await sandbox.exec("node bad.js");
    expect((await sandbox.exec("node good.js")).stdout).toBe("function undefined true undefined [1] e\n");
  });

  test("cannot report for tests that it left", async () => {
    const sandbox = await factory.create({
      "package.json": MANIFEST,
      "a.test.js": 'import test from "node:test";\ntest("one", () => {});\ntest("two", () => { process.exit(0); });\ntest("three", () => {});\n',
    });
    const run = await sandbox.test();
    expect(run.cases).toEqual([
      { name: "a.test.js > one", status: "pass" },
      { name: "a.test.js", status: "fail", error: "process.exit(0) before the tests had ended" },
    ]);
    expect(run.failure).toMatchObject({ kind: "load" });
  });
});

describe("the factory", () => {
  test("refuses a wrong number of workers", () => {
    expect(() => createEmbeddedSandboxes({ workers: 0 })).toThrow(SandboxError);
  });
  test("ends what still runs when it is closed", async () => {
    const own = createEmbeddedSandboxes({ workers: 1 });
    const sandbox = await own.create({ "package.json": MANIFEST, "main.js": "for (;;);" }, { timeMs: 60_000 });
    const running = sandbox.exec("node main.js");
    const waiting = (await own.create({})).exec("echo hi");
    const outcomes = Promise.allSettled([running, waiting]);
    setTimeout(() => void own.close(), 200);
    for (const o of await outcomes) expect(o).toMatchObject({ status: "rejected", reason: expect.any(SandboxError) });
    await expect((await own.create({})).exec("echo")).rejects.toThrow("closed");
  });
});
