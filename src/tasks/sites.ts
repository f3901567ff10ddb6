/**
 * Mutation sites. A site is one source line of one function, whatever is done to it; its hash decides what bugs there
 * may be used for, so that a model is never measured on a place it was trained on.
 */
import { hashText } from "./normalise.ts";
import { OPERATORS } from "./operators/index.ts";
import { sourceModules } from "./environment.ts";
import { functionNameAt, parseModule } from "./syntax.ts";
import type { Environment, Hunk, SiteUse } from "./types.ts";

export interface Site {
  file: string;
  /** Outermost function around the line, e.g. "wrap" or "Stack.push". */
  function: string;
  /** The line without leading, trailing and repeated white space. */
  line: string;
  use: SiteUse;
  /** Every bug the operators propose on this line. */
  hunks: Hunk[];
}

/** Shares of the sites. Only training environments may appear in pretraining, so only they have demonstrations. */
const SHARES = {
  train: { demonstration: 0.4, rl: 0.3, evaluation: 0.3 },
  other: { demonstration: 0, rl: 0.5, evaluation: 0.5 },
};

export type SitePlace = Pick<Site, "file" | "function" | "line">;

/** What bugs at a site may be used for: a hash of environment name, file, function and line against the shares. */
export function siteUse(env: Pick<Environment, "name" | "split">, site: SitePlace): SiteUse {
  const hash = hashText(JSON.stringify([env.name, site.file, site.function, site.line]), 8);
  const position = Number.parseInt(hash, 16) / 0x1_0000_0000;
  const shares = env.split === "train" ? SHARES.train : SHARES.other;
  if (position < shares.demonstration) return "demonstration";
  return position < shares.demonstration + shares.rl ? "rl" : "evaluation";
}

/** The site an edit of the pristine files lies on; null outside functions. */
export function sitePlace(env: Environment, hunk: Hunk): SitePlace | null {
  const source = env.files[hunk.file];
  if (source === undefined) return null;
  const name = functionNameAt(parseModule(source, hunk.file), hunk.start);
  return name === null ? null : { file: hunk.file, function: name, line: lineAt(source, hunk.start) };
}

/**
 * Every site of an environment with the bugs its lines can carry, in file and line order. Throws SyntaxError when a
 * source module does not parse.
 */
export function mutationSites(env: Environment): Site[] {
  const sites = new Map<string, Site>();
  for (const file of sourceModules(env.files)) {
    const source = env.files[file];
    const ast = parseModule(source, file);
    const hunks = OPERATORS.flatMap((operator) => operator.apply(ast, source, file)).toSorted((a, b) => a.start - b.start);
    for (const hunk of hunks) {
      const name = functionNameAt(ast, hunk.start)!;
      const place = { file, function: name, line: lineAt(source, hunk.start) };
      const key = JSON.stringify([file, name, place.line]);
      const site = sites.get(key) ?? { ...place, use: siteUse(env, place), hunks: [] };
      sites.set(key, site);
      site.hunks.push(hunk);
    }
  }
  return [...sites.values()];
}

function lineAt(source: string, offset: number): string {
  const start = source.lastIndexOf("\n", offset - 1) + 1;
  const end = source.indexOf("\n", offset);
  return source.slice(start, end < 0 ? undefined : end).trim().replace(/\s+/g, " ");
}
