/**
 * util.inspect and util.format, following Node's layout rules: short values on one line, long ones broken, arrays of
 * more than six entries grouped into columns.
 */
export interface InspectOptions {
  depth?: number | null;
  breakLength?: number;
  compact?: number | boolean;
  sorted?: boolean | ((a: string, b: string) => number);
  maxArrayLength?: number | null;
  maxStringLength?: number | null;
  showHidden?: boolean;
  customInspect?: boolean;
  getters?: boolean;
}

interface Context extends Required<InspectOptions> {
  seen: unknown[];
  indent: number;
  currentDepth: number;
  circular: Map<unknown, number> | undefined;
}

export const inspectDefaults: Required<InspectOptions> = {
  depth: 2,
  breakLength: 80,
  compact: 3,
  sorted: false,
  maxArrayLength: 100,
  maxStringLength: 10000,
  showHidden: false,
  customInspect: true,
  getters: false,
};
export const customInspect = Symbol.for("nodejs.util.inspect.custom");

const IDENTIFIER = /^[a-zA-Z_][a-zA-Z_0-9]*$/;
const tagOf = (v: unknown): string => Object.prototype.toString.call(v).slice(8, -1);
const isProto = (v: object, C: { prototype: object }): boolean => Object.prototype.isPrototypeOf.call(C.prototype, v);

export function quote(s: string): string {
  const q = !s.includes("'") ? "'" : !s.includes('"') ? '"' : !s.includes("`") && !s.includes("${") ? "`" : "'";
  let out = q;
  for (const ch of s) {
    const code = ch.codePointAt(0)!;
    if (ch === q || ch === "\\") out += "\\" + ch;
    else if (ch === "\n") out += "\\n";
    else if (ch === "\t") out += "\\t";
    else if (ch === "\r") out += "\\r";
    else if (ch === "\b") out += "\\b";
    else if (ch === "\f") out += "\\f";
    else if (ch === "\v") out += "\\v";
    else if (code < 32 || (code >= 127 && code < 160)) out += "\\x" + code.toString(16).toUpperCase().padStart(2, "0");
    else if (code >= 0xd800 && code <= 0xdfff) out += "\\u" + code.toString(16);
    else out += ch;
  }
  return out + q;
}

function formatPrimitive(ctx: Context, v: unknown): string {
  if (typeof v === "string") {
    let s = v;
    let tail = "";
    const max = ctx.maxStringLength ?? Infinity;
    if (s.length > max) {
      const rest = s.length - max;
      s = s.slice(0, max);
      tail = `... ${rest} more character${rest > 1 ? "s" : ""}`;
    }
    if (ctx.compact !== true && s.length > 16 && s.length > ctx.breakLength - ctx.indent - 4) {
      const lines = s.split(/(?<=\n)/);
      if (lines.length > 1) return lines.map(quote).join(` +\n${" ".repeat(ctx.indent + 2)}`) + tail;
    }
    return quote(s) + tail;
  }
  if (typeof v === "number") return Object.is(v, -0) ? "-0" : String(v);
  if (typeof v === "bigint") return `${v}n`;
  if (typeof v === "symbol") return v.toString();
  return String(v);
}

function constructorName(v: object): string | null {
  for (let o: object | null = v; o; o = Object.getPrototypeOf(o)) {
    const d = Object.getOwnPropertyDescriptor(o, "constructor");
    if (d && typeof d.value === "function" && d.value.name !== "" && isProto(v, d.value)) return d.value.name;
  }
  return null;
}

function prefix(name: string | null, tag: string, fallback: string, size = ""): string {
  if (name === null) return tag && tag !== fallback ? `[${fallback}${size}: null prototype] [${tag}] ` : `[${fallback}${size}: null prototype] `;
  return tag && tag !== name ? `${name}${size} [${tag}] ` : `${name}${size} `;
}

function functionBase(fn: Function, name: string | null, tag: string): string {
  const source = Function.prototype.toString.call(fn);
  if (source.startsWith("class") && source.endsWith("}")) {
    const parent = Object.getPrototypeOf(fn)?.name;
    return `[class ${fn.name || "(anonymous)"}${name !== "Function" && name !== null ? ` [${name}]` : ""}${parent ? ` extends ${parent}` : ""}]`;
  }
  const type = tagOf(fn);
  let base = `[${type}${name === null ? " (null prototype)" : ""}`;
  base += fn.name === "" ? " (anonymous)" : `: ${fn.name}`;
  base += "]";
  if (tag !== "" && name !== tag && tag !== type) base += ` [${tag}]`;
  return base;
}

