/** The embedded runner does with node:test what Node does: the same tests, in the same order, with the same results. */
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { createEmbeddedSandboxes, createNodeSandboxes } from "./index.node.ts";
import type { Files, TestRun } from "./index.ts";

const embedded = createEmbeddedSandboxes({ workers: 2 });
const node = createNodeSandboxes();
afterAll(() => Promise.all([embedded.close(), node.close()]));

const MANIFEST = '{"type":"module"}';
const HEAD = 'import test, { after, afterEach, before, beforeEach, describe, it, mock, suite } from "node:test";\nimport assert from "node:assert/strict";\n';

async function run(factory: typeof embedded, files: Files): Promise<TestRun> {
  const sandbox = await factory.create(files, { timeMs: 60_000, memoryBytes: 256 << 20 });
  try {
    return await sandbox.test();
  } finally {
    await sandbox.dispose();
  }
}
const results = (r: TestRun) => r.cases.map((c) => `${c.status} ${c.name}`);
async function both(files: Files): Promise<[TestRun, TestRun]> {
  return Promise.all([run(embedded, files), run(node, files)]);
}

const snippets: Record<string, string> = {
  "order of hooks": `
const log = [];
before(() => log.push("root before"));
beforeEach(() => log.push("root each"));
after(() => console.log(log.join(", ")));
describe("outer", () => {
  before(() => log.push("before"));
  after(() => log.push("after"));
  beforeEach(() => log.push("each"));
  afterEach(() => log.push("after each"));
  it("one", () => log.push("one"));
  describe("inner", () => {
    before(() => log.push("inner before"));
    after(() => log.push("inner after"));
    beforeEach(() => log.push("inner each"));
    afterEach(() => log.push("inner after each"));
    it("two", async () => { await null; log.push("two"); });
    it("three", () => log.push("three"));
  });
  it("four", () => log.push("four"));
});
test("with its own hooks", async (t) => {
  t.before(() => log.push("t before"));
  t.beforeEach(() => log.push("t each"));
  t.afterEach(() => log.push("t after each"));
  t.after(() => log.push("t after"));
  await t.test("five", () => log.push("five"));
  await t.test("six", () => log.push("six"));
});`,
  "failing hooks": `
describe("before", () => { before(() => { throw new Error("hook"); }); it("x", () => {}); describe("deeper", () => { it("y", () => {}); }); });
describe("after", () => { after(() => { throw new Error("hook"); }); it("x", () => {}); });
describe("before each", () => { beforeEach(() => { throw new Error("hook"); }); it("x", () => {}); it("y", () => {}); });
describe("after each", () => { afterEach(() => { throw new Error("hook"); }); it("x", () => {}); });
describe("rejecting", () => { before(async () => { throw new Error("hook"); }); it("x", () => {}); });
describe("body", () => { it("x", () => {}); throw new Error("body"); });
test("t.after", (t) => { t.after(() => { throw new Error("hook"); }); });`,
  "kinds of tests": `
test("passes", () => {});
test("no function");
test("skip option", { skip: true }, () => assert.fail());
test("skip reason", { skip: "why" }, () => assert.fail());
test.skip("skip method", () => assert.fail());
test("skip inside", (t) => { t.skip("now"); });
test("todo option", { todo: true }, () => assert.fail());
test.todo("todo method");
test("todo inside", (t) => { t.todo(); });
test("only without the flag", { only: true }, () => {});
it("it", () => {});
it.skip("it.skip", () => {});
suite("suite", () => { test("in it", () => {}); });
describe.skip("skipped suite", () => { it("x", () => {}); });
describe("todo suite", { todo: true }, () => { it("x", () => assert.fail()); });
describe.todo("todo suite method", () => { it("x", () => {}); });
test(() => {});
test(function named() {});
test("", () => {});
test("same name", () => {});
test("same name", () => {});
test({ name: "in options" }, () => {});`,
  "subtests": `
test("awaited", async (t) => { await t.test("a", () => {}); await t.test("b", () => assert.fail()); await t.test("c", () => {}); });
test("not awaited", (t) => { t.test("slow", async () => { await new Promise((r) => setTimeout(r, 5)); }); });
test("together", async (t) => { await Promise.all([t.test("a", async () => { await null; }), t.test("b", () => {})]); });
test("through the module", async () => { await test("inner", () => {}); });
test("through the module, not awaited", () => { test("inner", () => {}); });
test("three levels", async (t) => { await t.test("two", async (u) => { await u.test("three", () => {}); }); });
test("suite in a test", async () => { await describe("inside", () => { it("x", () => {}); }); });`,
  "ways to fail": `
test("throws", () => { throw new Error("x"); });
test("throws text", () => { throw "text"; });
test("throws nothing", () => { throw undefined; });
test("rejects", async () => { throw new TypeError("x"); });
test("times out", { timeout: 10 }, async () => { await new Promise((r) => setTimeout(r, 200)); });
test("callback", (t, done) => { setTimeout(done, 1); });
test("callback error", (t, done) => { setTimeout(() => done(new Error("late")), 1); });
test("callback and promise", async (t, done) => { done(); });
test("plan kept", (t) => { t.plan(1); t.assert.equal(1, 1); });
test("plan broken", (t) => { t.plan(2); t.assert.equal(1, 1); });
test("uncaught later", async () => { setTimeout(() => { throw new Error("late"); }, 1); await new Promise((r) => setTimeout(r, 20)); });
test("unhandled rejection", async () => { Promise.reject(new Error("alone")); await new Promise((r) => setTimeout(r, 20)); });
test("handled in time", async () => { const p = Promise.reject(new Error("x")); await assert.rejects(p); });
test("afterwards", () => {});`,
  "async suites": `
describe("async body", async () => { await null; it("x", () => {}); });
describe("second", async () => { it("a", () => {}); await null; it("b", () => {}); });
describe("plain", () => { it("x", () => {}); });`,
  "top-level await": `
await test("first", () => {});
const value = await Promise.resolve(3);
await test("second", () => assert.equal(value, 3));
test("third", () => {});`,
  "a test that can never end": `
test("before", () => {});
describe("s", () => { it("pending", async () => { await new Promise(() => {}); }); it("next", () => {}); });
test("after", () => {});
describe("t", () => { it("x", () => {}); });`,
  "mocks": `
test("fn", () => { const f = mock.fn((x) => x + 1); assert.equal(f(1), 2); assert.equal(f.mock.callCount(), 1); assert.deepEqual(f.mock.calls[0].arguments, [1]); assert.equal(f.mock.calls[0].result, 2); });
test("implementations", () => { const f = mock.fn(() => 1); f.mock.mockImplementation(() => 2); assert.equal(f(), 2); f.mock.mockImplementationOnce(() => 3); assert.equal(f(), 3); assert.equal(f(), 2); f.mock.restore(); assert.equal(f(), 1); });
test("method", (t) => { const o = { n: 1, get() { return this.n; } }; t.mock.method(o, "get", () => 5); assert.equal(o.get(), 5); assert.equal(o.get.mock.callCount(), 1); t.mock.restoreAll(); assert.equal(o.get(), 1); });
test("times", () => { const f = mock.fn(() => 1, () => 2, { times: 2 }); assert.deepEqual([f(), f(), f()], [2, 2, 1]); });
test("throwing", () => { const f = mock.fn(() => { throw new Error("x"); }); assert.throws(f); assert.equal(f.mock.calls[0].error.message, "x"); });
test("getter", () => { const o = { get x() { return 1; } }; mock.getter(o, "x", () => 2); assert.equal(o.x, 2); mock.restoreAll(); assert.equal(o.x, 1); });
test("timers", (t) => { t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1000 }); let n = 0; setTimeout(() => n++, 50); t.mock.timers.tick(49); assert.equal(n, 0); t.mock.timers.tick(1); assert.equal(n, 1); assert.equal(Date.now(), 1050); });
test("interval", (t) => { t.mock.timers.enable({ apis: ["setInterval"] }); let n = 0; const id = setInterval(() => n++, 10); t.mock.timers.tick(35); assert.equal(n, 3); clearInterval(id); t.mock.timers.tick(35); assert.equal(n, 3); });
test("run all", (t) => { t.mock.timers.enable({ apis: ["setTimeout"] }); const seen = []; setTimeout(() => seen.push("b"), 20); setTimeout(() => seen.push("a"), 10); t.mock.timers.runAll(); assert.deepEqual(seen, ["a", "b"]); });
test("restored after the test", () => { assert.ok(Date.now() > 1050); });`,
  "language and library": `
import { EventEmitter, once } from "node:events";
import path from "node:path";
import { inspect, isDeepStrictEqual, promisify } from "node:util";
import { fileURLToPath } from "node:url";
import { performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import fs from "node:fs";
test("classes", () => { class A { #x = 1; static s = 2; get x() { return this.#x; } static { this.t = 3; } } assert.deepEqual([new A().x, A.s, A.t], [1, 2, 3]); });
test("iterators", () => { function* g() { yield* [1, 2]; } assert.deepEqual([...g()].concat([3].flatMap((x) => [x, x])), [1, 2, 3, 3]); });
test("async iterators", async () => { async function* g() { yield 1; yield 2; } const out = []; for await (const x of g()) out.push(x); assert.deepEqual(out, [1, 2]); });
test("destructuring", () => { const { a, ...rest } = { a: 1, b: 2, c: 3 }; const [x, , ...y] = [1, 2, 3, 4]; assert.deepEqual([a, rest, x, y], [1, { b: 2, c: 3 }, 1, [3, 4]]); });
test("strings", () => { assert.equal("ß".toUpperCase() + "abc".at(-1) + "x".padStart(3, "-") + "a-b-c".replaceAll("-", "+"), "SSc--xa+b+c"); });
test("regexps", () => { assert.deepEqual("2024-05-06".match(/(?<y>\\d+)-(?<m>\\d+)/).groups.m, "05"); assert.ok(/\\p{L}+/u.test("é")); assert.equal("aBc".replace(/(?<=a)B/, "x"), "axc"); });
test("numbers", () => { assert.equal((0.1 + 0.2).toFixed(10), "0.3000000000"); assert.equal((255).toString(16), "ff"); assert.equal(2n ** 64n, 18446744073709551616n); assert.equal((1234.5678).toPrecision(6), "1234.57"); });
test("dates", () => { assert.equal(new Date(2024, 1, 30).getDate(), 1); assert.equal(new Date("2024-03-10T10:00:00Z").toISOString(), "2024-03-10T10:00:00.000Z"); assert.equal(new Date(Date.UTC(2020, 1, 29)).getUTCDay(), 6); });
test("sorting", () => { assert.deepEqual([3, 1, 2].toSorted(), [1, 2, 3]); assert.deepEqual(["b", "a"].sort((a, b) => a.localeCompare(b)), ["a", "b"]); assert.deepEqual([1, 10, 2].sort(), [1, 10, 2]); });
test("maps and sets", () => { assert.deepEqual(new Map([["a", 1]]), new Map([["a", 1]])); assert.notDeepEqual(new Set([1]), new Set([2])); assert.deepEqual(structuredClone({ a: new Map([[1, { b: [1] }]]), d: new Date(0) }), { a: new Map([[1, { b: [1] }]]), d: new Date(0) }); });
test("promises", async () => { assert.deepEqual(await Promise.allSettled([1, Promise.reject(2)]), [{ status: "fulfilled", value: 1 }, { status: "rejected", reason: 2 }]); await assert.rejects(Promise.any([Promise.reject(1)]), AggregateError); });
test("microtasks before timers", async () => { const log = []; setTimeout(() => log.push("timer"), 0); setImmediate(() => log.push("immediate")); process.nextTick(() => log.push("tick")); queueMicrotask(() => log.push("micro")); await wait(5); assert.deepEqual(log.slice(0, 2).sort(), ["micro", "tick"]); assert.equal(log.length, 4); });
test("json", () => { assert.equal(JSON.stringify({ b: [undefined, () => 1], d: new Date(0), n: NaN }), '{"b":[null,null],"d":"1970-01-01T00:00:00.000Z","n":null}'); assert.throws(() => JSON.parse("{"), SyntaxError); });
test("errors", () => { const e = new Error("a", { cause: new TypeError("b") }); assert.equal(e.cause.message, "b"); assert.match(e.stack, /^Error: a\\n\\s+at /); assert.throws(() => null.x, { name: "TypeError", message: "Cannot read properties of null (reading 'x')" }); assert.throws(() => { undefinedName; }, ReferenceError); });
test("proxies and symbols", () => { const p = new Proxy({}, { get: (_t, k) => k }); assert.equal(p.abc, "abc"); assert.equal(Symbol("x").description, "x"); assert.equal(typeof Symbol.iterator, "symbol"); });
test("events", async () => { const e = new EventEmitter(); const seen = []; e.on("x", (v) => seen.push(v)); e.once("x", (v) => seen.push(-v)); e.emit("x", 1); e.emit("x", 2); assert.deepEqual(seen, [1, -1, 2]); setTimeout(() => e.emit("y", 5), 1); assert.deepEqual(await once(e, "y"), [5]); assert.throws(() => e.emit("error", new Error("boom")), /boom/); });
test("targets", () => { const c = new AbortController(); let n = 0; c.signal.addEventListener("abort", () => n++); c.abort(); c.abort(); assert.equal(n, 1); assert.equal(c.signal.reason.name, "AbortError"); const t = new EventTarget(); t.addEventListener("z", () => n++, { once: true }); t.dispatchEvent(new Event("z")); t.dispatchEvent(new Event("z")); assert.equal(n, 2); });
test("paths", () => { assert.equal(path.join("a", "..", "b", "./c"), "b/c"); assert.equal(path.resolve("/a/b", "../c"), "/a/c"); assert.equal(path.extname("x.tar.gz"), ".gz"); assert.deepEqual(path.parse("/a/b.c"), { root: "/", dir: "/a", base: "b.c", ext: ".c", name: "b" }); assert.equal(path.relative("/a/b", "/a/c/d"), "../c/d"); });
test("urls", () => { const u = new URL("https://user@example.com:8080/a/../b?x=1&y=2#h"); assert.deepEqual([u.host, u.pathname, u.searchParams.get("y"), u.hash], ["example.com:8080", "/b", "2", "#h"]); u.searchParams.append("z", "a b&c"); assert.equal(u.href, "https://user@example.com:8080/b?x=1&y=2&z=a+b%26c#h"); u.search = "?q=%C3%A4"; assert.equal(u.searchParams.get("q"), "ä"); assert.deepEqual([...new URLSearchParams({ a: 1, b: "x" })], [["a", "1"], ["b", "x"]]); assert.throws(() => new URL("nope"), TypeError); assert.ok(URL.canParse("a:b")); assert.equal(new URL("../x.txt", import.meta.url).pathname.split("/").pop(), "x.txt"); assert.match(fileURLToPath(import.meta.url), /library\\.test\\.js$|a\\.test\\.js$/); });
test("buffers", () => { assert.equal(Buffer.from("häß").toString("base64"), "aMOkw58="); assert.equal(Buffer.from("616263", "hex").toString(), "abc"); assert.deepEqual([...Buffer.concat([Buffer.from("a"), Buffer.from([98])])], [97, 98]); assert.equal(new TextDecoder().decode(new TextEncoder().encode("€")), "€"); assert.equal(atob(btoa("xy")), "xy"); });
test("util", async () => { assert.equal(inspect({ a: [1, { b: new Map([[1, 2]]) }] }), "{ a: [ 1, { b: [Map] } ] }"); assert.ok(isDeepStrictEqual([1], [1])); assert.equal(await promisify((x, cb) => cb(null, x + 1))(1), 2); });
test("files", () => { fs.mkdirSync("tmp-dir/x", { recursive: true }); fs.writeFileSync("tmp-dir/x/f.txt", "hello"); fs.appendFileSync("tmp-dir/x/f.txt", "!"); assert.equal(fs.readFileSync("tmp-dir/x/f.txt", "utf8"), "hello!"); assert.deepEqual(fs.readdirSync("tmp-dir"), ["x"]); assert.ok(fs.statSync("tmp-dir").isDirectory()); assert.throws(() => fs.readFileSync("none"), { code: "ENOENT" }); fs.rmSync("tmp-dir", { recursive: true }); assert.ok(!fs.existsSync("tmp-dir")); });
test("time", async () => { const t = performance.now(); await wait(20); assert.ok(performance.now() - t >= 19); });
test("process", () => { assert.equal(typeof process.cwd(), "string"); assert.ok(Array.isArray(process.argv)); assert.equal(process.env.HOME === undefined, process.env.HOME === undefined); assert.equal(typeof process.hrtime.bigint(), "bigint"); });
test("labels and switch", () => { let n = 0; outer: for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) { if (j === 1) continue outer; n++; } switch (n) { case 3: n = 10; break; default: n = 0; } assert.equal(n, 10); });
test("closures in loops", () => { const fs = []; for (let i = 0; i < 3; i++) fs.push(() => i); assert.deepEqual(fs.map((f) => f()), [0, 1, 2]); });
test("tagged templates and optional chaining", () => { const tag = (s, ...v) => s.raw.join("|") + v.join(); assert.equal(tag\`a\${1}b\${2}\`, "a|b|1,2"); const o = {}; assert.equal(o.a?.b?.(), undefined); assert.equal(o.x ?? "d", "d"); o.y ||= 5; assert.equal(o.y, 5); });
test("deep recursion is a RangeError", () => { assert.throws(() => { (function f() { f(); })(); }, RangeError); });
test("recursion of 500 frames", () => { const sum = (n) => (n === 0 ? 0 : n + sum(n - 1)); assert.equal(sum(500), 125250); });`,
};

