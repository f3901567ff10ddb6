/** An environment is a plain repository whose own tests define what is right. These checks need no sandbox. */
import { type Files, isTestFile } from "../sandbox/index.ts";
import type { Environment } from "./types.ts";

/** The repository cannot give tasks: says which one, what is wrong and what to do about it. */
export class EnvironmentError extends Error {
  override name = "EnvironmentError";
}

const MAX_FILES = 2_000;
const MAX_CHARACTERS = 8_000_000;

/** Files that belong to the tests: test files themselves, and helpers or fixtures in a test folder. */
export function isTestSupport(path: string): boolean {
  return isTestFile(path) || /(^|\/)(test|tests|__tests__|spec)\//.test(path);
}

/** Files that decide how code is loaded or tests are run; restored before grading like the tests. */
export function isConfigFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return /^(package(-lock)?\.json|[tj]sconfig(\..+)?\.json|\.npmrc|.+\.config\.[cm]?[jt]s)$/.test(name);
}

/** Modules that may carry a bug: those below src/ or lib/ where there is such a folder, else every module. */
export function sourceModules(files: Files): string[] {
  const modules = Object.keys(files).filter(
    (path) => /\.(js|mjs|ts)$/.test(path) && !path.endsWith(".d.ts") && !isTestSupport(path) && !isConfigFile(path),
  );
  const inner = modules.filter((path) => /^(src|lib)\//.test(path));
  return (inner.length > 0 ? inner : modules).toSorted();
}

/** A POSIX path relative to the root, without empty, "." or ".." parts. */
export function isCleanPath(path: string): boolean {
  return !/[\\\0]/.test(path) && path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

/**
 * Checks a repository's files and gives them the form tasks are made from. Paths are POSIX, relative to the root.
 * Throws EnvironmentError when there is no readable package.json, no test file or no source module.
 */
export function environmentFromFiles(name: string, split: Environment["split"], files: Files): Environment {
  const fail = (problem: string): never => {
    throw new EnvironmentError(`environment "${name}": ${problem}`);
  };
  if (name.trim() === "") throw new EnvironmentError("an environment needs a name");
  const paths = Object.keys(files);
  if (paths.length === 0) fail("the folder has no files");
  const bad = paths.find((path) => !isCleanPath(path));
  if (bad !== undefined) fail(`the path ${JSON.stringify(bad)} must be relative to the repository root, with "/"`);
  if (paths.length > MAX_FILES) fail(`${paths.length} files are more than ${MAX_FILES}; choose a smaller package`);
  const size = paths.reduce((sum, path) => sum + files[path].length, 0);
  if (size > MAX_CHARACTERS) fail(`${size} characters are more than ${MAX_CHARACTERS}; leave out data and builds`);

  if (!Object.hasOwn(files, "package.json")) fail("there is no package.json at its root; add one");
  let manifest: unknown;
  try {
    manifest = JSON.parse(files["package.json"].replace(/^\uFEFF/, ""));
  } catch (error) {
    fail(`package.json is not valid JSON (${(error as Error).message})`);
  }
  if (manifest === null || typeof manifest !== "object" || Array.isArray(manifest)) {
    fail("package.json must hold an object");
  }
  if (!paths.some(isTestFile)) fail("there is no test file; name tests like test/NAME.test.js");
  if (sourceModules(files).length === 0) fail("there is no source module to put a bug into; expected modules in src/");
  return { name, split, files };
}
