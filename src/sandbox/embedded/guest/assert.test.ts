import nodeAssert from "node:assert";
import nodeStrict from "node:assert/strict";
import { describe, expect, test } from "vitest";
import { assert, strict } from "./assert.ts";

type Assert = typeof nodeAssert;
class Custom extends Error {
  code = "E_CUSTOM";
}
const long = (n: number) => Array.from({ length: 40 }, (_, i) => (i === n ? "changed" : "entry " + i));
const boom = (error: unknown) => () => {
  throw error;
};
/** Every call is made with each module, Node's and ours: same outcome, same error, same message. */
const calls: [string, (a: Assert) => unknown][] = [
  ["strictEqual numbers", (a) => a.strictEqual(1, 2)],
  ["strictEqual passes", (a) => a.strictEqual(NaN, NaN)],
  ["strictEqual zeros", (a) => a.strictEqual(0, -0)],
  ["strictEqual strings", (a) => a.strictEqual("a", "b")],
  ["strictEqual long strings", (a) => a.strictEqual("the quick brown fox jumps over the lazy dog", "the quick brown fox jumped over the lazy dog")],
  ["strictEqual lines", (a) => a.strictEqual("one\ntwo\nthree", "one\n2\nthree")],
  ["strictEqual types", (a) => a.strictEqual(1, "1")],
  ["strictEqual undefined", (a) => a.strictEqual(undefined, null)],
  ["strictEqual booleans", (a) => a.strictEqual(true, false)],
  ["strictEqual objects", (a) => a.strictEqual({ a: 1 }, { a: 2 })],
  ["strictEqual alike", (a) => a.strictEqual({ a: 1 }, { a: 1 })],
  ["strictEqual arrays", (a) => a.strictEqual([1, 2], [1, 3])],
  ["strictEqual message", (a) => a.strictEqual(1, 2, "own words")],
  ["strictEqual error", (a) => a.strictEqual(1, 2, new Custom("mine"))],
  ["strictEqual bigint", (a) => a.strictEqual(1n, 2n)],
  ["strictEqual one argument", (a) => (a.strictEqual as any)(1)],
  ["notStrictEqual", (a) => a.notStrictEqual(1, 1)],
  ["notStrictEqual text", (a) => a.notStrictEqual("a long enough text", "a long enough text")],
  ["deepStrictEqual", (a) => a.deepStrictEqual({ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] })],
  ["deepStrictEqual arrays", (a) => a.deepStrictEqual([1, 2, 3], [1, 2])],
  ["deepStrictEqual first", (a) => a.deepStrictEqual([0, 1, 2], [1, 2])],
  ["deepStrictEqual types", (a) => a.deepStrictEqual([1], ["1"])],
  ["deepStrictEqual long", (a) => a.deepStrictEqual(long(5), long(30))],
  ["deepStrictEqual long end", (a) => a.deepStrictEqual(long(39), long(50))],
  ["deepStrictEqual maps", (a) => a.deepStrictEqual(new Map([["k", 1]]), new Map([["k", 2]]))],
  ["deepStrictEqual sets", (a) => a.deepStrictEqual(new Set([1, 2]), new Set([1, 3]))],
  ["deepStrictEqual primitives", (a) => a.deepStrictEqual(1, 2)],
  ["deepStrictEqual empty", (a) => a.deepStrictEqual([], [1])],
  ["deepStrictEqual null", (a) => a.deepStrictEqual(null, {})],
  ["deepStrictEqual strings", (a) => a.deepStrictEqual("abc", "abd")],
  ["deepStrictEqual prototypes", (a) => a.deepStrictEqual({ a: 1 }, Object.assign(Object.create(null), { a: 1 }))],
  ["deepStrictEqual dates", (a) => a.deepStrictEqual(new Date(0), new Date(1))],
  ["deepStrictEqual keys", (a) => a.deepStrictEqual({ a: 1, b: 2 }, { a: 1, c: 2 })],
  ["notDeepStrictEqual", (a) => a.notDeepStrictEqual({ a: 1 }, { a: 1 })],
  ["deepEqual", (a) => a.deepEqual({ a: 1 }, { a: 2 })],
  ["deepEqual loose", (a) => a.deepEqual({ a: 1 }, { a: "1" })],
  ["notDeepEqual", (a) => a.notDeepEqual([1], [1])],
  ["equal", (a) => a.equal(1, 2)],
  ["equal loose", (a) => a.equal(1, "1")],
  ["equal text", (a) => a.equal("a", "b")],
  ["notEqual", (a) => a.notEqual(1, 1)],
  ["ok", (a) => a.ok(0, "zero")],
  ["ok passes", (a) => a.ok("x")],
  ["ok nothing", (a) => (a.ok as any)()],
  ["fail", (a) => a.fail()],
  ["fail message", (a) => a.fail("no")],
  ["fail error", (a) => a.fail(new Custom("e"))],
  ["throws passes", (a) => a.throws(boom(new TypeError("x")))],
  ["throws nothing", (a) => a.throws(() => {})],
  ["throws nothing class", (a) => a.throws(() => {}, TypeError)],
  ["throws nothing message", (a) => a.throws(() => {}, "why")],
  ["throws nothing both", (a) => a.throws(() => {}, RangeError, "why")],
  ["throws class", (a) => a.throws(boom(new TypeError("x")), TypeError)],
  ["throws wrong class", (a) => a.throws(boom(new TypeError("x")), RangeError)],
  ["throws subclass", (a) => a.throws(boom(new Custom("x")), Error)],
  ["throws regexp", (a) => a.throws(boom(new Error("abc")), /^Error: abc$/)],
  ["throws wrong regexp", (a) => a.throws(boom(new Error("abc")), /x/)],
  ["throws object", (a) => a.throws(boom(new Custom("abc")), { code: "E_CUSTOM", message: /b/ })],
  ["throws wrong object", (a) => a.throws(boom(new Custom("abc")), { code: "E_OTHER", message: "abc" })],
  ["throws error object", (a) => a.throws(boom(new TypeError("abc")), new TypeError("abc"))],
  ["throws wrong error object", (a) => a.throws(boom(new TypeError("abc")), new TypeError("abd"))],
  ["throws validation", (a) => a.throws(boom(new Error("x")), (e: Error) => e.message === "x")],
  ["throws wrong validation", (a) => a.throws(boom(new Error("x")), () => false)],
  ["throws named validation", (a) => a.throws(boom(new Error("x")), function check() { return 1 as any; })],
  ["throws value", (a) => a.throws(boom("text"), /text/)],
  ["throws value object", (a) => a.throws(boom("text"), { message: "text" })],
  ["throws empty object", (a) => a.throws(boom(new Error("x")), {})],
  ["throws no function", (a) => (a.throws as any)(5)],
  ["throws wrong expected", (a) => (a.throws as any)(boom(new Error("x")), 5)],
  ["throws ambiguous", (a) => a.throws(boom(new Error("same")), "same")],
  ["doesNotThrow", (a) => a.doesNotThrow(boom(new Error("x")))],
  ["doesNotThrow message", (a) => a.doesNotThrow(boom(new Error("x")), "why")],
  ["doesNotThrow passes", (a) => a.doesNotThrow(() => {})],
  ["rejects", (a) => a.rejects(Promise.reject(new Error("x")), /x/)],
  ["rejects nothing", (a) => a.rejects(Promise.resolve(1))],
  ["rejects class", (a) => a.rejects(async () => boom(new TypeError("t"))(), RangeError)],
  ["rejects no promise", (a) => (a.rejects as any)(() => 5)],
  ["doesNotReject", (a) => a.doesNotReject(Promise.reject(new Error("x")))],
  ["match", (a) => a.match("abc", /b/)],
  ["match fails", (a) => a.match("abc", /x/)],
  ["match number", (a) => (a.match as any)(5, /x/)],
  ["match no regexp", (a) => (a.match as any)("x", "x")],
  ["doesNotMatch", (a) => a.doesNotMatch("abc", /b/)],
  ["ifError null", (a) => a.ifError(null)],
  ["ifError", (a) => a.ifError(new Error("x"))],
  ["ifError value", (a) => a.ifError("text")],
];

/** Our diff finds more common lines than Node 20's, so these messages are compared up to the diff. */
const DIFFS = new Set(["deepStrictEqual long", "deepStrictEqual long end", "deepStrictEqual first"]);

async function outcome(call: (a: Assert) => unknown, a: unknown): Promise<unknown> {
  try {
    await call(a as Assert);
    return "passed";
  } catch (e: any) {
    return { name: e.name, code: e.code, message: e.message, generated: e.generatedMessage, operator: e.operator };
  }
}

describe.each([["assert", nodeAssert, assert], ["assert/strict", nodeStrict, strict]])("%s", (_name, node, ours) => {
  test.each(calls)("%s as in Node", async (title, call) => {
    const [a, b]: any[] = [await outcome(call, ours), await outcome(call, node)];
    if (DIFFS.has(title)) for (const o of [a, b]) o.message = o.message.split("\n\n")[0];
    expect(a).toEqual(b);
  });
  test("has the functions of Node's module", () => {
    const missing = Object.keys(node).filter((k) => !(k in ours) && k !== "CallTracker");
    expect(missing).toEqual([]);
  });
});
