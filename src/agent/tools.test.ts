import { afterAll, describe, expect, test } from "vitest";
import type { Files } from "../sandbox/index.ts";
import { createEmbeddedSandboxes } from "../sandbox/index.node.ts";
import { globPattern } from "./glob.ts";
import { Toolbox } from "./tools.ts";
import { capLines, capText } from "./tool-output.ts";

const CAPS = { readChars: 400, outputChars: 300, commandSeconds: 10 };

const sandboxes = createEmbeddedSandboxes({ workers: 1 });
afterAll(() => sandboxes.close());

async function open(files: Files, caps: Partial<typeof CAPS> = {}) {
  const sandbox = await sandboxes.create(files);
  const toolbox = new Toolbox(sandbox, { ...CAPS, ...caps });
  const run = (name: string, args: Record<string, unknown>) => toolbox.run({ name, arguments: args });
  const said = async (name: string, args: Record<string, unknown>): Promise<string> => (await run(name, args)).content;
  return { sandbox, toolbox, run, said };
}

const LONG = Array.from({ length: 60 }, (_, i) => `const value${i + 1} = ${i};`).join("\n") + "\n";

describe("Read", () => {
  test("prints the path and numbered lines", async () => {
    const { said } = await open({ "src/a.js": "\ufeffone\r\n  two\r\n\r\n", "empty.js": "" });
    expect(await said("Read", { file_path: "src/a.js" })).toBe("src/a.js\n1\tone\n2\t  two\n3\t");
    expect(await said("Read", { file_path: "/repo/src/../src/./a.js", offset: 2, limit: 1 })).toBe("src/a.js\n2\t  two");
    expect(await said("Read", { file_path: "empty.js" })).toBe("empty.js\n(empty)");
  });

  test("stays within its cap by whole lines, and says what is left out", async () => {
    const content = await (await open({ "a.js": LONG })).said("Read", { file_path: "a.js" });
    expect(content.length).toBeLessThanOrEqual(CAPS.readChars);
    expect(content).toMatch(/^a\.js\n1\tconst value1 = 0;\n2\t/);
    expect(content).toMatch(/\n60\tconst value60 = 59;$/);
    const left = /\[lines (\d+) to (\d+) left out: use offset and limit\]/.exec(content)!;
    expect(content).toContain(`\n${Number(left[1]) - 1}\tconst`);
    expect(content).toContain(`\n${Number(left[2]) + 1}\tconst`);
    const oneLine = await (await open({ "a.js": "x".repeat(1000) })).said("Read", { file_path: "a.js" });
    expect(oneLine.length).toBeLessThanOrEqual(CAPS.readChars);
    expect(oneLine).toContain("characters left out");
  });

  test.each([
    ["There is no file b.js. Use Glob to list files.", { file_path: "b.js" }],
    ["There is no file lib/a.js. Did you mean src/a.js?", { file_path: "lib/a.js" }],
    ["src is a folder.", { file_path: "src" }],
    ["../x is outside the repository", { file_path: "../x" }],
    ["file_path is empty", { file_path: " " }],
    ["src/a.js has lines 1 to 2; offset 3 is outside", { file_path: "src/a.js", offset: 3 }],
    ["limit must be 1 or more", { file_path: "src/a.js", limit: 0 }],
  ])("%s", async (message, args) => {
    const { run } = await open({ "src/a.js": "1\n2\n" });
    expect(await run("Read", args)).toEqual({ name: "Read", ok: false, content: expect.stringContaining(message) });
  });
});

