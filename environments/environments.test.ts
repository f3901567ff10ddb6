import { execFile } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { promisify } from "node:util";
import { parse } from "@babel/parser";
import { describe, expect, it } from "vitest";
import splits from "./splits.json";

const mentions = (text: string, word: string) => new RegExp(`\\b${word}\\b`).test(text);
const run = promisify(execFile);
const here = new URL(".", import.meta.url);
const names = Object.values(splits).flat();

const folder = (name: string) => new URL(`${name}/`, here);
const read = (name: string, path: string) => readFileSync(new URL(path, folder(name)), "utf8");

/** Paths and texts of the files of one subfolder. */
function filesOf(name: string, part: "src" | "test"): [string, string][] {
  return readdirSync(new URL(`${part}/`, folder(name))).map((file) => [`${part}/${file}`, read(name, `${part}/${file}`)]);
}

interface FunctionText {
  name: string;
  exported: boolean;
  /** Source from the parameter list to the end, white space normalised. */
  body: string;
}

/** Functions, classes and methods at the top of a module. */
function functionsIn(source: string): FunctionText[] {
  const found: FunctionText[] = [];
  for (const statement of parse(source, { sourceType: "module" }).program.body) {
    const exported = statement.type === "ExportNamedDeclaration";
    const node = exported ? statement.declaration : statement;
    const add = (name: string, start: number, end: number, isExport: boolean) =>
      found.push({ name, exported: isExport, body: source.slice(start, end).replace(/\s+/g, " ") });
    if (node?.type === "FunctionDeclaration") add(node.id!.name, node.id!.end!, node.end!, exported);
    if (node?.type === "VariableDeclaration" && exported) {
      for (const one of node.declarations) {
        if (one.id.type === "Identifier") add(one.id.name, one.id.end!, one.end!, true);
      }
    }
    if (node?.type === "ClassDeclaration") {
      add(node.id!.name, node.id!.end!, node.end!, exported);
      for (const member of node.body.body) {
        if (member.type !== "ClassMethod" || member.key.type !== "Identifier" || member.kind === "constructor") continue;
        add(member.key.name, member.key.end!, member.end!, exported);
      }
    }
  }
  return found;
}

const functionsOf = (name: string) => filesOf(name, "src").flatMap(([, source]) => functionsIn(source));
const lineCount = (text: string) => text.trimEnd().split("\n").length;

describe("the split", () => {
  it("names every folder once: six train, two adapt, two held out", () => {
    expect([splits.train.length, splits.adapt.length, splits.heldout.length]).toEqual([6, 2, 2]);
    const folders = readdirSync(here, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect([...names].toSorted()).toEqual(folders.map((entry) => entry.name).toSorted());
  });

  it("keeps adapt and held-out code apart from training code, and from each other", () => {
    const [train, adapt, heldout] = [splits.train, splits.adapt, splits.heldout].map((list) => list.flatMap(functionsOf));
    for (const [first, second] of [[train, adapt], [train, heldout], [adapt, heldout]]) {
      const knownNames = new Set(first.map((one) => one.name));
      const knownBodies = new Set(first.map((one) => one.body));
      expect(second.filter((one) => knownNames.has(one.name) || knownBodies.has(one.body))).toEqual([]);
    }
  });
});

describe.each(names)("%s", (name) => {
  const modules = filesOf(name, "src");
  const tests = filesOf(name, "test");

  it("is a private package without dependencies", () => {
    expect(JSON.parse(read(name, "package.json"))).toEqual({
      name,
      version: "1.0.0",
      type: "module",
      private: true,
      scripts: { test: "node --test" },
    });
  });

  it("has 3 to 10 short modules", () => {
    const lengths = modules.map(([, source]) => lineCount(source));
    const total = lengths.reduce((sum, length) => sum + length, 0);
    expect(modules.length).toBeGreaterThanOrEqual(3);
    expect(modules.length).toBeLessThanOrEqual(10);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(60);
    expect(total).toBeGreaterThanOrEqual(150);
    expect(total).toBeLessThanOrEqual(500);
  });

  it("needs nothing from outside, no clock and no chance", () => {
    for (const [path, source] of [...modules, ...tests]) {
      const imports = [...source.matchAll(/from '([^']+)'/g)].map((match) => match[1]);
      const allowed = path.startsWith("src/") ? /^\.\/\w+\.js$/ : /^(node:test|node:assert\/strict|\.\.\/src\/\w+\.js)$/;
      expect(imports.filter((target) => !allowed.test(target)), path).toEqual([]);
      expect(source, path).not.toMatch(/\b(new Date|Date\.|Intl|toLocale\w+|localeCompare|Math\.random|setTimeout|setInterval|process|require|fetch)\b/);
      expect(source.split("\n").filter((line) => line.length >= 80), path).toEqual([]);
    }
  });

  it("describes and tests everything it exports", () => {
    const readme = read(name, "README.md");
    const testText = tests.map(([, source]) => source).join("\n");
    const exported = functionsOf(name).filter((one) => one.exported).map((one) => one.name);
    expect(exported.filter((word) => !mentions(readme, word)), "missing in README.md").toEqual([]);
    expect(exported.filter((word) => !mentions(testText, word)), "missing in tests").toEqual([]);
  });

  it("passes node --test with 25 to 45 tests of different names", async () => {
    const { stdout } = await run(process.execPath, ["--test", "--test-reporter=tap"], { cwd: folder(name) });
    const count = (label: string) => Number(new RegExp(`^# ${label} (\\d+)$`, "m").exec(stdout)?.[1]);
    expect(count("fail")).toBe(0);
    expect(count("pass")).toBe(count("tests"));
    expect(count("tests")).toBeGreaterThanOrEqual(25);
    expect(count("tests")).toBeLessThanOrEqual(45);
    const titles = stdout.split("\n").filter((line) => /^\s*# Subtest: /.test(line)).map((line) => line.trim());
    expect(titles.filter((title, i) => titles.indexOf(title) !== i)).toEqual([]);
  });
});
