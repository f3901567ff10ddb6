/** Paths and names that both back ends must agree on. */
import { SandboxFileError, type TestCase } from "./sandbox.ts";

/** Where the shell and the programs see an episode's files. */
export const ROOT = "/repo";

/** The files that `node --test` picks up on its own. */
export function isTestFile(path: string): boolean {
  if (/(^|\/)node_modules\//.test(path) || !/\.[cm]?[jt]s$/.test(path) || path.endsWith(".d.ts")) return false;
  const base = path.slice(path.lastIndexOf("/") + 1).replace(/\.[cm]?[jt]s$/, "");
  return /[._-]test$/.test(base) || base === "test" || base.startsWith("test-") || /(^|\/)test\//.test(path);
}

/** A clean path relative to the root: "./a//b.js" becomes "a/b.js". Throws `SandboxFileError` outside the root. */
export function relativePath(path: string): string {
  const parts: string[] = [];
  for (const part of path.replace(/^\/repo(\/|$)/, "").split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) throw new SandboxFileError(`${path}: outside the repository`);
  }
  if (parts.length === 0 || path.startsWith("/") && !path.startsWith(ROOT + "/")) {
    throw new SandboxFileError(`${path || "(empty path)"}: give a file path relative to the repository root, such as src/a.js`);
  }
  return parts.join("/");
}

export const SEPARATOR = " > ";

/** Two tests of one name would be taken for one: the second gets " (2)", the third " (3)". */
export function uniqueNames(cases: TestCase[]): TestCase[] {
  const seen = new Map<string, number>();
  return cases.map((c) => {
    const n = (seen.get(c.name) ?? 0) + 1;
    seen.set(c.name, n);
    return n === 1 ? c : { ...c, name: `${c.name} (${n})` };
  });
}