describe("Write", () => {
  test("makes files, and replaces those that were read", async () => {
    const { sandbox, run, said } = await open({ "a.js": "old\n" });
    expect(await run("Write", { file_path: "src/new.js", content: "x\n" })).toEqual({ name: "Write", ok: true, content: "Wrote src/new.js." });
    expect(await said("Write", { file_path: "a.js", content: "new\n" })).toContain("has not been read");
    expect(await sandbox.readFile("a.js")).toBe("old\n");
    await said("Read", { file_path: "a.js" });
    expect(await said("Write", { file_path: "./a.js", content: "new\n" })).toBe("Wrote a.js.");
    expect(await said("Write", { file_path: "src/new.js", content: "y\n" })).toBe("Wrote src/new.js.");
    expect(await sandbox.snapshot()).toEqual({ "a.js": "new\n", "src/new.js": "y\n" });
  });

  test("keeps the file's line ends and byte-order mark", async () => {
    const { sandbox, said } = await open({ "a.js": "\ufeffone\r\ntwo\r\n" });
    await said("Read", { file_path: "a.js" });
    expect(await said("Write", { file_path: "a.js", content: "one\ntwo\n" })).toContain("nothing would change");
    await said("Write", { file_path: "a.js", content: "1\ntwo\n" });
    expect(await sandbox.readFile("a.js")).toBe("\ufeff1\r\ntwo\r\n");
  });

  test("refuses placeholders and a shrink to less than half", async () => {
    const { sandbox, said } = await open({ "a.js": LONG });
    await said("Read", { file_path: "a.js" });
    expect(await said("Write", { file_path: "a.js", content: `${LONG}// ... rest of the file unchanged\n` })).toContain('"// ... rest of the file unchanged" stands for code');
    expect(await said("Write", { file_path: "new.js", content: "f();\n// existing code here\n" })).toContain("stands for code");
    expect(await said("Write", { file_path: "a.js", content: "const value1 = 1;\n" })).toContain(`shrink a.js from ${LONG.length} to 18`);
    expect(await sandbox.snapshot()).toEqual({ "a.js": LONG });
    expect(await said("Write", { file_path: "a.js", content: LONG.slice(LONG.length / 2 - 1) })).toBe("Wrote a.js.");
  });

  test("cannot put a file where a folder is, or the other way round", async () => {
    const { said } = await open({ "src/a.js": "" });
    expect(await said("Write", { file_path: "src", content: "x" })).toBe("Error: src: is a directory");
    expect(await said("Write", { file_path: "src/a.js/b", content: "x" })).toBe("Error: src/a.js/b: src/a.js is a file, not a directory");
  });
});

describe("Edit", () => {
  test("changes the file and says where", async () => {
    const { sandbox, said } = await open({ "a.js": "a\r\nb\r\nb\r\n" });
    expect(await said("Edit", { file_path: "a.js", old_string: "a\n", new_string: "A\n" })).toBe("Edited a.js, line 1.");
    expect(await said("Edit", { file_path: "a.js", old_string: "b", new_string: "c", replace_all: true })).toBe("Edited a.js, lines 2, 3.");
    expect(await sandbox.readFile("a.js")).toBe("A\r\nc\r\nc\r\n");
  });

  test("advises Write after the second failure on the same file, until one succeeds", async () => {
    const { said } = await open({ "a.js": "alpha\nbeta\n", "b.js": "x\n" });
    const fail = (path: string) => said("Edit", { file_path: path, old_string: "alpho", new_string: "y" });
    expect(await fail("a.js")).toBe("Error: a.js: old_string is not in the file. Nearest lines:\n1\talpha");
    expect(await fail("b.js")).not.toContain("Write");
    expect(await fail("a.js")).toContain("Edit has failed 2 times on a.js: read it and rewrite it with Write.");
    await said("Read", { file_path: "a.js" });
    expect(await fail("a.js")).toContain("Edit has failed 3 times on a.js: rewrite it with Write.");
    await said("Edit", { file_path: "a.js", old_string: "alpha", new_string: "gamma" });
    expect(await fail("a.js")).not.toContain("Write");
  });

  test("refuses placeholders that the file does not have", async () => {
    const { sandbox, said } = await open({ "a.js": "f();\ng(); \n// ...\n" });
    expect(await said("Edit", { file_path: "a.js", old_string: "f();", new_string: "f(1);\n// rest of code unchanged" })).toContain("stands for code");
    await said("Edit", { file_path: "a.js", old_string: "g(); \n// ...", new_string: "h();\n// ..." });
    expect(await sandbox.readFile("a.js")).toBe("f();\nh();\n// ...\n");
  });
});

