/** Built-in modules and `require()`. ES modules are the engine's own; the worker resolves and prepares their source. */
import { assert, strict } from "./assert.ts";
import { Buffer } from "./buffer.ts";
import * as clock from "./clock.ts";
import { events } from "./events.ts";
import { fs, fsPromises } from "./fs.ts";
import { host } from "./host.ts";
import * as path from "./path.ts";
import { process } from "./process.ts";
import { testModule } from "./test-runner.ts";
import { urlModule } from "./url.ts";
import { types, util } from "./util.ts";

const timersPromises = {
  setTimeout: (ms?: number, value?: unknown) => new Promise((resolve) => clock.setTimeout(resolve, ms, value)),
  setImmediate: (value?: unknown) => new Promise((resolve) => clock.setImmediate(resolve as any, value)),
  setInterval: async function* (ms?: number, value?: unknown) {
    for (;;) {
      await timersPromises.setTimeout(ms);
      yield value;
    }
  },
  scheduler: { wait: (ms: number) => timersPromises.setTimeout(ms), yield: () => timersPromises.setImmediate() },
};

class StringDecoder {
  readonly #decoder: TextDecoder;
  constructor(encoding = "utf8") {
    this.#decoder = new TextDecoder(encoding, { ignoreBOM: true });
  }
  write(bytes: Uint8Array): string {
    return this.#decoder.decode(bytes, { stream: true });
  }
  end(bytes?: Uint8Array): string {
    return this.#decoder.decode(bytes);
  }
}

/** AsyncLocalStorage for synchronous use; contexts do not follow promises. */
class AsyncLocalStorage {
  #store: unknown;
  run(store: unknown, fn: (...args: unknown[]) => unknown, ...args: unknown[]): unknown {
    const outer = this.#store;
    this.#store = store;
    try {
      return fn(...args);
    } finally {
      this.#store = outer;
    }
  }
  getStore(): unknown {
    return this.#store;
  }
}

const os = {
  EOL: "\n", platform: () => "linux", type: () => "Linux", arch: () => "x64", tmpdir: () => "/tmp", homedir: () => "/root",
  hostname: () => "sandbox", cpus: () => [{ model: "virtual", speed: 1000 }], totalmem: () => 1e9, freemem: () => 5e8, availableParallelism: () => 1,
};

const builtins: Record<string, () => any> = {
  assert: () => assert,
  "assert/strict": () => strict,
  test: () => testModule,
  path: () => path.posix,
  "path/posix": () => path.posix,
  fs: () => fs,
  "fs/promises": () => fsPromises,
  events: () => events,
  util: () => util,
  "util/types": () => types,
  url: urlModule,
  os: () => os,
  buffer: () => ({ Buffer, Blob: undefined, atob, btoa }),
  process: () => process,
  console: () => globalThis.console,
  timers: () => clock.timers,
  "timers/promises": () => timersPromises,
  perf_hooks: () => ({ performance: clock.performance, PerformanceObserver: undefined }),
  string_decoder: () => ({ StringDecoder }),
  async_hooks: () => ({ AsyncLocalStorage }),
  module: () => ({ createRequire, builtinModules: Object.keys(builtins), isBuiltin: (name: string) => name.replace(/^node:/, "") in builtins }),
};

/** Exports of a built-in module; the worker writes ES modules that read them. */
export function builtin(name: string): any {
  return builtins[name]();
}
/** The export names of each built-in, once at start-up, for those ES modules. */
export function builtinNames(): Record<string, string[]> {
  const names: Record<string, string[]> = {};
  for (const name of Object.keys(builtins)) names[name] = Object.keys(builtin(name)).filter((k) => k !== "default" && /^[A-Za-z_$][\w$]*$/.test(k));
  return names;
}

/** Why a module cannot be had, from the worker's description. */
export function moduleError({ message, code }: { message: string; code: string }): Error {
  return Object.assign(/SYNTAX|JSON/.test(code) ? new SyntaxError(message) : new Error(message), { code });
}

interface CommonJsModule {
  exports: any;
  id: string;
  filename: string;
  loaded: boolean;
  children: unknown[];
  paths: string[];
  require?: unknown;
}
const cache: Record<string, CommonJsModule> = Object.create(null);

function createRequire(from: string | URL): any {
  const file = String(from).startsWith("file://") ? decodeURIComponent(new URL(String(from)).pathname) : String(from);
  return makeRequire(file);
}

function makeRequire(from: string): any {
  const require = (specifier: string): any => {
    const found = lookup(from, specifier);
    if (found.kind === "builtin") return builtin(found.path);
    return requireFile(found.path, found.kind, found.source);
  };
  require.resolve = (specifier: string) => lookup(from, specifier).path;
  require.cache = cache;
  require.main = undefined;
  return require;
}

function lookup(from: string, specifier: string): { path: string; kind: string; source: string } {
  const found = JSON.parse(host.load(from, String(specifier)));
  if (found.error === undefined) return found;
  throw Object.assign(moduleError({ message: found.error, code: found.code }), { requireStack: [from] });
}

function requireFile(file: string, kind: string, source: string): any {
  if (kind === "esm") return host.requireModule(file);
  const known = cache[file];
  if (known) return known.exports;
  const module: CommonJsModule = { exports: {}, id: file, filename: file, loaded: false, children: [], paths: [] };
  cache[file] = module;
  try {
    if (kind === "json") module.exports = JSON.parse(source.replace(/^\ufeff/, ""));
    else {
      // The wrapper opens on the first line, so that line numbers hold.
      const fn = host.evaluate(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, file) as Function;
      fn.call(module.exports, module.exports, makeRequire(file), module, file, path.dirname(file));
    }
  } catch (error) {
    delete cache[file];
    throw error;
  }
  module.loaded = true;
  return module.exports;
}

/** Runs (or returns) a CommonJS file by absolute path; ES modules import it through this. */
export function requireAbsolute(file: string): any {
  const found = lookup(file, file);
  return requireFile(found.path, found.kind, found.source);
}
