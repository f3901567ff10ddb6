/**
 * From a specifier to source text that the engine can load: resolution, and preparation of TypeScript, CommonJS, JSON
 * and built-in modules as ES modules. ES modules themselves go to the engine as they are, so live bindings, cycles,
 * top-level await and line numbers are its own.
 */
import { transform } from "sucrase";
import { type EpisodeFiles, parentOf } from "./files.ts";

export type ModuleKind = "esm" | "cjs" | "json";

export class ModuleError extends Error {
  readonly code: string;
  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

const TYPESCRIPT = /\.[cm]?tsx?$/;
const EXTENSIONS = ["", ".js", ".json", ".mjs", ".cjs", ".ts", ".mts", ".cts"];
const UNAVAILABLE = new Set(
  "child_process cluster crypto dgram dns http http2 https inspector net readline repl sqlite stream tls tty v8 vm wasi worker_threads zlib".split(" "),
);

/** TypeScript's output per source text, kept across runs: the transform costs more than most runs. */
const transformed = new Map<string, string>();
const CACHE_CHARS = 32 << 20;
let cachedChars = 0;

function stripTypes(path: string, source: string): string {
  const key = path + "\0" + source;
  let code = transformed.get(key);
  if (code === undefined) {
    try {
      code = transform(source, { transforms: ["typescript"], disableESTransforms: true, production: true, filePath: path }).code;
    } catch (error) {
      throw new ModuleError(`${path}: ${(error as Error).message.replace(/^Error transforming [^:]*: /, "")}`, "ERR_INVALID_TYPESCRIPT_SYNTAX");
    }
    if (cachedChars > CACHE_CHARS) {
      transformed.clear();
      cachedChars = 0;
    }
    transformed.set(key, code);
    cachedChars += key.length + code.length;
  }
  return code;
}

export class Modules {
  readonly #files: EpisodeFiles;
  readonly #builtins: Record<string, string[]>;
  readonly #packages = new Map<string, Record<string, unknown>>();

  constructor(files: EpisodeFiles, builtins: Record<string, string[]>) {
    this.#files = files;
    this.#builtins = builtins;
  }

