/** Repositories on disk, a public face of its own because browsers cannot load it. */
import { existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Files } from "../sandbox/index.ts";
import { EnvironmentError, environmentFromFiles } from "./environment.ts";
import type { Environment } from "./types.ts";

const BUILT_IN = fileURLToPath(new URL("../../environments", import.meta.url));
const SKIPPED = new Set(["node_modules", ".git", "dist", "build", "coverage"]);
const MAX_FILE_BYTES = 1_000_000;

type Splits = Record<"train" | "adapt" | "heldout", string[]>;

async function readSplits(): Promise<Splits> {
  return JSON.parse(await readFile(join(BUILT_IN, "splits.json"), "utf8")) as Splits;
}

/** Names of the built-in environments, of one split or of all. */
export async function builtInEnvironments(split?: "train" | "adapt" | "heldout"): Promise<string[]> {
  const splits = await readSplits();
  return split === undefined ? [...splits.train, ...splits.adapt, ...splits.heldout] : splits[split];
}

/**
 * Loads a built-in environment by its name, or a folder by its path (split "user", named after the folder). A path that
 * leads into the built-in environments is the built-in one. Throws EnvironmentError.
 */
export async function loadEnvironment(nameOrFolder: string): Promise<Environment> {
  const splits = await readSplits();
  const inside = relative(BUILT_IN, resolve(nameOrFolder));
  for (const split of ["train", "adapt", "heldout"] as const) {
    for (const name of splits[split]) {
      if (nameOrFolder !== name && inside !== name) continue;
      return environmentFromFiles(name, split, await readFolder(join(BUILT_IN, name)));
    }
  }
  const folder = resolve(nameOrFolder);
  if (!existsSync(folder)) {
    const names = Object.values(splits).flat().join(", ");
    throw new EnvironmentError(`there is no environment or folder "${nameOrFolder}"; built-in environments: ${names}`);
  }
  if (!(await stat(folder)).isDirectory()) throw new EnvironmentError(`"${nameOrFolder}" is a file; give the repository's folder`);
  return environmentFromFiles(basename(folder), "user", await readFolder(folder));
}

/** Text files below a folder by POSIX path; dependencies, builds, hidden folders, binary and very large files are left out. */
export async function readFolder(folder: string): Promise<Files> {
  const files: Files = {};
  const read = async (directory: string): Promise<void> => {
    const entries = await readdir(directory, { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) {
        if (!SKIPPED.has(entry.name) && !entry.name.startsWith(".")) await read(path);
      } else if (entry.isFile() && (await stat(path)).size <= MAX_FILE_BYTES) {
        const bytes = await readFile(path);
        if (!bytes.includes(0)) files[relative(folder, path).split(sep).join("/")] = bytes.toString("utf8");
      }
    }
  };
  await read(folder);
  return files;
}
