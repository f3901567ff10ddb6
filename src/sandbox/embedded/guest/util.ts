/** node:util, the parts that ordinary code and tests use. */
import { setTimeout } from "./clock.ts";
import { isDeepStrictEqual } from "./deep-equal.ts";
import { format, inspect } from "./inspect.ts";

const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*[A-Za-z]`, "g");
const tag = (v: unknown): string => Object.prototype.toString.call(v).slice(8, -1);
const isTag = (name: string) => (v: unknown) => typeof v === "object" && v !== null && tag(v) === name;

export const types = {
  isDate: (v: unknown) => v instanceof Date,
  isRegExp: (v: unknown) => v instanceof RegExp,
  isNativeError: (v: unknown) => v instanceof Error,
  isPromise: (v: unknown) => v instanceof Promise,
  isMap: (v: unknown) => v instanceof Map,
  isSet: (v: unknown) => v instanceof Set,
  isWeakMap: (v: unknown) => v instanceof WeakMap,
  isWeakSet: (v: unknown) => v instanceof WeakSet,
  isArrayBuffer: (v: unknown) => v instanceof ArrayBuffer,
  isAnyArrayBuffer: (v: unknown) => v instanceof ArrayBuffer,
  isArrayBufferView: (v: unknown) => ArrayBuffer.isView(v),
  isTypedArray: (v: unknown) => ArrayBuffer.isView(v) && !(v instanceof DataView),
  isUint8Array: (v: unknown) => v instanceof Uint8Array,
  isFloat32Array: (v: unknown) => v instanceof Float32Array,
  isFloat64Array: (v: unknown) => v instanceof Float64Array,
  isGeneratorFunction: (v: unknown) => typeof v === "function" && tag(v).endsWith("GeneratorFunction"),
  isGeneratorObject: isTag("Generator"),
  isAsyncFunction: (v: unknown) => typeof v === "function" && tag(v).startsWith("Async"),
  isNumberObject: isTag("Number"),
  isStringObject: isTag("String"),
  isBooleanObject: isTag("Boolean"),
  isSymbolObject: isTag("Symbol"),
  isBigIntObject: isTag("BigInt"),
  isBoxedPrimitive: (v: unknown) => typeof v === "object" && /^(Number|String|Boolean|Symbol|BigInt)$/.test(tag(v)),
  isMapIterator: isTag("Map Iterator"),
  isSetIterator: isTag("Set Iterator"),
  isProxy: () => false,
};

const promisified = Symbol.for("nodejs.util.promisify.custom");
export function promisify(fn: any): any {
  if (typeof fn !== "function") throw new TypeError(`The "original" argument must be of type function. Received ${inspect(fn)}`);
  if (fn[promisified]) return fn[promisified];
  return function (this: unknown, ...args: unknown[]) {
    return new Promise((resolve, reject) => {
      Reflect.apply(fn, this, [...args, (error: unknown, ...values: unknown[]) => (error ? reject(error) : resolve(values[0]))]);
    });
  };
}
promisify.custom = promisified;
const sleep = (ms: number, value: unknown) => new Promise((resolve) => void setTimeout(resolve, ms, value));
Object.defineProperty(setTimeout, promisified, { value: sleep });

export function callbackify(fn: any): any {
  return function (this: unknown, ...args: any[]) {
    const callback = args.pop();
    (Reflect.apply(fn, this, args) as Promise<unknown>).then(
      (value: unknown) => queueMicrotask(() => callback(null, value)),
      (error: unknown) => queueMicrotask(() => callback(error)),
    );
  };
}

export function inherits(child: any, parent: any): void {
  Object.defineProperty(child, "super_", { value: parent, writable: true, configurable: true });
  Object.setPrototypeOf(child.prototype, parent.prototype);
}

function fail(message: string, code: string): never {
  throw Object.assign(new TypeError(message), { code });
}

/** parseArgs for the usual cases: long and short options, booleans, multiples, positionals. */
export function parseArgs(config: any = {}): any {
  const { args = (globalThis as any).process.argv.slice(2), options = {}, strict = true, allowPositionals = !strict } = config;
  const values: Record<string, unknown> = Object.create(null);
  const positionals: string[] = [];
  const set = (name: string, value: unknown, multiple: boolean) => {
    if (multiple) ((values[name] ??= []) as unknown[]).push(value);
    else values[name] = value;
  };
  const names = Object.entries<any>(options);
  for (let i = 0; i < args.length; i++) {
    const arg: string = args[i];
    if (arg === "--") {
      positionals.push(...args.slice(i + 1));
      break;
    }
    const long = /^--([^=]+)(?:=([^]*))?$/.exec(arg);
    const short = !long && /^-([^-])([^]*)$/.exec(arg);
    if (!long && !short) {
      if (!allowPositionals) fail(`Unexpected argument '${arg}'. This command does not take positional arguments`, "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL");
      positionals.push(arg);
      continue;
    }
    const name = long ? long[1] : names.find(([, o]) => o.short === (short as RegExpExecArray)[1])?.[0];
    const option = name === undefined ? undefined : options[name];
    if (!option && strict) fail(`Unknown option '${arg}'`, "ERR_PARSE_ARGS_UNKNOWN_OPTION");
    if (option?.type === "string") {
      let value: string | undefined = long ? long[2] : (short as RegExpExecArray)[2] || undefined;
      if (value === undefined) value = args[++i];
      if (value === undefined) fail(`Option '--${name} <value>' argument missing`, "ERR_PARSE_ARGS_INVALID_OPTION_VALUE");
      set(name!, value, option.multiple);
    } else {
      set(name ?? (short as RegExpExecArray)[1], true, option?.multiple);
      if (short && short[2]) args.splice(i + 1, 0, "-" + short[2]);
    }
  }
  for (const [name, option] of names) if (values[name] === undefined && option.default !== undefined) values[name] = option.default;
  return { values, positionals };
}

export const util: Record<string, unknown> = {
  inspect, format, isDeepStrictEqual, types, promisify, callbackify, inherits, parseArgs,
  formatWithOptions: (_options: unknown, ...args: unknown[]) => format(...args),
  stripVTControlCharacters: (s: string) => String(s).replace(ESCAPES, ""),
  toUSVString: (s: string) => (String(s) as any).toWellFormed(),
  deprecate: (fn: unknown) => fn,
  debuglog: () => () => {},
  isArray: Array.isArray,
  TextEncoder, TextDecoder,
};
