/** Deep equality with exactly the rules of node:assert (strict: deepStrictEqual; loose: deepEqual). */
const tagOf = (v: unknown): string => Object.prototype.toString.call(v);
const hasOwn = (o: object, k: PropertyKey): boolean => Object.prototype.hasOwnProperty.call(o, k);
const isEnumerable = (o: object, k: PropertyKey): boolean => Object.prototype.propertyIsEnumerable.call(o, k);
const isObject = (v: unknown): v is object => typeof v === "object" && v !== null;
const isIndex = (k: string): boolean => /^(0|[1-9]\d{0,9})$/.test(k) && Number(k) < 4294967295;

/** Positions at which objects were met on the way down, so that cycles compare by shape. */
interface Memo {
  a: Map<object, number>;
  b: Map<object, number>;
  position: number;
}

function brand(v: object): "date" | "regexp" | "error" | "view" | "set" | "map" | "buffer" | "boxed" | "weak" | "" {
  if (v instanceof Error || tagOf(v) === "[object Error]") return "error";
  if (ArrayBuffer.isView(v)) return "view";
  if (v instanceof Set) return "set";
  if (v instanceof Map) return "map";
  if (v instanceof Date) return "date";
  if (v instanceof RegExp) return "regexp";
  if (v instanceof ArrayBuffer || (typeof SharedArrayBuffer === "function" && v instanceof SharedArrayBuffer)) return "buffer";
  if (v instanceof WeakMap || v instanceof WeakSet || v instanceof Promise) return "weak";
  if (v instanceof Number || v instanceof String || v instanceof Boolean || v instanceof Symbol || v instanceof BigInt) return "boxed";
  return "";
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function sameView(a: ArrayBufferView, b: ArrayBufferView, strict: boolean): boolean {
  if (a.byteLength !== b.byteLength) return false;
  if (!strict && (a instanceof Float32Array || a instanceof Float64Array)) {
    const x = a as Float64Array;
    const y = b as Float64Array;
    for (let i = 0; i < x.length; i++) if (x[i] !== y[i]) return false;
    return true;
  }
  return sameBytes(new Uint8Array(a.buffer, a.byteOffset, a.byteLength), new Uint8Array(b.buffer, b.byteOffset, b.byteLength));
}

function equal(a: unknown, b: unknown, strict: boolean, memo: Memo | undefined): boolean {
  if (a === b) return a !== 0 || !strict || Object.is(a, b);
  if (strict) {
    if (typeof a !== "object") return typeof a === "number" && Number.isNaN(a) && Number.isNaN(b);
    if (!isObject(a) || !isObject(b)) return false;
    if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  } else {
    if (!isObject(a)) return !isObject(b) && (a == b || (Number.isNaN(a) && Number.isNaN(b)));
    if (!isObject(b)) return false;
  }
  if (tagOf(a) !== tagOf(b)) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    const extraA = Object.keys(a).filter((k) => !isIndex(k));
    const extraB = Object.keys(b).filter((k) => !isIndex(k));
    return extraA.length === extraB.length && compareProperties(a, b, strict, memo, "array", extraA);
  }
  if (Array.isArray(b)) return false;
  const kind = brand(a);
  if (kind !== brand(b)) return false;
  switch (kind) {
    case "date": {
      const x = Date.prototype.getTime.call(a);
      const y = Date.prototype.getTime.call(b);
      if (x !== y && !(Number.isNaN(x) && Number.isNaN(y))) return false;
      break;
    }
    case "regexp": {
      const x = a as RegExp;
      const y = b as RegExp;
      if (x.source !== y.source || x.flags !== y.flags || x.lastIndex !== y.lastIndex) return false;
      break;
    }
    case "error": {
      const x = a as Error;
      const y = b as Error;
      if (x.message !== y.message || x.name !== y.name) return false;
      // cause and errors are not enumerable, yet compared.
      for (const key of ["cause", "errors"] as const) {
        if (hasOwn(x, key) !== hasOwn(y, key)) return false;
        if (hasOwn(x, key) && !isEnumerable(x, key) && !equal((x as any)[key], (y as any)[key], strict, memo ?? newMemo())) return false;
      }
      break;
    }
    case "view": {
      if (!sameView(a as ArrayBufferView, b as ArrayBufferView, strict)) return false;
      const extraA = Object.keys(a).filter((k) => !isIndex(k));
      const extraB = Object.keys(b).filter((k) => !isIndex(k));
      return extraA.length === extraB.length && compareProperties(a, b, strict, memo, "object", extraA);
    }
    case "set":
      return (a as Set<unknown>).size === (b as Set<unknown>).size && compareProperties(a, b, strict, memo, "set");
    case "map":
      return (a as Map<unknown, unknown>).size === (b as Map<unknown, unknown>).size && compareProperties(a, b, strict, memo, "map");
    case "buffer":
      if (!sameBytes(new Uint8Array(a as ArrayBuffer), new Uint8Array(b as ArrayBuffer))) return false;
      break;
    case "boxed":
      if (!Object.is((a as Number).valueOf(), (b as Number).valueOf())) return false;
      break;
    case "weak":
      return false;
  }
  return compareProperties(a, b, strict, memo, "object");
}

