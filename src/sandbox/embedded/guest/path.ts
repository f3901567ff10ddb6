/** node:path, POSIX flavour. */
function normalizeSegments(path: string, absolute: boolean): string {
  const out: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && out.length > 0 && out[out.length - 1] !== "..") out.pop();
    else if (part !== ".." || !absolute) out.push(part);
  }
  return out.join("/");
}

function check(value: unknown, name: string): asserts value is string {
  if (typeof value !== "string") {
    throw Object.assign(new TypeError(`The "${name}" argument must be of type string. Received ${value === null ? "null" : typeof value}`), {
      code: "ERR_INVALID_ARG_TYPE",
    });
  }
}

export const sep = "/";
export const delimiter = ":";

export function normalize(path: string): string {
  check(path, "path");
  if (path === "") return ".";
  const absolute = path.startsWith("/");
  const body = normalizeSegments(path, absolute);
  if (absolute) return "/" + body + (body && path.endsWith("/") ? "/" : "");
  return body === "" ? (path.endsWith("/") ? "./" : ".") : body + (path.endsWith("/") ? "/" : "");
}
export function join(...parts: string[]): string {
  parts.forEach((p) => check(p, "path"));
  const joined = parts.filter((p) => p !== "").join("/");
  return joined === "" ? "." : normalize(joined);
}
export function resolve(...parts: string[]): string {
  let path = "";
  for (let i = parts.length - 1; i >= 0 && !path.startsWith("/"); i--) {
    check(parts[i], `paths[${i}]`);
    if (parts[i] !== "") path = path === "" ? parts[i] : parts[i] + "/" + path;
  }
  if (!path.startsWith("/")) path = (globalThis as any).process.cwd() + "/" + path;
  return "/" + normalizeSegments(path, true);
}
export const isAbsolute = (path: string): boolean => {
  check(path, "path");
  return path.startsWith("/");
};
export function relative(from: string, to: string): string {
  const a = resolve(from).split("/").filter(Boolean);
  const b = resolve(to).split("/").filter(Boolean);
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same++;
  return [...a.slice(same).map(() => ".."), ...b.slice(same)].join("/");
}
export function dirname(path: string): string {
  check(path, "path");
  const trimmed = path.replace(/\/+$/, "");
  const slash = trimmed.lastIndexOf("/");
  if (slash < 0) return trimmed === "" && path !== "" ? "/" : ".";
  return trimmed.slice(0, slash).replace(/\/+$/, "") || "/";
}
export function basename(path: string, suffix?: string): string {
  check(path, "path");
  const base = path.replace(/\/+$/, "").split("/").pop() ?? "";
  return suffix !== undefined && base !== suffix && base.endsWith(suffix) ? base.slice(0, -suffix.length) : base;
}
export function extname(path: string): string {
  const base = basename(path);
  const dot = base.lastIndexOf(".");
  return dot <= 0 || base === ".." ? "" : base.slice(dot);
}
export function parse(path: string): { root: string; dir: string; base: string; ext: string; name: string } {
  const base = basename(path);
  const ext = extname(path);
  const root = path.startsWith("/") ? "/" : "";
  const dir = dirname(path);
  return { root, dir: path.includes("/") ? dir : "", base, ext, name: ext ? base.slice(0, -ext.length) : base };
}
export function format(parts: { root?: string; dir?: string; base?: string; ext?: string; name?: string }): string {
  const ext = parts.ext ? (parts.ext.startsWith(".") ? parts.ext : "." + parts.ext) : "";
  const base = parts.base ?? (parts.name ?? "") + ext;
  const dir = parts.dir ?? parts.root;
  if (!dir) return base;
  return dir === parts.root ? dir + base : dir + "/" + base;
}
export const toNamespacedPath = (path: string): string => path;

export const posix: Record<string, unknown> = {
  sep, delimiter, normalize, join, resolve, isAbsolute, relative, dirname, basename, extname, parse, format, toNamespacedPath,
};
posix.posix = posix;