function errorBase(ctx: Context, err: Error, keys: PropertyKey[]): string {
  let stack = typeof err.stack === "string" && err.stack ? err.stack : `[${Error.prototype.toString.call(err)}]`;
  if (!stack.includes("\n    at")) stack = stack.startsWith("[") ? stack : `[${stack}]`;
  for (const name of ["name", "message", "stack"]) {
    const i = keys.indexOf(name);
    if (i >= 0 && stack.includes(String((err as any)[name]))) keys.splice(i, 1);
  }
  if ("cause" in err && Object.hasOwn(err, "cause") && !keys.includes("cause")) keys.push("cause");
  if (Array.isArray((err as any).errors) && Object.hasOwn(err, "errors") && !keys.includes("errors")) keys.push("errors");
  return ctx.indent ? stack.replaceAll("\n", "\n" + " ".repeat(ctx.indent)) : stack;
}

function formatValue(ctx: Context, v: unknown, level: number): string {
  if ((typeof v !== "object" && typeof v !== "function") || v === null) return formatPrimitive(ctx, v);
  if (ctx.customInspect) {
    const custom = (v as any)[customInspect];
    if (typeof custom === "function" && custom !== inspect && !(Object.hasOwn(v, "constructor") && (v as any).constructor?.prototype === v)) {
      const depth = ctx.depth === null ? null : ctx.depth - level;
      const { seen: _s, indent: _i, currentDepth: _c, circular: _r, ...options } = ctx;
      const result = custom.call(v, depth, { ...options, stylize: (s: unknown) => String(s) }, inspect);
      if (result !== v) return typeof result === "string" ? result.replaceAll("\n", "\n" + " ".repeat(ctx.indent)) : formatValue(ctx, result, level);
    }
  }
  if (ctx.seen.includes(v)) {
    ctx.circular ??= new Map();
    if (!ctx.circular.has(v)) ctx.circular.set(v, ctx.circular.size + 1);
    return `[Circular *${ctx.circular.get(v)}]`;
  }
  return formatObject(ctx, v, level);
}