const newMemo = (): Memo => ({ a: new Map(), b: new Map(), position: 0 });

type Shape = "object" | "array" | "set" | "map";

function compareProperties(a: object, b: object, strict: boolean, memo: Memo | undefined, shape: Shape, keys?: string[]): boolean {
  if (keys === undefined) {
    keys = Object.keys(a);
    if (keys.length !== Object.keys(b).length) return false;
  }
  for (const k of keys) if (!hasOwn(b, k)) return false;
  if (strict) {
    const symbols = Object.getOwnPropertySymbols(a).filter((s) => isEnumerable(a, s));
    const other = Object.getOwnPropertySymbols(b).filter((s) => isEnumerable(b, s));
    if (symbols.length !== other.length) return false;
    for (const s of symbols) if (!isEnumerable(b, s)) return false;
    if (symbols.length > 0) keys = [...keys, ...(symbols as unknown as string[])];
  }
  if (keys.length === 0 && (shape === "object" || (shape === "array" && (a as unknown[]).length === 0) || (shape !== "array" && (a as Set<unknown>).size === 0))) return true;
  if (memo === undefined) memo = newMemo();
  else {
    const seenA = memo.a.get(a);
    if (seenA !== undefined) {
      const seenB = memo.b.get(b);
      if (seenB !== undefined) return seenA === seenB;
    }
    memo.position++;
  }
  memo.a.set(a, memo.position);
  memo.b.set(b, memo.position);
  const result = compareContents(a, b, strict, memo, shape, keys);
  memo.a.delete(a);
  memo.b.delete(b);
  return result;
}

function compareContents(a: object, b: object, strict: boolean, memo: Memo, shape: Shape, keys: string[]): boolean {
  if (shape === "set" && !compareSets(a as Set<unknown>, b as Set<unknown>, strict, memo)) return false;
  if (shape === "map" && !compareMaps(a as Map<unknown, unknown>, b as Map<unknown, unknown>, strict, memo)) return false;
  if (shape === "array") {
    const x = a as unknown[];
    const y = b as unknown[];
    for (let i = 0; i < x.length; i++) {
      if (hasOwn(x, i) !== hasOwn(y, i)) return false;
      if (hasOwn(x, i) && !equal(x[i], y[i], strict, memo)) return false;
    }
  }
  for (const k of keys) if (!equal((a as any)[k], (b as any)[k], strict, memo)) return false;
  return true;
}

/** In loose mode a primitive may equal a differently typed one ("1" and 1), so only NaN-free non-equals are ruled out. */
function compareSets(a: Set<unknown>, b: Set<unknown>, strict: boolean, memo: Memo): boolean {
  const rest = new Set<unknown>();
  for (const v of a) {
    if (isObject(v)) rest.add(v);
    else if (!b.has(v)) {
      if (strict) return false;
      rest.add(v);
    }
  }
  if (rest.size === 0) return true;
  for (const v of b) {
    if (!isObject(v) && (strict || a.has(v))) {
      if (strict && !a.has(v)) return false;
      continue;
    }
    let match: { value: unknown } | undefined;
    for (const w of rest) if (w === v || equal(w, v, strict, memo)) match ??= { value: w };
    if (!match) return false;
    rest.delete(match.value);
  }
  return rest.size === 0;
}

function compareMaps(a: Map<unknown, unknown>, b: Map<unknown, unknown>, strict: boolean, memo: Memo): boolean {
  const rest = new Set<unknown>();
  for (const [k, v] of a) {
    if (isObject(k)) rest.add(k);
    else if (b.has(k)) {
      if (!equal(v, b.get(k), strict, memo)) {
        if (strict) return false;
        rest.add(k);
      }
    } else {
      if (strict) return false;
      rest.add(k);
    }
  }
  if (rest.size === 0) return true;
  for (const [k, v] of b) {
    if (!isObject(k)) {
      if (strict) {
        if (!a.has(k)) return false;
        continue;
      }
      if (a.has(k) && !rest.has(k)) continue;
    }
    let match: { value: unknown } | undefined;
    for (const w of rest) {
      if (match) break;
      if ((w === k || equal(w, k, strict, memo)) && equal(a.get(w), v, strict, memo)) match = { value: w };
    }
    if (!match) return false;
    rest.delete(match.value);
  }
  return rest.size === 0;
}

export const isDeepStrictEqual = (a: unknown, b: unknown): boolean => equal(a, b, true, undefined);
export const isDeepEqual = (a: unknown, b: unknown): boolean => equal(a, b, false, undefined);
