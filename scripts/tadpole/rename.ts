/** Real code under other names: a demonstration may keep the structure of hand-written modules, but not teach their words. */
import type { Random } from "../../src/compute/index.ts";
import { Names } from "./words.ts";

/** Words that mean something to the language or its library wherever they stand. */
const FIXED = new Set(
  "length push pop shift unshift slice splice join split map filter reduce find some every includes indexOf concat sort reverse repeat trim keys values entries has get set add delete forEach from of floor ceil round min max abs sign trunc name message value done next then catch test start end of async await constructor default null true false undefined".split(" "),
);

/** Names a module declares: functions, parameters, variables, imports. */
function declaredNames(source: string): string[] {
  const found = new Set<string>();
  const take = (list: string) => {
    for (const part of list.split(",")) {
      const name = /^[[{\s.]*([A-Za-z_$][\w$]*)/.exec(part)?.[1];
      if (name !== undefined) found.add(name);
    }
  };
  for (const [, name, parameters] of source.matchAll(/\bfunction\s+([\w$]+)\(([^)]*)\)/g)) {
    found.add(name);
    take(parameters);
  }
  for (const [, list] of source.matchAll(/\bimport \{([^}]*)\}/g)) take(list);
  for (const [, names] of source.matchAll(/\b(?:const|let|var) (\[[^\]]*\]|[\w$]+)/g)) take(names);
  for (const [, list] of source.matchAll(/\(([\w$, ]+)\) =>/g)) take(list);
  return [...found].filter((name) => name.length > 2 && !FIXED.has(name)).toSorted();
}

/**
 * Gives every declared name of `source` a random one and returns the substitution; it works on any text that speaks of
 * the module. Names of one or two letters and all-capital constants stay.
 */
export function renamer(source: string, random: Random): (text: string) => string {
  const names = new Names(random);
  const renamed = new Map<string, string>();
  const taken = new Set(source.match(/[A-Za-z_$][\w$]*/g));
  const fresh = (draw: () => string): string => {
    const name = draw();
    if (taken.has(name)) return fresh(draw);
    taken.add(name);
    return name;
  };
  for (const name of declaredNames(source)) {
    if (/^[A-Z]/.test(name)) continue;
    const isFunction = new RegExp(`\\b${name.replaceAll("$", "\\$")}\\(`).test(source);
    renamed.set(name, fresh(() => (isFunction ? names.functionName(/^(is|has|can)[A-Z]/.test(name)) : name.endsWith("s") ? names.plural() : names.variable())));
  }
  return (text) => text.replace(/[A-Za-z_$][\w$]*/g, (word) => renamed.get(word) ?? word);
}
