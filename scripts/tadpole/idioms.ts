/**
 * Common functions and small classes of ordinary utility code, as templates for random modules: what they compute makes
 * sense, so what breaks them can be seen, while names, constants and phrasing are random.
 *
 * They stand in idioms.txt, between lines of "---". `$name` is a random name (a function's where it is `$fName`,
 * `$isName` or `$hasName`, a constant's in capitals, a class's where it is `$C`, a plural where it ends in "s", one
 * letter where it is one letter), `@a` a field of the module's records, `<2-9>` a random number, `~` a random short
 * text, `«a|b»` one of several ways to write it. A line that starts with "?" is left out half of the time. Parameters
 * carry the type of the arguments they are tried with. A line that starts with "call" gives the name of a method and an
 * expression that uses it.
 */
import { readFileSync } from "node:fs";
import type { Random } from "../../src/compute/index.ts";
import type { Names } from "./words.ts";

export const IDIOMS: readonly string[] = readFileSync(new URL("idioms.txt", import.meta.url), "utf8").trimEnd().split("\n---\n");

export interface RenderedIdiom {
  source: string;
  functions: { name: string; params?: { name: string; type: string }[]; calls?: string[] }[];
}

const CAPITALS = /^[A-Z]{2}/;
const TEXTS = ["' '", "','", "'-'", "', '", "':'", "'/'", "'.'"];

/** Names of functions, classes and constants are known in the whole module. */
const isGlobal = (word: string) => CAPITALS.test(word) || word === "C" || /^(f|is|has)[A-Z]/.test(word);

/** One template with its choices made. Names of functions, classes and constants stay taken in `names`, others are free again. */
export function renderIdiom(random: Random, names: Names, fields: readonly string[], idioms: readonly string[] = IDIOMS): RenderedIdiom {
  let text = random.pick(idioms)
    .replace(/«([^»]*)»/g, (_, choices: string) => random.pick(choices.split(/(?<!\|)\|(?!\|)/)))
    .replace(/^( *)\?(.*\n)/gm, (_, indent: string, line: string) => (random.uniform() < 0.5 ? indent + line : ""))
    .replace(/<(\d+)-(\d+)>/g, (_, low: string, high: string) => String(random.int(Number(low), Number(high))))
    .replaceAll("~", () => random.pick(TEXTS))
    .replace(/@([a-c])/g, (_, letter: string) => fields[(letter.charCodeAt(0) - 97) % fields.length]);
  const renamed = new Map<string, string>();
  const words = [...new Set([...text.matchAll(/\$(\w+)/g)].map((match) => match[1]))];
  const own = (word: string) => random.uniform() < (word.length === 1 ? 0.6 : 0.35) && names.take(word);
  for (const word of words.filter(isGlobal)) {
    renamed.set(word, CAPITALS.test(word) ? names.constant() : word === "C" ? names.className() : names.functionName(!word.startsWith("f")));
  }
  names.scope(() => {
    for (const word of words.filter((w) => !isGlobal(w))) {
      renamed.set(word, own(word) ? word : word.length === 1 ? names.short() : word.endsWith("s") ? names.plural() : names.variable());
    }
  });
  text = text.replace(/\$(\w+)/g, (_, word: string) => renamed.get(word)!);
  const functions: RenderedIdiom["functions"] = [];
  const calls = new Map<string, string[]>();
  text = text.replace(/^call (\w+) (.*)\n/gm, (_, method: string, expression: string) => {
    calls.set(method, [...(calls.get(method) ?? []), expression]);
    return "";
  });
  const className = renamed.get("C");
  for (const [method, list] of calls) functions.push({ name: `${className}.${method}`, calls: list });
  text = text.replace(/^export function (\w+)\((.*)\) \{$/gm, (_, name: string, list: string) => {
    const params: { name: string; type: string }[] = [];
    const bare = list.replace(/(\w+)( = [^,:]+)?: (\w+)/g, (_whole, param: string, value: string | undefined, type: string) => {
      params.push({ name: param, type });
      return param + (value ?? "");
    });
    functions.push({ name, params });
    return `export function ${name}(${bare}) {`;
  });
  return { source: text, functions };
}
