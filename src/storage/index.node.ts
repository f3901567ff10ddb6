/** File storage for Node, a public face of its own because browsers cannot load it. */
import { appendFile, mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { checkKey } from "./key.ts";
import type { Storage } from "./storage.ts";

const TEMPORARY = ".tmp-";
let counter = 0;

/** Keys are files below `dir`, which is made on the first write. */
export function createFileStorage(dir: string): Storage {
  const path = (key: string) => {
    checkKey(key);
    return join(dir, key);
  };
  return {
    async read(key) {
      try {
        return new Uint8Array(await readFile(path(key)));
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    async write(key, data) {
      const target = path(key);
      const folder = dirname(target);
      await mkdir(folder, { recursive: true });
      const temporary = join(folder, `${TEMPORARY}${process.pid}-${counter++}`);
      try {
        const file = await open(temporary, "w");
        try {
          await file.writeFile(data);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(temporary, target);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
      await syncFolder(folder);
    },
    async append(key, text) {
      const target = path(key);
      await mkdir(dirname(target), { recursive: true });
      await appendFile(target, text);
    },
    async list(prefix) {
      const found: string[] = [];
      const walk = async (folder: string, at: string) => {
        let entries;
        try {
          entries = await readdir(folder, { withFileTypes: true });
        } catch (error) {
          if (isMissing(error)) return;
          throw error;
        }
        for (const entry of entries) {
          if (entry.isDirectory()) await walk(join(folder, entry.name), `${at}${entry.name}/`);
          else if (!entry.name.startsWith(TEMPORARY) && (at + entry.name).startsWith(prefix)) found.push(at + entry.name);
        }
      };
      await walk(dir, "");
      return found.toSorted();
    },
    async remove(key) {
      await rm(path(key), { force: true });
    },
  };
}

/** Makes the rename itself survive a power cut; not every platform can open a folder. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // Windows refuses: the file itself is synced already.
  }
}

function isMissing(error: unknown): boolean {
  return (error as { code?: string }).code === "ENOENT";
}
