/** Key-value and blob store for runs: files in Node, OPFS in the browser. Keys are POSIX-like relative paths. */
export interface Storage {
  read(key: string): Promise<Uint8Array | null>;
  /** Atomic: after a crash the key holds the old bytes or the new ones, never a mixture. */
  write(key: string, data: Uint8Array | string): Promise<void>;
  append(key: string, text: string): Promise<void>;
  /** Keys below a prefix, sorted. */
  list(prefix: string): Promise<string[]>;
  remove(key: string): Promise<void>;
}