describe("Glob", () => {
  const files = Object.fromEntries(["README.md", "src/a.js", "src/lib/b.js", "src/lib/c.test.js", "test/a.test.js"].map((path) => [path, ""]));
  test.each([
    ["src/**/*.js", undefined, "src/a.js\nsrc/lib/b.js\nsrc/lib/c.test.js"],
    ["**/*.test.js", undefined, "src/lib/c.test.js\ntest/a.test.js"],
    ["*.md", undefined, "README.md"],
    ["a.*", undefined, "src/a.js\ntest/a.test.js"],
    ["src/*", undefined, "src/a.js"],
    ["*.js", "src/lib", "src/lib/b.js\nsrc/lib/c.test.js"],
    ["./src/{a,lib/b}.js", ".", "src/a.js\nsrc/lib/b.js"],
    ["src/[!b].js", "/repo", "src/a.js"],
    ["src/?.js", undefined, "src/a.js"],
    ["*.ts", undefined, "No file matches *.ts."],
    ["src/{a", undefined, "Error: The pattern src/{a cannot be read."],
  ])("%s", async (pattern, path, found) => expect(await (await open(files)).said("Glob", { pattern, path })).toBe(found));

  test("lists at most 1,000 paths, within the cap", async () => {
    const many = Object.fromEntries(Array.from({ length: 1200 }, (_, i) => [`f${String(i).padStart(4, "0")}`, ""]));
    const lines = (await (await open(many, { outputChars: 30_000 })).said("Glob", { pattern: "**" })).split("\n");
    expect([lines.length, lines[999], lines[1000]]).toEqual([1001, "f0999", "[200 more]"]);
    const capped = await (await open(many)).said("Glob", { pattern: "**" });
    expect(capped.length).toBeLessThanOrEqual(CAPS.outputChars);
    expect(capped).toMatch(/\[\d+ paths left out\]/);
  });

  test("takes other signs literally", () => {
    expect(globPattern("a+(b).[x$]^|js").test("a+(b).$^|js")).toBe(true);
    expect(globPattern("a.js").test("aXjs")).toBe(false);
  });
});

describe("Bash", () => {
  test("prints exit code, stdout and stderr", async () => {
    const { said } = await open({ "src/a.js": "export const a = 1;\n" });
    expect(await said("Bash", { command: "echo out; echo bad >&2; exit 2" })).toBe("exit code 2\nout\nstderr:\nbad");
    expect(await said("Bash", { command: "grep -n a src/a.js" })).toBe("exit code 0\n1:export const a = 1;");
    expect(await said("Bash", { command: "true" })).toBe("exit code 0");
    expect(await said("Bash", { command: " " })).toContain("command is empty");
  });

  test("changes are seen by the other tools", async () => {
    const { said } = await open({ "a.js": "1\n" });
    await said("Bash", { command: "echo 2 > b.js; sed -i s/1/3/ a.js" });
    expect(await said("Read", { file_path: "b.js" })).toBe("b.js\n1\t2");
    expect(await said("Read", { file_path: "a.js" })).toBe("a.js\n1\t3");
  });

  test("caps the time, and says when it was up", async () => {
    const { said } = await open({ "loop.js": "for (;;);\n" }, { commandSeconds: 1 });
    expect(await said("Bash", { command: "node loop.js", timeout: 500 })).toMatch(/^timed out after 1 s\n/);
  });

  test("keeps head and tail of each stream within the cap", async () => {
    const { said } = await open({ "o.js": "console.log(`<${'o'.repeat(5000)}>`);", "e.js": "console.error(`[${'e'.repeat(5000)}]`);" });
    const alone = await said("Bash", { command: "node o.js" });
    expect(alone.length).toBeLessThanOrEqual(CAPS.outputChars);
    expect(alone.length).toBeGreaterThan(CAPS.outputChars - 10);
    expect(alone).toMatch(/^exit code 0\n<o+\n\[\d+ characters left out\]\no+>$/);
    const both = await said("Bash", { command: "node o.js; node e.js" });
    expect(both.length).toBeLessThanOrEqual(CAPS.outputChars);
    expect(both).toMatch(/>\nstderr:\n\[e+/);
    expect(both.endsWith("]")).toBe(true);
  });

  test("summarises a test run", async () => {
    const { said } = await open({
      "package.json": '{"type":"module"}',
      "test/a.test.js": "import { test, describe } from 'node:test';\nimport assert from 'node:assert/strict';\ndescribe('s', () => {\n  test('one', () => {});\n  test('two', () => assert.deepEqual([1], [2]));\n  test('three', () => { null.x; });\n});\n",
    });
    const content = await said("Bash", { command: "node --test" });
    expect(content).toMatch(/^exit code 1\ntests 3, pass 1, fail 2\nnot ok s > two: got \[ 1 \], want \[ 2 \] \(test\/a\.test\.js:5\)\nnot ok s > three: TypeError: /);
  });
});

test("a call that could not be read is answered with its error", async () => {
  const { toolbox } = await open({});
  expect(await toolbox.run({ name: "Read", arguments: {}, error: "Read needs file_path." })).toEqual({ name: "Read", ok: false, content: "Error: Read needs file_path." });
});

test("caps never split a character pair", () => {
  for (let cap = 40; cap < 60; cap++) {
    const text = capText("\u{1f600}".repeat(100), cap);
    expect(text.length).toBeLessThanOrEqual(cap);
    expect(text).not.toMatch(/\p{Surrogate}/u);
  }
  expect(capLines(["a", "b"], 3, () => "")).toBe("a\nb");
});
