import { describe, expect, it } from "vitest";
import { builtInEnvironments, loadEnvironment } from "./index.node.ts";
import { sample } from "./sample.ts";
import { mutationSites, sitePlace, siteUse } from "./sites.ts";
import { functionNameAt, parseModule } from "./syntax.ts";

const share = (split: "train" | "user") => {
  const counts: Record<string, number> = { demonstration: 0, rl: 0, evaluation: 0 };
  for (let i = 0; i < 2000; i++) counts[siteUse({ name: "e", split }, { file: "src/a.js", function: "f", line: `return ${i};` })] += 1 / 2000;
  return counts;
};

describe("mutationSites", () => {
  it("puts every bug of one line on one site", () => {
    const sites = mutationSites(sample());
    const clamp = sites.filter((site) => site.function === "clamp");
    expect(clamp.map((site) => site.line)).toEqual(["if (x < low) return low;", "return x > high ? high : x;"]);
    expect(sites.find((site) => site.line.startsWith("for (let n"))!.hunks.map((hunk) => hunk.operator)).toEqual(["loop-bound", "loop-bound"]);
  });

  it("does not tell one line of a function from the same line again", () => {
    const body = "export function f(a) {\n  if (a > 1) a -= 2;\n    if (a > 1)   a -= 2;\n  return a;\n}\n";
    const sites = mutationSites({ name: "e", split: "user", files: { "src/a.js": body } });
    expect(sites).toHaveLength(1);
    expect(sites[0].hunks.length).toBe(2 * (3 + 1 + 3 + 4));
  });

  it("names functions as a reader would", () => {
    const source = "const f = memo((x) => 1);\nclass A { get b() { return 2 } static #c = () => 3 }\nexport default function () { return 4 }\n" +
      "exports.d = function () { return 5 };\nA.prototype.e = () => 6;\nconst o = { g() { return 7 }, 'h-i': () => 8 };\nlet j = 9;\n";
    const ast = parseModule(source, "a.js");
    const names = "12345678".split("").map((digit) => functionNameAt(ast, source.indexOf(`${digit}`)));
    expect(names).toEqual(["f", "A.b", "A.#c", "default", "d", "A.e", "o.g", "o.h-i"]);
    expect(functionNameAt(ast, source.indexOf("9"))).toBeNull();
  });
});

describe("siteUse", () => {
  it("keeps the uses of every built-in environment apart, whatever operator and place a bug comes from", async () => {
    for (const name of await builtInEnvironments()) {
      const env = await loadEnvironment(name);
      const uses = new Map<string, Set<string>>();
      const counts = { demonstration: 0, rl: 0, evaluation: 0 };
      for (const site of mutationSites(env)) {
        counts[site.use]++;
        for (const hunk of site.hunks) {
          // Both by the line's number and by what it says.
          const line = env.files[hunk.file].slice(0, hunk.start).split("\n").length;
          for (const key of [`${hunk.file}:${line}`, JSON.stringify([hunk.file, site.function, site.line])]) {
            uses.set(key, (uses.get(key) ?? new Set()).add(siteUse(env, sitePlace(env, hunk)!)));
          }
        }
      }
      expect([...uses].filter(([, set]) => set.size > 1)).toEqual([]);
      if (env.split === "train") expect(counts.demonstration).toBeGreaterThan(0);
      else expect(counts.demonstration).toBe(0);
      expect(Math.min(counts.rl, counts.evaluation)).toBeGreaterThan(10);
    }
  });

  it("shares sites as intended", () => {
    expect(share("train").demonstration).toBeCloseTo(0.4, 1);
    expect(share("train").rl).toBeCloseTo(0.3, 1);
    expect(share("user").demonstration).toBe(0);
    expect(share("user").rl).toBeCloseTo(0.5, 1);
  });
});
