/** URLSearchParams, and what the engine's URL lacks: searchParams, canParse, parse. */
import { customInspect, inspect } from "./inspect.ts";

const encode = (text: string): string =>
  encodeURIComponent(text.toString()).replace(/[!'()~]|%20/g, (c) => (c === "%20" ? "+" : "%" + c.charCodeAt(0).toString(16).toUpperCase()));
function decode(text: string): string {
  const plain = text.replaceAll("+", " ");
  try {
    return decodeURIComponent(plain);
  } catch {
    // Only the valid escapes are decoded.
    return plain.replace(/(%[0-9a-f]{2})+/gi, (run) => {
      const bytes = Uint8Array.from(run.slice(1).split("%"), (h) => parseInt(h, 16));
      return new TextDecoder().decode(bytes);
    });
  }
}

export class URLSearchParams {
  #pairs: [string, string][] = [];
  /** Tells the URL that these belong to. */
  #changed: (() => void) | undefined;

  constructor(init: any = "") {
    if (typeof init === "object" && init !== null) {
      const pairs = typeof init[Symbol.iterator] === "function" ? [...init] : Object.entries(init);
      for (const pair of pairs) {
        const [name, value] = [...(pair as Iterable<unknown>)];
        this.#pairs.push([String(name), String(value)]);
      }
    } else this.#parse(String(init));
  }
  static linked(url: URL, changed: (text: string) => void): URLSearchParams {
    const params = new URLSearchParams(url.search);
    params.#changed = () => changed(params.toString());
    return params;
  }
  static reset(params: URLSearchParams, text: string): void {
    params.#pairs = [];
    params.#parse(text);
  }
  #parse(text: string): void {
    for (const part of text.replace(/^\?/, "").split("&")) {
      if (part === "") continue;
      const eq = part.indexOf("=");
      this.#pairs.push(eq < 0 ? [decode(part), ""] : [decode(part.slice(0, eq)), decode(part.slice(eq + 1))]);
    }
  }
  append(name: unknown, value: unknown): void {
    this.#pairs.push([String(name), String(value)]);
    this.#changed?.();
  }
  delete(name: unknown, value?: unknown): void {
    this.#pairs = this.#pairs.filter(([n, v]) => n !== String(name) || (value !== undefined && v !== String(value)));
    this.#changed?.();
  }
  get(name: unknown): string | null {
    return this.#pairs.find(([n]) => n === String(name))?.[1] ?? null;
  }
  getAll(name: unknown): string[] {
    return this.#pairs.filter(([n]) => n === String(name)).map(([, v]) => v);
  }
  has(name: unknown, value?: unknown): boolean {
    return this.#pairs.some(([n, v]) => n === String(name) && (value === undefined || v === String(value)));
  }
  set(name: unknown, value: unknown): void {
    const first = this.#pairs.findIndex(([n]) => n === String(name));
    if (first < 0) return this.append(name, value);
    this.#pairs[first][1] = String(value);
    this.#pairs = this.#pairs.filter(([n], i) => n !== String(name) || i === first);
    this.#changed?.();
  }
  sort(): void {
    this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    this.#changed?.();
  }
  get size(): number {
    return this.#pairs.length;
  }
  forEach(fn: (value: string, name: string, params: URLSearchParams) => void, self?: unknown): void {
    for (const [name, value] of this.#pairs) fn.call(self, value, name, this);
  }
  *entries(): Generator<[string, string]> {
    for (const [name, value] of this.#pairs) yield [name, value];
  }
  *keys(): Generator<string> {
    for (const [name] of this.#pairs) yield name;
  }
  *values(): Generator<string> {
    for (const [, value] of this.#pairs) yield value;
  }
  [Symbol.iterator](): Generator<[string, string]> {
    return this.entries();
  }
  toString(): string {
    return this.#pairs.map(([n, v]) => `${encode(n)}=${encode(v)}`).join("&");
  }
  get [Symbol.toStringTag](): string {
    return "URLSearchParams";
  }
  [customInspect](): string {
    return `URLSearchParams { ${this.#pairs.map(([n, v]) => `${inspect(n)} => ${inspect(v)}`).join(", ")} }`.replace("{  }", "{}");
  }
}
const { linked, reset } = URLSearchParams;
delete (URLSearchParams as any).linked;
delete (URLSearchParams as any).reset;

const paramsOf = new WeakMap<URL, URLSearchParams>();
const search = Object.getOwnPropertyDescriptor(URL.prototype, "search")!;
const href = Object.getOwnPropertyDescriptor(URL.prototype, "href")!;
for (const [name, original] of [["search", search], ["href", href]] as const) {
  Object.defineProperty(URL.prototype, name, {
    ...original,
    set(this: URL, value: unknown) {
      original.set!.call(this, String(value));
      const params = paramsOf.get(this);
      if (params) reset(params, search.get!.call(this));
    },
  });
}
Object.defineProperty(URL.prototype, "searchParams", {
  get(this: URL) {
    let params = paramsOf.get(this);
    if (!params) paramsOf.set(this, (params = linked(this, (text) => search.set!.call(this, text))));
    return params;
  },
  enumerable: true,
  configurable: true,
});
const tryParse = (url: unknown, base?: unknown): URL | null => {
  try {
    return base === undefined ? new URL(String(url)) : new URL(String(url), String(base));
  } catch {
    return null;
  }
};
Object.assign(URL, { canParse: (url: unknown, base?: unknown) => tryParse(url, base) !== null, parse: tryParse });
Object.defineProperty(URL.prototype, Symbol.toStringTag, { value: "URL", configurable: true });
Object.defineProperty(URL.prototype, customInspect, {
  value(this: URL) {
    const names = ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "searchParams", "hash"] as const;
    return `URL {\n${names.map((n) => `  ${n}: ${inspect(this[n])}`).join(",\n")}\n}`;
  },
  configurable: true,
});