function formatObject(ctx: Context, v: object, level: number): string {
  const name = constructorName(v);
  let tag = (v as any)[Symbol.toStringTag];
  // A tag that is printed as a property is not printed twice.
  if (typeof tag !== "string" || (ctx.showHidden ? Object.hasOwn(v, Symbol.toStringTag) : Object.prototype.propertyIsEnumerable.call(v, Symbol.toStringTag))) tag = "";
  const keys: PropertyKey[] = ctx.showHidden ? Object.getOwnPropertyNames(v) : Object.keys(v);
  for (const s of Object.getOwnPropertySymbols(v)) if (ctx.showHidden || Object.prototype.propertyIsEnumerable.call(v, s)) keys.push(s);
  const type = tagOf(v);
  let base = "";
  let braces: [string, string] = ["{", "}"];
  let entries: (() => string[]) | undefined;
  let isArrayLike = false;
  const dropIndices = () => {
    for (let i = keys.length - 1; i >= 0; i--) if (typeof keys[i] === "string" && /^(0|[1-9]\d*)$/.test(keys[i] as string)) keys.splice(i, 1);
  };
  if (Array.isArray(v)) {
    braces = [`${name !== "Array" || tag ? prefix(name, tag, "Array", `(${v.length})`) : ""}[`, "]"];
    dropIndices();
    if (v.length === 0 && keys.length === 0) return braces[0] + "]";
    entries = () => formatArray(ctx, v, level);
    isArrayLike = true;
  } else if (v instanceof Set) {
    braces[0] = prefix(name, tag, "Set", `(${v.size})`) + "{";
    entries = () => nested(ctx, () => [...v].map((x) => formatValue(ctx, x, level)));
    if (v.size === 0 && keys.length === 0) return braces[0] + "}";
  } else if (v instanceof Map) {
    braces[0] = prefix(name, tag, "Map", `(${v.size})`) + "{";
    entries = () => nested(ctx, () => [...v].map(([k, x]) => `${formatValue(ctx, k, level)} => ${formatValue(ctx, x, level)}`));
    if (v.size === 0 && keys.length === 0) return braces[0] + "}";
  } else if (ArrayBuffer.isView(v) && !(v instanceof DataView)) {
    const array = v as unknown as number[];
    braces = [prefix(name, tag, name ?? "TypedArray", `(${array.length})`) + "[", "]"];
    dropIndices();
    if (array.length === 0 && keys.length === 0) return braces[0] + "]";
    entries = () => formatArray(ctx, array, level);
    isArrayLike = true;
  } else if (typeof v === "function") {
    base = functionBase(v, name, tag);
    if (keys.length === 0) return base;
  } else if (v instanceof RegExp) {
    base = RegExp.prototype.toString.call(v);
    if (name !== "RegExp") base = `${prefix(name, tag, "RegExp")}${base}`;
    if (keys.length === 0) return base;
  } else if (v instanceof Date && type === "Date") {
    base = Number.isNaN(+v) ? String(v) : v.toISOString();
    if (name !== "Date") base = `${prefix(name, tag, "Date")}${base}`;
    if (keys.length === 0) return base;
  } else if (v instanceof Error) {
    base = errorBase(ctx, v, keys);
    if (keys.length === 0) return base;
  } else if (v instanceof ArrayBuffer) {
    braces[0] = `${prefix(name, tag, "ArrayBuffer")}{`;
    const shown = Math.min(ctx.maxArrayLength ?? Infinity, v.byteLength);
    const rest = v.byteLength - shown;
    let hex = [...new Uint8Array(v, 0, shown)].map((b) => b.toString(16).padStart(2, "0")).join(" ");
    if (rest > 0) hex += ` ... ${rest} more byte${rest > 1 ? "s" : ""}`;
    entries = () => [`[Uint8Contents]: <${hex}>`, `byteLength: ${v.byteLength}`];
  } else if (v instanceof Promise) {
    braces[0] = `${prefix(name, tag, "Promise")}{`;
    entries = () => ["<pending>"];
  } else if (v instanceof WeakSet || v instanceof WeakMap) {
    braces[0] = `${prefix(name, tag, type)}{`;
    entries = () => ["<items unknown>"];
  } else if (/^(Number|String|Boolean|Symbol|BigInt)$/.test(type) && typeof v.valueOf() !== "object") {
    if (type === "String") dropIndices();
    base = `[${type}${name !== type ? (name === null ? " (null prototype)" : ` (${name})`) : ""}: ${formatPrimitive(ctx, v.valueOf())}]`;
    if (keys.length === 0) return base;
  } else if (type === "Module") {
    braces[0] = "[Module: null prototype] {";
  } else {
    if (type === "Arguments") braces[0] = "[Arguments] {";
    else if (name !== "Object" || tag) braces[0] = prefix(name, tag, "Object") + "{";
    if (keys.length === 0) return `${braces[0]}}`;
  }
  if (ctx.depth !== null && level > ctx.depth) {
    const label = prefix(name, tag, Array.isArray(v) ? "Array" : "Object").trimEnd();
    return name === null ? label : `[${label}]`;
  }
  ctx.seen.push(v);
  ctx.currentDepth = level;
  let output = entries ? withLevel(() => entries!()) : [];
  for (const key of keys) output.push(formatProperty(ctx, v, key, level));
  ctx.seen.pop();
  const ref = ctx.circular?.get(v);
  if (ref !== undefined) {
    if (ctx.compact !== true) base = base === "" ? `<ref *${ref}>` : `<ref *${ref}> ${base}`;
    else braces[0] = `<ref *${ref}> ${braces[0]}`;
  }
  if (ctx.sorted) {
    const compare = typeof ctx.sorted === "function" ? ctx.sorted : undefined;
    if (!isArrayLike) output = output.toSorted(compare);
    else if (keys.length > 1) output.push(...output.splice(output.length - keys.length).toSorted(compare));
  }
  return layout(ctx, output, base, braces, isArrayLike, level, v);

  // Entries are one level below the object, as properties are.
  function withLevel<T>(f: () => T): T {
    level++;
    try {
      return f();
    } finally {
      level--;
    }
  }
}

