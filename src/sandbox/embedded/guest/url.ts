/** node:url, on the engine's WHATWG URL. */
export function fileURLToPath(url: string | URL): string {
  const u = typeof url === "string" ? new URL(url) : url;
  if (u.protocol !== "file:") throw Object.assign(new TypeError("The URL must be of scheme file"), { code: "ERR_INVALID_URL_SCHEME" });
  return decodeURIComponent(u.pathname);
}
export function pathToFileURL(path: string): URL {
  const absolute = path.startsWith("/") ? path : `${(globalThis as any).process.cwd()}/${path}`;
  return new URL("file://" + absolute.split("/").map(encodeURIComponent).join("/").replaceAll("%3A", ":").replaceAll("%40", "@"));
}
/** The legacy parser's result for an absolute URL or a path. */
function parse(text: string): Record<string, unknown> {
  const base = "http://placeholder.invalid";
  const u = new URL(text, base);
  const own = u.origin !== base;
  return {
    href: text, protocol: own ? u.protocol : null, host: own ? u.host : null, hostname: own ? u.hostname : null, port: u.port || null,
    pathname: u.pathname, search: u.search || null, query: u.search.slice(1) || null, hash: u.hash || null, path: u.pathname + u.search,
  };
}
export const urlModule = (): Record<string, unknown> => ({
  URL, URLSearchParams, fileURLToPath, pathToFileURL, parse,
  format: (u: URL | string) => String(u),
  resolve: (from: string, to: string) => new URL(to, from).href,
});
