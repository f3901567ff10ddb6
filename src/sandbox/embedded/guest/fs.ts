/** node:fs over the episode's files: the synchronous and promise forms of the common calls. */
import { Buffer } from "./buffer.ts";
import { host } from "./host.ts";
import * as path from "./path.ts";
import { fileURLToPath } from "./url.ts";

const MESSAGES: Record<string, string> = {
  ENOENT: "no such file or directory",
  EEXIST: "file already exists",
  EISDIR: "illegal operation on a directory",
  ENOTDIR: "not a directory",
  ENOTEMPTY: "directory not empty",
};

function absolute(p: unknown): string {
  if (p instanceof URL) p = fileURLToPath(p);
  if (p instanceof Uint8Array) p = new TextDecoder().decode(p);
  if (typeof p !== "string") {
    throw Object.assign(new TypeError(`The "path" argument must be of type string or an instance of Buffer or URL. Received ${p === null ? "null" : typeof p}`), {
      code: "ERR_INVALID_ARG_TYPE",
    });
  }
  return path.resolve(p);
}

function call(op: string, syscall: string, given: unknown, data = ""): any {
  const p = absolute(given);
  const answer = JSON.parse(host.fs(op, p, data));
  if (answer.code === undefined) return answer.ok;
  const shown = typeof given === "string" ? given : p;
  throw Object.assign(new Error(`${answer.code}: ${MESSAGES[answer.code]}, ${syscall} '${shown}'`), {
    errno: answer.code === "ENOENT" ? -2 : -1, code: answer.code, syscall, path: shown,
  });
}

const encodingOf = (options: any): string | undefined => (typeof options === "string" ? options : options?.encoding) ?? undefined;
const textOf = (data: any): string => (data instanceof Uint8Array ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(data) : String(data));

class Stats {
  readonly size: number;
  readonly #dir: boolean;
  readonly mtimeMs = Date.UTC(2024, 0, 1);
  readonly mode: number;
  constructor(dir: boolean, size: number) {
    this.#dir = dir;
    this.size = size;
    this.mode = dir ? 0o40755 : 0o100644;
  }
  get mtime(): Date {
    return new Date(this.mtimeMs);
  }
  isFile(): boolean {
    return !this.#dir;
  }
  isDirectory(): boolean {
    return this.#dir;
  }
  isSymbolicLink(): boolean {
    return false;
  }
}

class Dirent {
  readonly name: string;
  readonly parentPath: string;
  readonly path: string;
  readonly #dir: boolean;
  constructor(name: string, parentPath: string, dir: boolean) {
    this.name = name;
    this.parentPath = this.path = parentPath;
    this.#dir = dir;
  }
  isFile(): boolean {
    return !this.#dir;
  }
  isDirectory(): boolean {
    return this.#dir;
  }
  isSymbolicLink(): boolean {
    return false;
  }
}

function readFileSync(p: unknown, options?: any): string | Buffer {
  const text: string = call("read", "open", p);
  const encoding = encodingOf(options);
  if (encoding === undefined || encoding === null) return Buffer.from(text);
  return /^utf-?8$/i.test(encoding) ? text : Buffer.from(text).toString(encoding as any);
}
function writeFileSync(p: unknown, data: unknown, options?: any): void {
  if (options?.flag === "a") return appendFileSync(p, data);
  if (options?.flag === "wx" && existsSync(p)) {
    throw Object.assign(new Error(`EEXIST: file already exists, open '${String(p)}'`), { code: "EEXIST", syscall: "open" });
  }
  call("write", "open", p, textOf(data));
}
function appendFileSync(p: unknown, data: unknown): void {
  const before = existsSync(p) ? call("read", "open", p) : "";
  call("write", "open", p, before + textOf(data));
}
function existsSync(p: unknown): boolean {
  try {
    return call("stat", "stat", p) !== undefined;
  } catch {
    return false;
  }
}
function statSync(p: unknown, options?: any): Stats | undefined {
  try {
    const { dir, size } = call("stat", "stat", p);
    return new Stats(dir, size);
  } catch (error) {
    if (options?.throwIfNoEntry === false) return undefined;
    throw error;
  }
}
function readdirSync(p: unknown, options?: any): any[] {
  const base = absolute(p);
  const entries: [string, boolean][] = call("list", "scandir", p);
  const out: any[] = [];
  const add = (list: [string, boolean][], below: string) => {
    for (const [name, dir] of list) {
      out.push(options?.withFileTypes ? new Dirent(name, path.join(base, below), dir) : below ? `${below}/${name}` : name);
      if (dir && options?.recursive) add(call("list", "scandir", path.join(base, below, name)), below ? `${below}/${name}` : name);
    }
  };
  add(entries, "");
  return out;
}
function mkdirSync(p: unknown, options?: any): string | undefined {
  return call(options?.recursive ? "mkdirp" : "mkdir", "mkdir", p) ?? undefined;
}
function rmSync(p: unknown, options?: any): void {
  if (options?.force && !existsSync(p)) return;
  call(options?.recursive ? "rmtree" : "rm", "rm", p);
}
function renameSync(from: unknown, to: unknown): void {
  call("rename", "rename", from, absolute(to));
}
function copyFileSync(from: unknown, to: unknown): void {
  call("write", "copyfile", to, call("read", "copyfile", from));
}
let tempCount = 0;
function mkdtempSync(prefix: string): string {
  const p = `${prefix}${(tempCount++).toString(36).padStart(6, "0")}`;
  call("mkdirp", "mkdtemp", p);
  return p;
}
function accessSync(p: unknown): void {
  call("stat", "access", p);
}
const realpathSync = (p: unknown): string => (call("stat", "realpath", p), absolute(p));

const sync = {
  readFileSync, writeFileSync, appendFileSync, existsSync, statSync, lstatSync: statSync, readdirSync, mkdirSync, rmSync,
  rmdirSync: (p: unknown) => call("rmdir", "rmdir", p),
  unlinkSync: (p: unknown) => call("rm", "unlink", p),
  renameSync, copyFileSync, mkdtempSync, accessSync, realpathSync,
};

type AnyFunction = (...args: any[]) => any;
const promises: Record<string, AnyFunction> = {};
const callbacks: Record<string, AnyFunction> = {};
for (const [name, fn] of Object.entries(sync) as [string, AnyFunction][]) {
  const short = name.slice(0, -4);
  if (short === "exists") continue;
  promises[short] = async (...args) => fn(...args);
  callbacks[short] = (...args) => {
    const done = args.pop();
    promises[short](...args).then((value: unknown) => done(null, value), (error: unknown) => done(error));
  };
}
const constants = { F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1 };
export const fsPromises: Record<string, unknown> = { ...promises, constants };
export const fs: Record<string, unknown> = { ...sync, ...callbacks, promises: fsPromises, constants, Stats, Dirent };
