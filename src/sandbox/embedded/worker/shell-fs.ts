/** An episode's files as just-bash sees them. Files are text; bytes that a command writes are read as UTF-8. */
import type { IFileSystem } from "just-bash/browser";
import { type EpisodeFiles, parentOf } from "./files.ts";
import { normalize } from "./modules.ts";

type Stat = Awaited<ReturnType<IFileSystem["stat"]>>;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const MTIME = new Date(Date.UTC(2024, 0, 1));

const MESSAGES: Record<string, string> = {
  ENOENT: "no such file or directory",
  EEXIST: "file already exists",
  EISDIR: "illegal operation on a directory",
  ENOTDIR: "not a directory",
  ENOTEMPTY: "directory not empty",
  EPERM: "operation not permitted",
};

function fail(code: string, call: string, path: string): never {
  throw Object.assign(new Error(`${code}: ${MESSAGES[code]}, ${call} '${path}'`), { code });
}

function textOf(content: string | Uint8Array, options?: { encoding?: string } | string): string {
  if (typeof content !== "string") return decoder.decode(content);
  const encoding = typeof options === "string" ? options : options?.encoding;
  // A latin1-shaped string carries one byte in each character.
  if (encoding === "binary" || encoding === "latin1") return decoder.decode(Uint8Array.from(content, (c) => c.charCodeAt(0)));
  return content;
}

export class ShellFs implements IFileSystem {
  readonly #files: EpisodeFiles;
  readonly #modes = new Map<string, number>();

  constructor(files: EpisodeFiles) {
    this.#files = files;
  }

  #operate(op: string, call: string, path: string, data = ""): any {
    const p = normalize(path);
    const answer: any = this.#files.operate(op, p, data);
    if (answer.code !== undefined) fail(answer.code, call, path);
    return answer.ok;
  }
  async readFile(path: string, options?: { encoding?: string | null } | string): Promise<string> {
    const text: string = this.#operate("read", "open", path);
    const encoding = typeof options === "string" ? options : options?.encoding;
    return encoding === "binary" || encoding === "latin1" ? latin1(text) : text;
  }
  async readFileBytes(path: string): Promise<any> {
    return latin1(this.#operate("read", "open", path));
  }
  async readFileBuffer(path: string): Promise<Uint8Array> {
    return encoder.encode(this.#operate("read", "open", path));
  }
  async writeFile(path: string, content: string | Uint8Array, options?: { encoding?: string } | string): Promise<void> {
    this.#operate("mkdirp", "mkdir", parentOf(normalize(path)));
    this.#operate("write", "open", path, textOf(content, options));
  }
  async appendFile(path: string, content: string | Uint8Array, options?: { encoding?: string } | string): Promise<void> {
    const before = this.#files.files.get(normalize(path)) ?? "";
    await this.writeFile(path, before + textOf(content, options));
  }
  async exists(path: string): Promise<boolean> {
    const p = normalize(path);
    return this.#files.files.has(p) || this.#files.directories.has(p);
  }
  async stat(path: string): Promise<Stat> {
    const { dir, size } = this.#operate("stat", "stat", path);
    const mode = this.#modes.get(normalize(path)) ?? (dir ? 0o755 : 0o644);
    return { isFile: !dir, isDirectory: dir, isSymbolicLink: false, mode, size, mtime: MTIME };
  }
  lstat(path: string): Promise<Stat> {
    return this.stat(path);
  }
  async mkdir(path: string, options?: { recursive?: boolean }): Promise<void> {
    this.#operate(options?.recursive ? "mkdirp" : "mkdir", "mkdir", path);
  }
  async readdir(path: string): Promise<string[]> {
    return this.#operate("list", "scandir", path).map(([name]: [string]) => name);
  }
  async readdirWithFileTypes(path: string): Promise<{ name: string; isFile: boolean; isDirectory: boolean; isSymbolicLink: boolean }[]> {
    return this.#operate("list", "scandir", path).map(([name, dir]: [string, boolean]) => ({
      name, isFile: !dir, isDirectory: dir, isSymbolicLink: false,
    }));
  }
  async rm(path: string, options?: { recursive?: boolean; force?: boolean }): Promise<void> {
    if (options?.force && !(await this.exists(path))) return;
    const isDirectory = this.#files.directories.has(normalize(path));
    this.#operate(options?.recursive ? "rmtree" : isDirectory ? "rmdir" : "rm", "rm", path);
  }
  async cp(from: string, to: string, options?: { recursive?: boolean }): Promise<void> {
    const source = normalize(from);
    const target = normalize(to);
    if (!this.#files.directories.has(source)) {
      await this.writeFile(target, this.#operate("read", "cp", from));
      return;
    }
    if (!options?.recursive) fail("EISDIR", "cp", from);
    this.#operate("mkdirp", "mkdir", target);
    for (const { name, isDirectory } of await this.readdirWithFileTypes(source)) {
      await this.cp(`${source}/${name}`, `${target}/${name}`, { recursive: isDirectory });
    }
  }
  async mv(from: string, to: string): Promise<void> {
    this.#operate("rename", "rename", from, normalize(to));
  }
  resolvePath(base: string, path: string): string {
    return normalize(path.startsWith("/") ? path : `${base}/${path}`);
  }
  getAllPaths(): string[] {
    return [...this.#files.directories, ...this.#files.files.keys()].toSorted();
  }
  async chmod(path: string, mode: number): Promise<void> {
    this.#operate("stat", "chmod", path);
    this.#modes.set(normalize(path), mode);
  }
  async symlink(_target: string, path: string): Promise<void> {
    fail("EPERM", "symlink", path);
  }
  async link(from: string, to: string): Promise<void> {
    await this.cp(from, to);
  }
  async readlink(path: string): Promise<string> {
    return fail("EPERM", "readlink", path);
  }
  async realpath(path: string): Promise<string> {
    this.#operate("stat", "realpath", path);
    return normalize(path);
  }
  async utimes(path: string): Promise<void> {
    this.#operate("stat", "utimes", path);
  }
}

function latin1(text: string): string {
  const bytes = encoder.encode(text);
  // Pure ASCII, the usual case, is its own byte string.
  if (bytes.length === text.length) return text;
  let out = "";
  for (const b of bytes) out += String.fromCharCode(b);
  return out;
}