function nested<T>(ctx: Context, f: () => T): T {
  ctx.indent += 2;
  try {
    return f();
  } finally {
    ctx.indent -= 2;
  }
}

function formatArray(ctx: Context, v: ArrayLike<unknown>, level: number): string[] {
  const out: string[] = [];
  const max = Math.min(ctx.maxArrayLength ?? Infinity, v.length);
  let i = 0;
  for (; i < v.length && out.length < max; i++) {
    if (!Object.hasOwn(v, i)) {
      let holes = 1;
      for (; i + 1 < v.length && !Object.hasOwn(v, i + 1); i++) holes++;
      out.push(`<${holes} empty item${holes > 1 ? "s" : ""}>`);
    } else out.push(nested(ctx, () => formatValue(ctx, v[i], level)));
  }
  const rest = v.length - i;
  if (rest > 0) out.push(`... ${rest} more item${rest > 1 ? "s" : ""}`);
  return out;
}

function formatProperty(ctx: Context, v: object, key: PropertyKey, level: number): string {
  const d = Object.getOwnPropertyDescriptor(v, key) ?? { value: (v as any)[key], enumerable: true };
  let text: string;
  if (d.get !== undefined && ctx.getters) text = nested(ctx, () => formatGetter(ctx, d, v, level));
  else if (d.get !== undefined) text = d.set !== undefined ? "[Getter/Setter]" : "[Getter]";
  else if (d.set !== undefined) text = "[Setter]";
  else text = nested(ctx, () => formatValue(ctx, d.value, level + 1));
  let label: string;
  if (typeof key === "symbol") label = `[${key.toString()}]`;
  else if (key === "__proto__") label = "['__proto__']";
  else if (d.enumerable === false) label = `[${String(key)}]`;
  else label = IDENTIFIER.test(String(key)) ? String(key) : quote(String(key));
  return `${label}: ${text}`;
}

function formatGetter(ctx: Context, d: PropertyDescriptor, v: object, level: number): string {
  const label = d.set ? "Getter/Setter" : "Getter";
  try {
    const value = d.get!.call(v);
    if (typeof value === "object" && value !== null) return `[${label}] ${formatValue(ctx, value, level + 1)}`;
    return `[${label}: ${formatPrimitive(ctx, value)}]`;
  } catch (error) {
    return `[${label}: <Inspection threw (${(error as Error).message})>]`;
  }
}

function layout(ctx: Context, output: string[], base: string, braces: [string, string], isArrayLike: boolean, level: number, v: object): string {
  const head = base ? `${base} ` : "";
  if (ctx.compact === true) {
    const length = output.reduce((n, s) => n + s.length, output.length + output.length);
    if (length <= ctx.breakLength && !base.includes("\n")) return `${braces[0]}${base ? ` ${base}` : ""} ${output.join(", ")} ${braces[1]}`;
    const indent = `\n${" ".repeat(ctx.indent)}`;
    return `${base ? `${base} ` : ""}${braces[0]}${indent}  ${output.join(`,${indent}  `)} ${braces[1]}`;
  }
  if (typeof ctx.compact === "number" && ctx.compact >= 1) {
    const entries = output.length;
    if (isArrayLike && entries > 6) output = groupColumns(ctx, output, v as ArrayLike<unknown>);
    if (ctx.currentDepth - level < ctx.compact && entries === output.length) {
      const start = output.length + ctx.indent + braces[0].length + base.length + 10;
      const length = output.reduce((n, s) => n + s.length, output.length + start);
      if (start + 2 * output.length <= ctx.breakLength && length <= ctx.breakLength && !base.includes("\n")) {
        const joined = output.join(", ");
        if (!joined.includes("\n")) return `${head}${braces[0]} ${joined} ${braces[1]}`;
      }
    }
  }
  const indent = `\n${" ".repeat(ctx.indent)}`;
  return `${head}${braces[0]}${indent}  ${output.join(`,${indent}  `)}${indent}${braces[1]}`;
}