describe("node:test", () => {
  test.each(Object.keys(snippets))("%s", async (name) => {
    const [ours, theirs] = await both({ "package.json": MANIFEST, "a.test.js": HEAD + snippets[name] });
    expect(results(ours)).toEqual(results(theirs));
    expect(ours.failure?.kind).toBe(theirs.failure?.kind);
    // What the tests print shows the order in which hooks ran.
    expect(ours.output).toBe(theirs.output);
  });

  test("modules of every kind", async () => {
    const [ours, theirs] = await both({
      "package.json": JSON.stringify({ name: "self", type: "module", exports: { ".": "./lib/index.js", "./deep": "./lib/deep.js" }, imports: { "#inner": "./lib/deep.js" } }),
      "lib/index.js": 'export * from "./deep.js";\nexport { default } from "./deep.js";\nimport { later } from "./cycle-a.js";\nexport const fromCycle = later;\n',
      "lib/deep.js": "export let count = 0;\nexport const up = () => ++count;\nexport default class Deep { name = import.meta.url.split('/').pop(); }\n",
      "lib/cycle-a.js": 'import { b } from "./cycle-b.js";\nexport function a() { return "a" + b(); }\nexport const later = () => a();\n',
      "lib/cycle-b.js": 'import { later } from "./cycle-a.js";\nexport function b() { return typeof later; }\n',
      "lib/old.cjs": 'const data = require("./data.json");\nconst deep = require("./more");\nexports.data = data;\nexports.more = deep;\nexports.dir = __dirname.split("/").pop();\n',
      "lib/more/index.cjs": "module.exports = 'unreachable';\n",
      "lib/more.js": "export default 0;\n",
      "lib/data.json": '{"n": [1, 2]}',
      "lib/slow.mjs": "export const value = await new Promise((r) => setTimeout(() => r(7), 5));\n",
      "node_modules/dep/package.json": '{"name":"dep","version":"1.0.0","main":"main.js"}',
      "node_modules/dep/main.js": "exports.dep = true;\nexports.kind = 'cjs';\n",
      "a.test.js": `${HEAD}
import Deep, { count, fromCycle, up } from "./lib/index.js";
import * as ns from "self";
import { up as viaDeep } from "self/deep";
import { up as viaHash } from "#inner";
import dep, { kind } from "dep";
import { createRequire } from "node:module";
import data from "./lib/data.json" with { type: "json" };
import { value } from "./lib/slow.mjs";
test("live bindings", () => { assert.equal(count, 0); up(); assert.equal(count, 1); assert.equal(ns.count, 1); });
test("one instance", () => { assert.equal(viaDeep, up); assert.equal(viaHash, up); assert.equal(ns.default, Deep); });
test("meta", () => assert.equal(new Deep().name, "deep.js"));
test("cycle", () => assert.equal(fromCycle(), "afunction"));
test("json", () => assert.deepEqual(data, { n: [1, 2] }));
test("dependency", () => assert.deepEqual([dep.dep, kind], [true, "cjs"]));
test("top-level await", () => assert.equal(value, 7));
test("dynamic import", async () => { assert.equal((await import("./lib/deep.js")).up, up); await assert.rejects(import("./lib/none.js"), { code: "ERR_MODULE_NOT_FOUND" }); await assert.rejects(import("nodep")); });
test("require", () => { const require = createRequire(import.meta.url); assert.throws(() => require("./lib/none.cjs"), { code: "MODULE_NOT_FOUND" }); assert.equal(require("./lib/data.json").n.length, 2); assert.equal(require("./lib/deep.js").up, up); });
test("namespace", () => { assert.deepEqual(Object.keys(ns), ["count", "default", "fromCycle", "up"]); assert.throws(() => { ns.count = 5; }, TypeError); assert.equal(ns[Symbol.toStringTag], "Module"); });
test("strict mode", () => { assert.throws(() => { Object.freeze([1]).push(2); }, TypeError); assert.equal((function () { return this; })(), undefined); });`,
      "b.test.cjs": `const test = require("node:test");\nconst assert = require("node:assert");\ntest("cjs", async () => { assert.equal(__filename.split("/").pop(), "b.test.cjs"); assert.equal(require("dep").kind, "cjs"); assert.equal(typeof (await import("./lib/deep.js")).up, "function"); });`,
    });
    expect(results(ours)).toEqual(results(theirs));
    expect(ours.cases.filter((c) => c.status === "fail")).toEqual([]);
  });
});

const environments = fileURLToPath(new URL("../../environments", import.meta.url));
const names = (await readdir(environments, { withFileTypes: true })).filter((e) => e.isDirectory()).map((e) => e.name);

describe("built-in environments", () => {
  test.each(names)("%s", async (name) => {
    const files: Files = {};
    for (const entry of await readdir(join(environments, name), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath ?? entry.path, entry.name);
      if (entry.isFile()) files[relative(join(environments, name), path)] = await readFile(path, "utf8");
    }
    const [ours, theirs] = await both(files);
    expect(results(ours)).toEqual(results(theirs));
    expect(ours.failure).toBeNull();
    expect(ours.cases.every((c) => c.status === "pass")).toBe(true);
  });
});
