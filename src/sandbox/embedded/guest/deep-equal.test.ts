import assert from "node:assert";
import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isDeepEqual, isDeepStrictEqual } from "./deep-equal.ts";

const passes = (f: () => void): boolean => {
  try {
    f();
    return true;
  } catch (error) {
    if ((error as any).code !== "ERR_ASSERTION") throw error;
    return false;
  }
};
function agree(a: unknown, b: unknown): void {
  const node = [passes(() => assert.deepStrictEqual(a, b)), passes(() => assert.deepEqual(a, b))];
  expect([isDeepStrictEqual(a, b), isDeepEqual(a, b)], `${inspect(a)} against ${inspect(b)}`).toEqual(node);
}

class Point {
  x: number;
  constructor(x: number) {
    this.x = x;
  }
}
class Other extends Point {}
const cycle = (extra?: unknown) => {
  const o: Record<string, unknown> = { n: 1, extra };
  o.self = o;
  return o;
};
const holes = (): unknown[] => {
  const a: unknown[] = [1];
  a[2] = 3;
  return a;
};
/** Every ordered pair of these is compared. */
const values: unknown[] = [
  undefined, null, true, false, 0, -0, 1, NaN, "", "0", "1", "a", 1n, 0n, Symbol.for("s"), Symbol("t"),
  [], [1], ["1"], [1, 2], [undefined], holes(), [1, undefined, 3], [NaN], [0], [-0], [[1]], [{}], Object.assign([1], { k: 1 }),
  {}, { a: 1 }, { a: "1" }, { a: undefined }, { b: 1 }, { a: 1, b: 2 }, { b: 2, a: 1 }, { a: { b: [1] } }, Object.create(null), Object.create({ a: 1 }),
  { [Symbol.for("s")]: 1 }, { [Symbol.for("s")]: 2 }, { 0: 1, length: 1 }, new Point(1), new Point(2), new Other(1), { x: 1 },
  new Date(0), new Date(1), new Date(NaN), Object.assign(new Date(0), { k: 1 }), /a/, /a/g, /b/, Object.assign(/a/, { lastIndex: 1 }),
  new Error("m"), new Error("n"), new TypeError("m"), new Error("m", { cause: 1 }), new Error("m", { cause: 2 }), Object.assign(new Error("m"), { code: 1 }),
  new AggregateError([1], "m"), new AggregateError([2], "m"),
  new Set(), new Set([1]), new Set(["1"]), new Set([1, 2]), new Set([2, 1]), new Set([[1], [2]]), new Set([[2], [1]]), new Set([{}, 1]), new Set([NaN]), new Set([null, undefined]),
  new Map(), new Map([[1, 2]]), new Map([["1", 2]]), new Map([[1, "2"]]), new Map([[{ a: 1 }, { b: 1 }]]), new Map([[{ a: 1 }, { b: 2 }]]), new Map<unknown, unknown>([[1, 2], [[1], 3]]),
  new Map([[NaN, undefined]]), new Map([[null, 0]]), new Map([[undefined, 0]]),
  new Uint8Array([1, 2]), new Uint8Array([1, 3]), new Int8Array([1, 2]), new Float32Array([0]), new Float32Array([-0]), new Float64Array([NaN]), new DataView(new ArrayBuffer(2)),
  new ArrayBuffer(2), new ArrayBuffer(3), Object(1), Object(2), Object("a"), Object("b"), Object(true), Object(1n), Object(Symbol.for("s")),
  () => 1, function f() {}, Math, JSON, Promise.resolve(1), new WeakMap(), new WeakSet(), (function () { return arguments; })(),
  new URL("a:b"), new URL("a:c"), cycle(), cycle(1), { self: cycle() }, globalThis.Array,
];

describe("deep equality", () => {
  test("agrees with Node on all pairs of unlike values", () => {
    for (const a of values) for (const b of values) agree(a, b);
  });
  test("agrees with Node on cycles", () => {
    agree(cycle(), cycle());
    agree(cycle([1]), cycle([1]));
    const a: any = { n: { n: null } };
    a.n.n = a;
    const b: any = { n: null };
    b.n = b;
    agree(a, b);
    const m = new Map<unknown, unknown>();
    m.set("m", m);
    const n = new Map<unknown, unknown>();
    n.set("m", n);
    agree(m, n);
  });
  test("agrees with Node on random values and small changes of them", () => {
    const anything = fc.anything({
      withBigInt: true, withBoxedValues: true, withDate: true, withMap: true, withSet: true, withTypedArray: true, withSparseArray: true, withNullPrototype: true, maxDepth: 3, maxKeys: 4,
    });
    const options = { numRuns: 3000, seed: 7 };
    fc.assert(fc.property(anything, anything, (a, b) => agree(a, b)), options);
    // Twice the same shape, with one leaf that may differ.
    const shaped = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, fc.constantFrom(0, 1, "1", null, undefined, NaN, -0), tie("list"), tie("object"), tie("set"), tie("map")),
      list: fc.array(tie("value"), { maxLength: 3 }),
      object: fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), { maxKeys: 3 }),
      set: fc.array(tie("value"), { maxLength: 3 }).map((v) => new Set(v)),
      map: fc.array(fc.tuple(tie("value"), tie("value")), { maxLength: 3 }).map((v) => new Map(v as [unknown, unknown][])),
    })).value;
    fc.assert(fc.property(shaped, shaped, (a, b) => agree(a, b)), options);
    fc.assert(fc.property(fc.clone(shaped, 2), ([a, b]) => agree(a, b)), options);
  });
});