  /** Name of a built-in that this sandbox has, or undefined. `test` exists only as `node:test`. */
  builtinName(specifier: string): string | undefined {
    const name = specifier.replace(/^node:/, "");
    if (name === "test" && specifier === "test") return undefined;
    if (Object.hasOwn(this.#builtins, name)) return name;
    if (UNAVAILABLE.has(name) || specifier.startsWith("node:")) {
      throw new ModuleError(`Cannot find module '${specifier}': it is not available in this sandbox`, "ERR_UNKNOWN_BUILTIN_MODULE");
    }
    return undefined;
  }

  /** Absolute path of a file that `from` refers to. ES modules need the full name, CommonJS may leave out the ending. */
  resolve(specifier: string, from: string, kind: "import" | "require"): string {
    if (/^(https?|data|blob):/.test(specifier)) {
      throw new ModuleError(`Cannot import '${specifier}' from ${from}: there is no network in this sandbox`, "ERR_UNSUPPORTED_ESM_URL_SCHEME");
    }
    if (specifier.startsWith("file://")) specifier = decodeURIComponent(specifier.slice(7));
    if (/^\.{0,2}\//.test(specifier) || specifier === "." || specifier === "..") {
      const path = normalize(specifier.startsWith("/") ? specifier : `${parentOf(from)}/${specifier.replace(/[?#].*$/, "")}`);
      const found = this.#file(path, kind);
      if (found) return found;
      throw new ModuleError(`Cannot find module '${path}' imported from ${from}`, kind === "import" ? "ERR_MODULE_NOT_FOUND" : "MODULE_NOT_FOUND");
    }
    const own = this.#package(from);
    const self = own.json.name === specifier ? "." : specifier.startsWith(`${own.json.name}/`) ? "." + specifier.slice(String(own.json.name).length) : undefined;
    if (self !== undefined && own.json.exports !== undefined) {
      const target = exported(own.json.exports, self, kind);
      const found = target && this.#file(normalize(`${own.dir}/${target}`), kind);
      if (found) return found;
      throw new ModuleError(`Package subpath '${self}' is not defined by "exports" in ${own.dir}/package.json imported from ${from}`, "ERR_PACKAGE_PATH_NOT_EXPORTED");
    }
    if (specifier.startsWith("#")) {
      const target = exported(own.json.imports ?? {}, specifier, kind);
      const found = target && this.#file(normalize(`${own.dir}/${target}`), kind);
      if (found) return found;
    }
    for (let dir = parentOf(from); ; dir = parentOf(dir)) {
      const name = /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
      const base = `${dir === "/" ? "" : dir}/node_modules/${name}`;
      const json = this.#readPackage(base);
      if (json) {
        const sub = "." + specifier.slice(name.length);
        const target = json.exports !== undefined ? exported(json.exports, sub, kind) : sub === "." ? String(json.main ?? "index.js") : sub;
        const found = target && this.#file(normalize(`${base}/${target}`), "require");
        if (found) return found;
      }
      if (dir === "/") break;
    }
    throw new ModuleError(`Cannot find package '${specifier}' imported from ${from}`, kind === "import" ? "ERR_MODULE_NOT_FOUND" : "MODULE_NOT_FOUND");
  }

  #file(path: string, kind: "import" | "require"): string | undefined {
    const { files } = this.#files;
    if (files.has(path)) return path;
    // TypeScript sources may name the file that they compile to.
    const ts = /\.[cm]?js$/.test(path) ? path.replace(/js$/, "ts") : undefined;
    if (ts && files.has(ts)) return ts;
    if (kind === "import") return undefined;
    for (const e of EXTENSIONS) if (files.has(path + e)) return path + e;
    const main = this.#readPackage(path)?.main;
    if (typeof main === "string") {
      const found = this.#file(normalize(`${path}/${main}`), kind);
      if (found) return found;
    }
    for (const e of EXTENSIONS.slice(1)) if (files.has(`${path}/index${e}`)) return `${path}/index${e}`;
    return undefined;
  }

  #readPackage(dir: string): Record<string, any> | undefined {
    const path = `${dir === "/" ? "" : dir}/package.json`;
    const text = this.#files.files.get(path);
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text.replace(/^\ufeff/, "")) ?? {};
    } catch (error) {
      throw new ModuleError(`Invalid package config ${path}: ${(error as Error).message}`, "ERR_INVALID_PACKAGE_CONFIG");
    }
  }

  /** The nearest package.json above a file. */
  #package(file: string): { dir: string; json: Record<string, any> } {
    for (let dir = parentOf(file); ; dir = parentOf(dir)) {
      const known = this.#packages.get(dir) ?? this.#readPackage(dir);
      if (known) {
        this.#packages.set(dir, known);
        return { dir: dir === "/" ? "" : dir, json: known };
      }
      if (dir === "/") return { dir: "", json: {} };
    }
  }

  kindOf(path: string): ModuleKind {
    if (path.endsWith(".json")) return "json";
    if (/\.m[jt]s$/.test(path)) return "esm";
    if (/\.c[jt]s$/.test(path)) return "cjs";
    const { type } = this.#package(path).json;
    if (type === "module") return "esm";
    if (type === "commonjs") return "cjs";
    // Without a "type", a file that uses module syntax is a module.
    return /^\s*(import\s*[\w{*'"]|export\s+[\w{*]|export\s*\{)/m.test(this.#files.files.get(path) ?? "") ? "esm" : "cjs";
  }

  /** Source for `require()` of a file. */
  commonJsSource(path: string): string {
    const source = this.#files.files.get(path)!.replace(/^\ufeff?#!/, "//");
    return TYPESCRIPT.test(path) ? stripTypes(path, source) : source;
  }

  /** Source of the ES module that stands for a resolved name (a path, or "node:fs"). */
  moduleSource(name: string): string {
    if (name.startsWith("node:")) {
      const id = JSON.stringify(name.slice(5));
      const names = this.#builtins[name.slice(5)];
      return `const m = __frogpond.builtin(${id}); export default m;${names.map((n) => `export const ${n} = m.${n};`).join("")}`;
    }
    const kind = this.kindOf(name);
    const text = this.#files.files.get(name)!;
    if (kind === "json") {
      try {
        JSON.parse(text.replace(/^\ufeff/, ""));
      } catch (error) {
        throw new ModuleError(`${name}: ${(error as Error).message}`, "ERR_INVALID_JSON");
      }
      return `export default JSON.parse(${JSON.stringify(text.replace(/^\ufeff/, ""))})`;
    }
    if (kind === "cjs") {
      const names = commonJsNames(text);
      return `const m = __frogpond.require(${JSON.stringify(name)}); export default m;${names.map((n) => `export const ${n} = m.${n};`).join("")}`;
    }
    let source = text.replace(/^\ufeff/, "").replace(/^#!/, "//");
    if (TYPESCRIPT.test(name)) source = stripTypes(name, source);
    if (!source.includes("import.meta")) return source;
    // Set on the first line, so that line numbers hold.
    const url = "file://" + name.split("/").map(encodeURIComponent).join("/");
    const meta = { url, filename: name, dirname: parentOf(name) };
    return `Object.assign(import.meta, ${JSON.stringify(meta)}, { resolve: (s) => new URL(s, ${JSON.stringify(url)}).href });${source}`;
  }
}

/** Target of a subpath in an `exports` or `imports` map. */
function exported(map: unknown, key: string, kind: "import" | "require"): string | undefined {
  const pick = (target: unknown): string | undefined => {
    if (typeof target === "string") return target;
    if (Array.isArray(target)) return target.map(pick).find((t) => t !== undefined);
    if (typeof target === "object" && target !== null) {
      for (const [condition, value] of Object.entries(target)) {
        if (condition !== "default" && condition !== "node" && condition !== kind && condition !== "module-sync") continue;
        const found = pick(value);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  };
  const isMap = typeof map === "object" && map !== null && !Array.isArray(map) && /^[.#]/.test(Object.keys(map)[0] ?? "");
  if (!isMap) return key === "." ? pick(map) : undefined;
  const entries = map as Record<string, unknown>;
  if (Object.hasOwn(entries, key)) return pick(entries[key]);
  for (const [pattern, target] of Object.entries(entries)) {
    const [head, tail] = pattern.split("*");
    if (tail === undefined || !key.startsWith(head) || !key.endsWith(tail) || key.length < head.length + tail.length) continue;
    return pick(target)?.replaceAll("*", key.slice(head.length, key.length - tail.length));
  }
  return undefined;
}

/** Names that a CommonJS file exports, as far as its text shows them. */
function commonJsNames(source: string): string[] {
  const names = new Set<string>();
  for (const m of source.matchAll(/\b(?:module\.)?exports\.([A-Za-z_$][\w$]*)\s*=(?!=)/g)) names.add(m[1]);
  for (const m of source.matchAll(/\bObject\.defineProperty\(\s*(?:module\.)?exports\s*,\s*['"]([A-Za-z_$][\w$]*)['"]/g)) names.add(m[1]);
  for (const m of source.matchAll(/\bmodule\.exports\s*=\s*\{([^}]*)\}/g)) {
    for (const part of m[1].split(",")) {
      const name = /^\s*([A-Za-z_$][\w$]*)\s*(?::|\(|$)/.exec(part)?.[1];
      if (name) names.add(name);
    }
  }
  names.delete("default");
  names.delete("__esModule");
  return [...names].filter((n) => !RESERVED.has(n));
}
const RESERVED = new Set("break case catch class const continue debugger default delete do else enum export extends false finally for function if import in instanceof new null return super switch this throw true try typeof var void while with yield let static await m".split(" "));

export function normalize(path: string): string {
  const out: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") out.pop();
    else out.push(part);
  }
  return "/" + out.join("/");
}
