import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EnvironmentError, environmentFromFiles, sourceModules } from "./environment.ts";
import { builtInEnvironments, loadEnvironment } from "./index.node.ts";
import { sample, sampleFiles } from "./sample.ts";

describe("environmentFromFiles", () => {
  it("takes a repository with a manifest, tests and source", () => {
    expect(sourceModules(sample().files)).toEqual(["src/parity.js", "src/range.js", "src/sum.js"]);
  });

  it("finds source outside src where there is none inside", () => {
    const files = { "package.json": "{}", "a.js": "", "lib.d.ts": "", "a.test.js": "", "test/help.js": "", "vite.config.js": "" };
    expect(sourceModules(environmentFromFiles("e", "user", files).files)).toEqual(["a.js"]);
  });

  it.each([
    ["no files", {}, /"e".*no files/],
    ["no manifest", { "src/a.js": "", "a.test.js": "" }, /no package\.json/],
    ["a broken manifest", { "package.json": "{", "src/a.js": "", "a.test.js": "" }, /not valid JSON/],
    ["a manifest that is no object", { "package.json": "[]", "src/a.js": "", "a.test.js": "" }, /must hold an object/],
    ["no tests", { "package.json": "{}", "src/a.js": "" }, /no test file.*NAME\.test\.js/],
    ["no source", { "package.json": "{}", "a.test.js": "" }, /no source module/],
    ["a path that leaves the folder", { "package.json": "{}", "../a.test.js": "", "src/a.js": "" }, /"\.\.\/a\.test\.js"/],
    ["a huge file", { "package.json": "{}", "a.test.js": "", "src/a.js": "x".repeat(8_000_001) }, /characters/],
  ])("says what is wrong with %s", (_, files, message) => {
    expect(() => environmentFromFiles("e", "user", files)).toThrow(message);
    expect(() => environmentFromFiles("e", "user", files)).toThrow(EnvironmentError);
  });
});

describe("loadEnvironment", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "environment-"));
    for (const [path, text] of Object.entries({ ...sampleFiles, "node_modules/x/index.js": "", ".git/HEAD": "", "src/deep/er/y.js": "let y\r\n" })) {
      await mkdir(join(folder, path, ".."), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    await writeFile(join(folder, "logo.png"), Buffer.from([137, 0, 1, 2]));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("reads the text files of a folder", async () => {
    const env = await loadEnvironment(folder);
    expect(env).toEqual({ name: basename(folder), split: "user", files: { ...sampleFiles, "src/deep/er/y.js": "let y\r\n" } });
  });

  it("finds every built-in environment by name and by path", async () => {
    for (const split of ["train", "adapt", "heldout"] as const) {
      for (const name of await builtInEnvironments(split)) {
        const env = await loadEnvironment(name);
        expect([env.name, env.split]).toEqual([name, split]);
        expect(await loadEnvironment(`environments/${name}/`)).toEqual(env);
      }
    }
  });

  it("says what exists when there is no such environment, and refuses a file", async () => {
    await expect(loadEnvironment("nosuch")).rejects.toThrow(/"nosuch".*built-in environments: .*textlayout/);
    await expect(loadEnvironment(join(folder, "package.json"))).rejects.toThrow(EnvironmentError);
    await expect(loadEnvironment(join(folder, "src"))).rejects.toThrow(/no package\.json/);
  });
});
