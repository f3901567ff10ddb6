/** Deep equality with exactly the rules of node:assert (strict: deepStrictEqual; loose: deepEqual). */
const tagOf = (v: unknown): string => Object.prototype.toString.call(v);
const hasOwn = (o: object, k: PropertyKey): boolean => Object.prototype.hasOwnProperty.call(o, k);
const isEnumerable = (o: object, k: PropertyKey): boolean => Object.prototype.propertyIsEnumerable.call(o, k);
const isObject = (v: unknown): v is object => typeof v === "object" && v !== null;
const isIndex = (k: string): boolean => /^(0|[1-9]\d{0,9})$/.test(k) && Number(k) < 4294967295;

/**
 * Objects that are being compared further up, so that cycles end. The first two levels remember their pair; from the
 * third on it is enough that both objects were met, whichever side they were on.
 */
interface Memo {
  first: [object, object];
  second: [object, object] | undefined;
  seen: Set<object> | undefined;
}

type Brand = "date" | "regexp" | "view" | "set" | "map" | "buffer" | "error" | "boxed" | "url" | "";

function brand(v: object): Brand {
  if (v instanceof Date) return "date";
  if (v instanceof RegExp) return "regexp";
  if (ArrayBuffer.isView(v)) return "view";
  if (v instanceof Set) return "set";
  if (v instanceof Map) return "map";
  if (v instanceof ArrayBuffer) return "buffer";
  if (v instanceof Error) return "error";
  if (/^\[object (Number|String|Boolean|Symbol|BigInt)\]$/.test(tagOf(v)) && typeof v.valueOf() !== "object") return "boxed";
  if (v instanceof URL) return "url";
  return "";
}

/** Own enumerable keys that are no array index; symbols count in strict mode. */
function extraKeys(v: object, strict: boolean): PropertyKey[] {
  const keys: PropertyKey[] = Object.keys(v).filter((k) => !isIndex(k));
  return strict ? [...keys, ...enumerableSymbols(v)] : keys;
}
const enumerableSymbols = (v: object): symbol[] => Object.getOwnPropertySymbols(v).filter((s) => isEnumerable(v, s));

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
    return compareIndexed(a, b, strict, memo, "array");
  }
  if (tagOf(a) === "[object Object]" && !ArrayBuffer.isView(a)) return compareProperties(a, b, strict, memo, "object");
  const kind = brand(a);
  if (kind !== brand(b) || Array.isArray(b)) return false;
  switch (kind) {
    case "date":
      if (Date.prototype.getTime.call(a) !== Date.prototype.getTime.call(b)) return false;
      break;
    case "regexp": {
      const x = a as RegExp;
      const y = b as RegExp;
      if (x.source !== y.source || x.flags !== y.flags || x.lastIndex !== y.lastIndex) return false;
      break;
    }
    case "view":
      return sameView(a as ArrayBufferView, b as ArrayBufferView, strict) && compareIndexed(a, b, strict, memo, "object");
    case "set":
      return (a as Set<unknown>).size === (b as Set<unknown>).size && compareProperties(a, b, strict, memo, "set");
    case "map":
      return (a as Map<unknown, unknown>).size === (b as Map<unknown, unknown>).size && compareProperties(a, b, strict, memo, "map");
    case "buffer":
      if (!sameBytes(new Uint8Array(a as ArrayBuffer), new Uint8Array(b as ArrayBuffer))) return false;
      break;
    case "error":
      // These are compared even though they are usually not enumerable.
      for (const key of ["message", "name", "cause", "errors"]) {
        if (isEnumerable(a, key) !== isEnumerable(b, key)) return false;
        if (isEnumerable(a, key)) continue;
        const [x, y] = [(a as any)[key], (b as any)[key]];
        if (key === "message" || key === "name" ? x !== y : !equal(x, y, strict, memo)) return false;
      }
      break;
    case "boxed":
      if (!Object.is(a.valueOf(), b.valueOf())) return false;
      break;
    case "url":
      if ((a as URL).href !== (b as URL).href) return false;
      break;
  }
  return compareProperties(a, b, strict, memo, "object");
}

type Shape = "object" | "array" | "set" | "map";

function compareIndexed(a: object, b: object, strict: boolean, memo: Memo | undefined, shape: Shape): boolean {
  const keys = extraKeys(a, strict);
  if (keys.length !== extraKeys(b, strict).length) return false;
  for (const k of keys) if (!isEnumerable(b, k)) return false;
  return compareRemembering(a, b, strict, memo, shape, keys);
}

function compareProperties(a: object, b: object, strict: boolean, memo: Memo | undefined, shape: Shape): boolean {
  const keys: PropertyKey[] = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const k of keys) if (!isEnumerable(b, k)) return false;
  if (strict) {
    const symbols = enumerableSymbols(a);
    if (symbols.length !== enumerableSymbols(b).length) return false;
    for (const s of symbols) if (!isEnumerable(b, s)) return false;
    keys.push(...symbols);
  }
  return compareRemembering(a, b, strict, memo, shape, keys);
}

function compareRemembering(a: object, b: object, strict: boolean, memo: Memo | undefined, shape: Shape, keys: PropertyKey[]): boolean {
  const size = shape === "object" ? 0 : shape === "array" ? (a as unknown[]).length : (a as Set<unknown>).size;
  if (keys.length === 0 && size === 0) return true;
  if (memo === undefined) return compareContents(a, b, strict, { first: [a, b], second: undefined, seen: undefined }, shape, keys);
  if (memo.seen === undefined) {
    if (memo.second === undefined) {
      if (memo.first[0] === a && memo.first[1] === b) return true;
      memo.second = [a, b];
      const result = compareContents(a, b, strict, memo, shape, keys);
      memo.second = undefined;
      return result;
    }
    memo.seen = new Set([...memo.first, ...memo.second]);
  }
  const { seen } = memo;
  if (seen.has(a) && seen.has(b)) return true;
  seen.add(a).add(b);
  const result = compareContents(a, b, strict, memo, shape, keys);
  seen.delete(a);
  seen.delete(b);
  return result;
}

function compareContents(a: object, b: object, strict: boolean, memo: Memo, shape: Shape, keys: PropertyKey[]): boolean {
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
