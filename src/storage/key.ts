/** A storage key that would leave its root, or is not a plain relative path. */
export class StorageKeyError extends Error {
  override name = "StorageKeyError";
}

/** Throws `StorageKeyError` unless `key` is a relative POSIX path without empty, "." or ".." parts. */
export function checkKey(key: string): void {
  const bad = key.includes("\\") || key.includes("\0") || key.split("/").some((part) => part === "" || part === "." || part === "..");
  if (bad) throw new StorageKeyError(`storage key ${JSON.stringify(key)} must be a relative path such as "runs/1/state.json"`);
}
