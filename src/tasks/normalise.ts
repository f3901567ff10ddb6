/** A bug's identity: what changed in the syntax tree, whatever the layout, comments and operator that made it. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { Files } from "../sandbox/index.ts";
import { children, type Node, parseModule, POSITION_FIELDS } from "./syntax.ts";

/** Hex SHA-256 of a text, cut to `characters` hex digits. */
export function hashText(text: string, characters = 64): string {
  return bytesToHex(sha256(utf8ToBytes(text))).slice(0, characters);
}

/** A syntax tree as text: types, names, operators and values; no positions, comments, quotes, parentheses or layout. */
export function canonical(node: Node): string {
  const fields: string[] = [];
  for (const key of Object.keys(node).toSorted()) {
    if (POSITION_FIELDS.has(key)) continue;
    const value = (node as unknown as Record<string, unknown>)[key];
    if (value === null || value === undefined || value === false) continue;
    fields.push(`${key}:${canonicalValue(value)}`);
  }
  return `${node.type}(${fields.join(",")})`;
}

function canonicalValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalValue).join(",")}]`;
  if (value !== null && typeof value === "object") {
    return typeof (value as Node).type === "string" ? canonical(value as Node) : JSON.stringify(value);
  }
  return typeof value === "bigint" ? `${value}n` : JSON.stringify(value) ?? "undefined";
}

/**
 * The normalised difference of two versions of a repository: for every file whose syntax tree changed, the top-level
 * statements (functions, classes) that differ, before and after. Empty when only layout or comments changed.
 * Throws SyntaxError when a version does not parse.
 */
export function normalisedDiff(before: Files, after: Files): string[] {
  const parts: string[] = [];
  for (const file of [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted()) {
    const [old, now] = [before[file], after[file]];
    if (old === now) continue;
    const [a, b] = [old, now].map((source) => (source === undefined ? [] : children(parseModule(source, file).program).map(canonical)));
    const gone = without(a, b);
    const come = without(b, a);
    if (gone.length > 0 || come.length > 0) parts.push(JSON.stringify([file, gone, come]));
  }
  return parts;
}

/** Task id: the first 20 hex digits of the hash of the normalised difference. Null when nothing changed. */
export function taskId(before: Files, after: Files): string | null {
  const parts = normalisedDiff(before, after);
  return parts.length === 0 ? null : hashText(parts.join("\n"), 20);
}

function without(all: string[], others: string[]): string[] {
  const counts = new Map<string, number>();
  for (const item of others) counts.set(item, (counts.get(item) ?? 0) + 1);
  return all.filter((item) => {
    const left = counts.get(item) ?? 0;
    counts.set(item, left - 1);
    return left <= 0;
  });
}
