import { checkKey } from "./key.ts";
import type { Storage } from "./storage.ts";

/** Storage that lives and dies with the process: tests, and browsers that refuse persistent storage. */
export function createMemoryStorage(): Storage {
  const blobs = new Map<string, Uint8Array>();
  return {
    async read(key) {
      checkKey(key);
      return blobs.get(key)?.slice() ?? null;
    },
    async write(key, data) {
      checkKey(key);
      blobs.set(key, bytes(data));
    },
    async append(key, text) {
      checkKey(key);
      const old = blobs.get(key) ?? new Uint8Array();
      const added = bytes(text);
      const joined = new Uint8Array(old.length + added.length);
      joined.set(old);
      joined.set(added, old.length);
      blobs.set(key, joined);
    },
    async list(prefix) {
      return [...blobs.keys()].filter((key) => key.startsWith(prefix)).toSorted();
    },
    async remove(key) {
      checkKey(key);
      blobs.delete(key);
    },
  };
}

function bytes(data: Uint8Array | string): Uint8Array {
  return typeof data === "string" ? new TextEncoder().encode(data) : data.slice();
}