/** Arranges short array entries in columns of about 2.5 times their height. */
function groupColumns(ctx: Context, output: string[], v: ArrayLike<unknown>): string[] {
  const hasMore = ctx.maxArrayLength !== null && ctx.maxArrayLength < output.length;
  const count = hasMore ? output.length - 1 : output.length;
  const widths = output.slice(0, count).map((s) => s.length);
  const total = widths.reduce((a, b) => a + b + 2, 0);
  const widest = Math.max(...widths);
  const cell = widest + 2;
  if (!(cell * 3 + ctx.indent < ctx.breakLength && (total / cell > 5 || widest <= 6))) return output;
  const biased = Math.max(cell - 3 - Math.sqrt(cell - total / output.length), 1);
  const columns = Math.min(
    Math.round(Math.sqrt(2.5 * biased * count) / biased),
    Math.floor((ctx.breakLength - ctx.indent) / cell),
    (ctx.compact as number) * 4,
    15,
  );
  if (columns <= 1) return output;
  const lineWidths: number[] = [];
  for (let i = 0; i < columns; i++) {
    let w = 0;
    for (let j = i; j < count; j += columns) w = Math.max(w, widths[j]);
    lineWidths.push(w + 2);
  }
  let numeric = true;
  for (let i = 0; i < count && numeric; i++) numeric = typeof v[i] === "number" || typeof v[i] === "bigint";
  const rows: string[] = [];
  for (let i = 0; i < count; i += columns) {
    const end = Math.min(i + columns, count);
    let row = "";
    for (let j = i; j < end - 1; j++) row += numeric ? `${output[j]}, `.padStart(lineWidths[j - i]) : `${output[j]}, `.padEnd(lineWidths[j - i]);
    row += numeric ? output[end - 1].padStart(lineWidths[end - 1 - i] - 2) : output[end - 1];
    rows.push(row);
  }
  if (hasMore) rows.push(output[count]);
  return rows;
}

/** `util.inspect(value, options)`; the legacy positional form (showHidden, depth) works too. */
export function inspect(value: unknown, options?: InspectOptions | boolean, depth?: number | null): string {
  const given: InspectOptions = typeof options === "boolean" ? { showHidden: options, ...(depth !== undefined ? { depth } : {}) } : (options ?? {});
  const ctx: Context = { ...inspectDefaults, ...given, seen: [], indent: 0, currentDepth: 0, circular: undefined };
  if (ctx.depth === Infinity) ctx.depth = null;
  if (ctx.maxArrayLength === null) ctx.maxArrayLength = Infinity;
  return formatValue(ctx, value, 0);
}
inspect.custom = customInspect;
inspect.defaultOptions = inspectDefaults;

/** `util.format`: printf-like first argument, the rest joined by spaces. */
export function format(...args: unknown[]): string {
  let out = "";
  let next = 0;
  if (typeof args[0] === "string") {
    next = 1;
    if (args.length === 1) return args[0];
    out = args[0].replace(/%[sdifjoOc%]/g, (spec) => {
      if (spec === "%%") return "%";
      if (next >= args.length) return spec;
      const v = args[next++];
      switch (spec) {
        case "%s":
          if (typeof v === "bigint") return `${v}n`;
          if (typeof v === "number") return Object.is(v, -0) ? "-0" : String(v);
          if (typeof v === "object" && v !== null && !(v instanceof Error) && !hasOwnToString(v)) return inspect(v, { depth: 0, compact: 3 });
          return String(v);
        case "%d":
          return typeof v === "bigint" ? `${v}n` : typeof v === "symbol" ? "NaN" : formatNumber(Number(v));
        case "%i":
          return typeof v === "bigint" ? `${v}n` : typeof v === "symbol" ? "NaN" : formatNumber(parseInt(String(v), 10));
        case "%f":
          return typeof v === "symbol" ? "NaN" : formatNumber(parseFloat(String(v)));
        case "%j":
          try {
            return JSON.stringify(v) ?? "undefined";
          } catch {
            return "[Circular]";
          }
        case "%o":
          return inspect(v, { showHidden: true, depth: 4 });
        case "%O":
          return inspect(v);
        default:
          return "";
      }
    });
  }
  for (; next < args.length; next++) {
    const v = args[next];
    out += (next > 0 ? " " : "") + (typeof v === "string" ? v : inspect(v));
  }
  return out;
}

const formatNumber = (n: number): string => (Object.is(n, -0) ? "-0" : String(n));
function hasOwnToString(v: object): boolean {
  const toString = (v as any).toString;
  return typeof toString === "function" && toString !== Object.prototype.toString && toString !== Array.prototype.toString && toString !== Date.prototype.toString;
}
