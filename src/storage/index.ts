export * from "./storage.ts";
export { StorageKeyError } from "./key.ts";
export { createMemoryStorage } from "./memory-storage.ts";
export { JsonLinesError, mendJsonLines, readJsonLines, toJsonLines } from "./json-lines.ts";
