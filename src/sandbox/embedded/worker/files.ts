/** An episode's files inside a worker, with a record of what a command or program changed. */
import type { Changes, FileTree } from "../protocol.ts";

export class EpisodeFiles {
  readonly files: Map<string, string>;
  /** Every directory: the explicit ones and all parents of files. */
  readonly directories = new Set<string>(["/", "/repo", "/tmp"]);
  readonly #written = new Set<string>();
  readonly #removed = new Set<string>();

  constructor(tree: FileTree) {
    this.files = new Map(tree.files);
    for (const d of tree.directories) this.#addDirectory(d);
    for (const path of this.files.keys()) this.#addDirectory(parentOf(path));
  }

  #addDirectory(path: string): void {
    while (!this.directories.has(path)) {
      this.directories.add(path);
      path = parentOf(path);
    }
  }
  write(path: string, text: string): void {
    this.files.set(path, text);
    this.#addDirectory(parentOf(path));
    this.#written.add(path);
    this.#removed.delete(path);
  }
  remove(path: string): void {
    this.files.delete(path);
    this.#written.delete(path);
    this.#removed.add(path);
  }
  changes(): Changes {
    return {
      written: new Map([...this.#written].map((p) => [p, this.files.get(p)!])),
      removed: [...this.#removed],
      directories: new Set(this.directories),
    };
  }

  /** One call of the guest's node:fs; the answer is `{ok}` or `{code}`. */
  operate(op: string, path: string, data: string): { ok?: unknown } | { code: string } {
    const isDirectory = this.directories.has(path);
    const text = this.files.get(path);
    const parentIsDirectory = this.directories.has(parentOf(path));
    switch (op) {
      case "read":
        if (text !== undefined) return { ok: text };
        return { code: isDirectory ? "EISDIR" : "ENOENT" };
      case "write":
        if (isDirectory) return { code: "EISDIR" };
        if (!parentIsDirectory) return { code: "ENOENT" };
        this.write(path, data);
        return {};
      case "stat":
        if (text !== undefined) return { ok: { dir: false, size: new TextEncoder().encode(text).length } };
        return isDirectory ? { ok: { dir: true, size: 4096 } } : { code: "ENOENT" };
      case "list":
        if (!isDirectory) return { code: text !== undefined ? "ENOTDIR" : "ENOENT" };
        return { ok: this.#entries(path) };
      case "mkdir":
        if (isDirectory || text !== undefined) return { code: "EEXIST" };
        if (!parentIsDirectory) return { code: "ENOENT" };
        this.#addDirectory(path);
        return {};
      case "mkdirp":
        if (text !== undefined) return { code: "EEXIST" };
        if (isDirectory) return {};
        this.#addDirectory(path);
        return { ok: path };
      case "rm":
        if (isDirectory) return { code: "EISDIR" };
        if (text === undefined) return { code: "ENOENT" };
        this.remove(path);
        return {};
      case "rmdir":
        if (!isDirectory) return { code: text !== undefined ? "ENOTDIR" : "ENOENT" };
        if (this.#entries(path).length > 0) return { code: "ENOTEMPTY" };
        this.directories.delete(path);
        return {};
      case "rmtree":
        if (text !== undefined) this.remove(path);
        else if (!isDirectory) return { code: "ENOENT" };
        else {
          for (const p of this.files.keys()) if (p.startsWith(path + "/")) this.remove(p);
          for (const d of this.directories) if (d === path || d.startsWith(path + "/")) this.directories.delete(d);
        }
        return {};
      case "rename":
        return this.#rename(path, data);
      default:
        throw new Error(`unknown file operation ${op}`);
    }
  }

  #rename(from: string, to: string): { ok?: unknown } | { code: string } {
    if (!this.directories.has(parentOf(to))) return { code: "ENOENT" };
    const text = this.files.get(from);
    if (text !== undefined) {
      this.remove(from);
      this.write(to, text);
      return {};
    }
    if (!this.directories.has(from)) return { code: "ENOENT" };
    for (const [p, t] of new Map(this.files)) {
      if (!p.startsWith(from + "/")) continue;
      this.remove(p);
      this.write(to + p.slice(from.length), t);
    }
    for (const d of new Set(this.directories)) {
      if (d !== from && !d.startsWith(from + "/")) continue;
      this.directories.delete(d);
      this.#addDirectory(to + d.slice(from.length));
    }
    return {};
  }

  /** Names directly below a directory, sorted, and whether each is a directory. */
  #entries(path: string): [string, boolean][] {
    const prefix = path === "/" ? "/" : path + "/";
    const names = new Map<string, boolean>();
    for (const d of this.directories) {
      if (d.startsWith(prefix) && d !== "/") names.set(d.slice(prefix.length).split("/")[0], true);
    }
    for (const p of this.files.keys()) {
      if (!p.startsWith(prefix)) continue;
      const rest = p.slice(prefix.length);
      if (!rest.includes("/")) names.set(rest, false);
    }
    return [...names].toSorted((a, b) => (a[0] < b[0] ? -1 : 1));
  }
}

export function parentOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash <= 0 ? "/" : path.slice(0, slash);
}
