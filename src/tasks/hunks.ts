/** Text edits, and the change between two versions of a file as edits. */
import { diffLines } from "diff";
import type { Files } from "../sandbox/index.ts";
import type { Hunk } from "./types.ts";

/** Applies edits to the files they name; other files are kept. Throws RangeError for overlapping or misplaced edits. */
export function applyHunks(files: Files, hunks: readonly Hunk[]): Files {
  const result = { ...files };
  const ordered = hunks.toSorted((a, b) => b.start - a.start || b.end - a.end);
  const floor = new Map<string, number>();
  for (const { file, start, end, text } of ordered) {
    const source = files[file];
    if (source === undefined) throw new RangeError(`a hunk names ${file}, which is not there`);
    if (!(start >= 0 && start <= end && end <= (floor.get(file) ?? source.length))) {
      throw new RangeError(`a hunk at ${file}:${start}-${end} lies outside the file or overlaps another`);
    }
    floor.set(file, start);
    result[file] = result[file].slice(0, start) + text + result[file].slice(end);
  }
  return result;
}

/**
 * Edits that turn `before` into `after`, without the characters both ends share: one for each changed line where as many
 * lines came as went, else one for each run of changed lines.
 */
export function diffHunks(file: string, before: string, after: string, operator: string): Hunk[] {
  const hunks: Hunk[] = [];
  let offset = 0;
  let removed: string[] = [];
  let added: string[] = [];
  const close = () => {
    const pairs = removed.length === added.length ? removed.map((line, i) => [line, added[i]]) : [[removed.join(""), added.join("")]];
    for (const [old, now] of pairs) {
      if (old !== now) hunks.push({ file, operator, ...changedMiddle(offset, old, now) });
      offset += old.length;
    }
    removed = [];
    added = [];
  };
  for (const part of diffLines(before, after)) {
    const lines = part.value.split(/(?<=\n)/);
    if (part.removed) removed.push(...lines);
    else if (part.added) added.push(...lines);
    else {
      close();
      offset += part.value.length;
    }
  }
  close();
  return hunks;
}

function changedMiddle(offset: number, old: string, now: string): { start: number; end: number; text: string } {
  const shortest = Math.min(old.length, now.length);
  let head = 0;
  while (head < shortest && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < shortest - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  return { start: offset + head, end: offset + old.length - tail, text: now.slice(head, now.length - tail) };
}
