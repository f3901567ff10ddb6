/** One-line bugs in random modules, and what they change: found by running both versions. */
import vm from "node:vm";
import type { Random } from "../../src/compute/index.ts";
import { applyHunks, type Hunk, mutationSites } from "../../src/tasks/index.ts";
import { randomArgument } from "./random-argument.ts";
import type { RandomModule, ValueType } from "./random-programs.ts";

export interface RandomBug {
  hunk: Hunk;
  function: string;
  buggy: string;
  /** Source text of a call, what it gives and what it should give. */
  call: string;
  actual: string;
  expected: string;
}

const INPUTS = 8;

/** What each call gives: JSON text, or "throws Error: message". Null where a call does not end in time. */
function outcomes(source: string, calls: string[]): string[] | null {
  const body = source.replace(/^import .*$/gm, "").replace(/^export /gm, "");
  const script = `(() => { "use strict"; ${body}
return [${calls.map((call) => `() => ${call}`).join(", ")}].map((run) => {
  try { return JSON.stringify(run()) ?? "undefined"; } catch (error) { return "throws " + error.name + ": " + error.message; }
}); })()`;
  try {
    return vm.runInNewContext(script, {}, { timeout: 60 }) as string[];
  } catch {
    return null;
  }
}

/** JavaScript source of a small value: quotes as people write them. */
function literal(value: unknown): string {
  if (typeof value === "string") return `'${value}'`;
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (value !== null && typeof value === "object") return `{ ${Object.entries(value).map(([k, v]) => `${k}: ${literal(v)}`).join(", ")} }`;
  return String(value);
}

function randomCall(random: Random, fn: RandomModule["functions"][number]): string {
  if (fn.calls) return random.pick(fn.calls).replace(/<(\w+)>/g, (_, type: string) => literal(randomArgument(random, type as ValueType)));
  return `${fn.name}(${fn.params!.map((p) => literal(randomArgument(random, p.type, p.fields))).join(", ")})`;
}

const show = (json: string): string => (json.startsWith("throws ") || json === "undefined" ? json : literal(JSON.parse(json)));

/** Up to `count` bugs of a module, in different lines, each noticed by a short call. */
export function randomBugs(random: Random, module: RandomModule, count: number): RandomBug[] {
  const { file, source } = module;
  const sites = random.shuffle(mutationSites({ name: "random", split: "train", files: { [file]: source } }));
  const calls = new Map<string, { calls: string[]; clean: string[] | null }>();
  const bugs: RandomBug[] = [];
  for (const site of sites) {
    if (bugs.length >= count) break;
    const fn = module.functions.find((f) => f.name === site.function);
    if (fn === undefined) continue;
    let known = calls.get(fn.name);
    if (known === undefined) {
      const list = Array.from({ length: INPUTS }, () => randomCall(random, fn));
      calls.set(fn.name, (known = { calls: list, clean: outcomes(source, list) }));
    }
    if (known.clean === null) continue;
    const hunk = random.pick(site.hunks);
    // Which large number stood there is a guess; 0, 1 and 2 have their usual places.
    if (hunk.operator === "constant" && Number(source.slice(hunk.start, hunk.end)) > 2 && random.uniform() < 0.8) continue;
    const buggy = applyHunks({ [file]: source }, [hunk])[file];
    const dirty = outcomes(buggy, known.calls);
    if (dirty === null) continue;
    const clean = known.clean;
    const differing = known.calls.map((call, i) => ({ call, actual: dirty[i], expected: clean[i] }))
      .filter((c) => c.actual !== c.expected && !c.expected.startsWith("throws ReferenceError") && c.call.length + c.actual.length + c.expected.length < 140);
    if (differing.length === 0) continue;
    const seen = random.pick(differing);
    bugs.push({ hunk, function: fn.name, buggy, call: seen.call, actual: show(seen.actual), expected: show(seen.expected) });
  }
  return bugs;
}
