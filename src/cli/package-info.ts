import { readFile } from "node:fs/promises";

/** Name and version of this program, for records. */
export async function packageInfo(): Promise<{ name: string; version: string }> {
  const { name, version } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8")) as { name: string; version: string };
  return { name, version };
}
