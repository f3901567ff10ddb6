/** Text edits, and the change between two versions of a file as edits. */
import { diffLines } from "diff";
import type { Files } from "../sandbox/index.ts";
import type { Hunk } from "./types.ts";

/** Applies edits to the files they name; other files are kept. Throws RangeError for overlapping or misplaced edits. */
export function applyHunks(files: Files, hunks: readonly Hunk[]): Files {
  const result = { ...files };
  const ordered = [...hunks].sort((a, b) => b.start - a.start || b.end - a.end);
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

/** Edits that turn `before` into `after`: one for each run of changed lines, without the characters both ends share. */
export function diffHunks(file: string, before: string, after: string, operator: string): Hunk[] {
  const hunks: Hunk[] = [];
  let offset = 0;
  let open: { start: number; removed: string; added: string } | null = null;
  const close = () => {
    if (!open) return;
    const { start, removed, added } = open;
    let head = 0;
    while (head < removed.length && head < added.length && removed[head] === added[head]) head++;
    let tail = 0;
    while (
      tail < removed.length - head && tail < added.length - head &&
      removed[removed.length - 1 - tail] === added[added.length - 1 - tail]
    ) tail++;
    hunks.push({
      file, operator, start: start + head, end: start + removed.length - tail, text: added.slice(head, added.length - tail),
    });
    open = null;
  };
  for (const part of diffLines(before, after)) {
    if (!part.added && !part.removed) {
      close();
      offset += part.value.length;
      continue;
    }
    open ??= { start: offset, removed: "", added: "" };
    if (part.removed) {
      open.removed += part.value;
      offset += part.value.length;
    } else open.added += part.value;
  }
  close();
  return hunks;
}
