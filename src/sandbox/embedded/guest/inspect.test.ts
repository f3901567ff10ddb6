import util from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { format, inspect } from "./inspect.ts";

class Point {
  x = 1;
  get y() {
    return 2;
  }
}
function Empty() {}
const holes = (length: number, at: number): unknown[] => {
  const a: unknown[] = Array(length);
  a[at] = 1;
  return a;
};
class List extends Array {}
const ring: any = { a: [1] };
ring.self = ring;
ring.a.push(ring.a);

const values: unknown[] = [
  undefined, null, true, 0, -0, 1.5, NaN, 12n, "text", "it's", `"both" it's`, "a\nb\t\\", "\u0001\u007f", Symbol("s"), "",
  [], [1, 2, 3], [[[[1]]]], ["a", ["b", { c: [{}] }]], holes(3, 0), holes(4, 2), Array(2), Object.assign([1], { k: 2 }), Array.from({ length: 7 }, (_, i) => i), Array.from({ length: 120 }, (_, i) => i),
  Array.from({ length: 30 }, (_, i) => "item" + i * 7), Array.from({ length: 8 }, (_, i) => ({ i })), Array.from({ length: 27 }, (_, i) => i ** 5),
  {}, { a: 1 }, { "a-b": 1, 2: 3, ok: "x" }, { a: { b: { c: { d: 1 } } } }, { f() {}, g: Point, h: () => {}, i: async () => {}, j: function* gen() {} },
  Object.create(null), Object.assign(Object.create(null), { a: 1 }), { [Symbol("k")]: 1, [Symbol.toStringTag]: "Tag" }, new Point(), Reflect.construct(Empty, []), List.of(1, 2, 3),
  { get a() { return 1; }, set a(_v) {}, get b() { return 1; }, set c(_v: number) {} }, Object.defineProperty({}, "hidden", { value: 1 }),
  new Map(), new Map<unknown, unknown>([["a", 1], [{ k: 1 }, [1, 2]]]), new Set(), new Set([1, "a", [2]]), new Date(0), new Date(NaN), /a+/gi,
  new Uint8Array([1, 2, 3]), new Float64Array(2), new ArrayBuffer(4), Object(1), Object("str"), Object(false), ring, [ring],
  function named() {}, class B extends Point {}, Object.assign(() => {}, { k: 1 }),
  { long: "x".repeat(60), other: "y".repeat(60), third: [1, 2, 3] }, { a: "x".repeat(30), b: { c: "y".repeat(30), d: [1, 2, 3, 4, 5, 6, 7] } },
  { text: "line one\nline two\nline three, which is long enough to be broken over several lines by inspect, since it is past a hundred and twenty" },
  new WeakMap(), [undefined, null], { u: undefined }, [["a", 1], ["b", 2], ["c", 3], ["d", 4], ["e", 5], ["f", 6], ["g", 7]], new Proxy({ a: 1 }, {}),
  (function () { return arguments; })(), { [util.inspect.custom]: () => "custom!" }, [{ [util.inspect.custom]: (depth: number) => ({ depth }) }], "😀", "\ud800",
];

describe("inspect", () => {
  test("prints like Node", () => {
    for (const v of values) expect(inspect(v)).toBe(util.inspect(v));
  });
  test("prints like Node with the options of assert and of test results", () => {
    const options = [
      { compact: false, customInspect: false, depth: 1000, maxArrayLength: Infinity, sorted: true, getters: true, breakLength: Infinity },
      { depth: 6, breakLength: Infinity, compact: true },
      { depth: 0 },
      { breakLength: 40, compact: 1 },
      { showHidden: false, sorted: true, maxArrayLength: 3, maxStringLength: 5 },
    ];
    for (const o of options) for (const v of values) expect(inspect(v, o), JSON.stringify(o)).toBe(util.inspect(v, o));
  });
  test("prints random values like Node", () => {
    const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withTypedArray: true, withSparseArray: true, withNullPrototype: true, maxDepth: 4, maxKeys: 8 });
    fc.assert(fc.property(anything, (v) => {
      expect(inspect(v)).toBe(util.inspect(v));
    }), { numRuns: 3000, seed: 11 });
  });
  test("formats like Node", () => {
    const calls: unknown[][] = [
      ["a"], ["a", "b", 1, { c: 1 }], ["%s and %d and %i and %f", "x", "42", "3.7px", "1.5"], ["%j %o %O", { a: 1 }, [1], { b: [1, { c: {} }] }], ["%% %s"], ["%s", "a", "b"],
      ["%s", { a: { b: {} } }], ["%s", null], ["%s", undefined], ["%s", 5n], ["%d", -0], ["%s", () => 1], ["%c styled", "css"], [1, 2], ["%s", Symbol("a")], ["%s", new Date(0)], ["%x", 1], [{}], [],
      ["%s", Point], ["%s", { toString: () => "own" }], ["%s", -0], ["%i", 12n],
    ];
    for (const args of calls) expect(format(...args)).toBe(util.format(...args));
  });
});
