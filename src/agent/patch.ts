import { createTwoFilesPatch } from "diff";
import type { Files } from "../sandbox/index.ts";

/** Unified diff from `before` to `after`, files in order of path; "" when nothing changed. */
export function unifiedDiff(before: Files, after: Files): string {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return paths
    .filter((path) => before[path] !== after[path])
    .map((path) => {
      const from = Object.hasOwn(before, path) ? `a/${path}` : "/dev/null";
      const to = Object.hasOwn(after, path) ? `b/${path}` : "/dev/null";
      return createTwoFilesPatch(from, to, before[path] ?? "", after[path] ?? "").replace(/^=+\n/, "");
    })
    .join("");
}
