import type { Storage } from "./storage.ts";

/** A JSONL file holds a line that is not JSON (other than a last line cut short by a crash). */
export class JsonLinesError extends Error {
  override name = "JsonLinesError";
}

/**
 * Records of a JSONL key, in order; a missing key gives none. `append` is not atomic, so a crash can leave half a line
 * at the end: that one is dropped. A bad line anywhere else throws `JsonLinesError`.
 */
export async function readJsonLines<T>(storage: Storage, key: string): Promise<T[]> {
  const data = await storage.read(key);
  if (!data) return [];
  const lines = new TextDecoder().decode(data).split("\n");
  lines.pop(); // what follows the last line end: nothing, or the torn line
  return lines.map((line, i) => {
    try {
      return JSON.parse(line) as T;
    } catch {
      throw new JsonLinesError(`${key}, line ${i + 1} is not JSON: ${line.slice(0, 60)}`);
    }
  });
}

/** Records of a JSONL key, which is rewritten without a torn last line: otherwise the next `append` would continue it. */
export async function mendJsonLines<T>(storage: Storage, key: string): Promise<T[]> {
  const records = await readJsonLines<T>(storage, key);
  await storage.write(key, toJsonLines(records));
  return records;
}

export function toJsonLines(records: readonly unknown[]): string {
  return records.map((record) => JSON.stringify(record) + "\n").join("");
}
