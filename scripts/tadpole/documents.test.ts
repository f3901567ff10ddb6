import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Random } from "../../src/compute/index.ts";
import { createChatFormat, Tokenizer, trainBpe } from "../../src/model/index.ts";
import { createEmbeddedSandboxes } from "../../src/sandbox/index.node.ts";
import { makeTasks } from "../../src/tasks/index.ts";
import { builtInEnvironments, loadEnvironment } from "../../src/tasks/index.node.ts";
import { documentBatch, excerptBatch, NEVER } from "./batches.ts";
import { trainingEnvironments } from "./corpus.ts";
import { BYTE_CAPS, demonstrate, type Harness, moduleDocument, randomDocuments, taskDocument } from "./documents.ts";
import { LeakFinder } from "./leaks.ts";

let harness: Harness;

beforeAll(async () => {
  const config = await readFile(new URL("../../models/tadpole/tokenizer_config.json", import.meta.url), "utf8");
  const specialTokens = JSON.parse(config).additional_special_tokens as string[];
  const tokenizer = JSON.stringify(trainBpe([], { vocabSize: 256 + specialTokens.length, specialTokens }));
  harness = { chat: createChatFormat(new Tokenizer({ tokenizer, config })), factory: await createEmbeddedSandboxes({ workers: 1 }), caps: BYTE_CAPS };
});
afterAll(() => harness.factory.close());

test("a random module gives demonstrations that fix its bugs, the same for the same stream", async () => {
  const documents = (await Promise.all([0, 1, 2, 3].map((i) => randomDocuments(harness, Random.stream("documents", i))))).flat();
  expect(documents.length).toBeGreaterThan(2);
  for (const { ids, sampled } of documents) {
    const text = harness.chat.decode([...ids]);
    expect(text).toMatch(/sed .*Fixed [\w.]+\.<\|im_end\|>$/s);
    const written = harness.chat.decode([...ids].filter((_, i) => sampled[i] === 1));
    expect(written).toMatch(/sed -i |t\(\) \{ sed "/);
    expect(written).not.toContain("<tool_response>");
  }
  const again = await randomDocuments(harness, Random.stream("documents", 0));
  expect(again.map((d) => [...d.ids])).toEqual(documents.slice(0, again.length).map((d) => [...d.ids]));
});

test("replacements that do not help are shown, but not imitated", async () => {
  const documents = (await Promise.all(Array.from({ length: 12 }, (_, i) => randomDocuments(harness, Random.stream("tries", i))))).flat();
  const masked = documents.filter(({ sampled }) => sampled.includes(NEVER));
  expect(masked.length).toBeGreaterThan(0);
  for (const { ids, sampled } of masked) {
    const text = (role: number) => harness.chat.decode([...ids].filter((_, i) => sampled[i] === role));
    expect(text(NEVER)).toMatch(/^(["'][^#]+#[^#]*["']( \|\| t)?)+$/);
    expect(text(0)).toMatch(/(exit code 0|timed out).*ok/s);
    expect(text(1)).toMatch(/sed -n .*t\(\) \{ sed .*node repro.mjs; \}; t .*["'].*Fixed/s);
  }
});

test("the marks cover the given mistake, whatever the tokens", async () => {
  const fixed = "export function f(a, b) {\n  if (a > 1) return a + 2;\n  return a + b;\n}\n";
  const fix = { file: "src/a.js", function: "f", buggy: fixed.replace("a + b", "a - b"), fixed, hasScript: true };
  const files = { "src/a.js": fix.buggy, "repro.mjs": "import { f } from './src/a.js';\nif (f(0, 1) !== 1) process.exitCode = 1;\n" };
  const embedded = new URL("../../models/tadpole/", import.meta.url);
  const [tokenizer, config] = await Promise.all(["tokenizer.json", "tokenizer_config.json"].map((name) => readFile(new URL(name, embedded), "utf8")));
  for (const chat of [harness.chat, createChatFormat(new Tokenizer({ tokenizer, config }))]) {
    const document = (await demonstrate({ ...harness, chat }, { task: { id: "t", env: "e", statement: "Fix f.", files }, fix }, { mistakes: [" ># >="] }))!;
    const text = (...roles: number[]) => chat.decode([...document.ids].filter((_, at) => roles.includes(document.sampled[at])));
    expect(text(NEVER)).toContain(" ># >=");
    expect(text(1)).toContain(" -# +");
    expect(text(1)).not.toContain(">=");
    expect(text(1, NEVER)).toContain("t ' ># >=' || t ' -# +'");
  }
});

test("only demonstration tasks of training environments become documents", async () => {
  const environment = await loadEnvironment((await builtInEnvironments("train"))[0]);
  const { tasks } = await makeTasks({ environment, factory: harness.factory, count: 3, seed: 1, use: "demonstration", levels: [3] });
  const random = Random.stream("tasks");
  const documents = await Promise.all(tasks.map((task) => taskDocument(harness, task, random)));
  expect(documents.some((document) => document !== null)).toBe(true);
  for (const use of ["rl", "evaluation"] as const) await expect(taskDocument(harness, { ...tasks[0], use }, random)).rejects.toThrow(/must not enter pretraining/);
  await expect(taskDocument(harness, { ...tasks[0], split: "heldout" }, random)).rejects.toThrow(/must not enter pretraining/);
});

test("nothing of an adapt or held-out environment is in the text; a leak would be found", async () => {
  const training = await trainingEnvironments();
  expect(training.every((environment) => environment.split === "train")).toBe(true);
  const others = await Promise.all([...(await builtInEnvironments("adapt")), ...(await builtInEnvironments("heldout"))].map(loadEnvironment));
  const finder = new LeakFinder(others);
  for (const { files } of training) {
    for (const [path, text] of Object.entries(files)) if (path.startsWith("src/")) expect(finder.find(text)).toBeNull();
  }
  for (let i = 0; i < 20; i++) {
    for (const { ids } of await randomDocuments(harness, Random.stream("leaks", i))) expect(finder.find(harness.chat.decode([...ids]))).toBeNull();
  }
  const [path, source] = Object.entries(others[0].files).find(([name]) => name.startsWith("src/"))!;
  const numbered = source.split("\n").map((line, i) => `${i + 1}-${line}`).join("\n");
  for (const text of [source, numbered]) expect(finder.find(`before\n${text}`)?.source).toBe(`${others[0].name}/${path}`);
  expect(moduleDocument(harness.chat, path, source, 0).ids.length).toBeLessThanOrEqual(1024);
});

test("batches weigh what the policy wrote; weights are the loss's derivative", () => {
  const document = { ids: Uint16Array.of(5, 6, 7, 8, 9), sampled: Uint8Array.of(0, 0, 1, 1, NEVER) };
  const { batch, weights, tokens } = documentBatch([document, document], 50, Random.stream("weights"));
  expect(Array.from(batch.offsets.slice(0, 3))).toEqual([0, 5, 10]);
  expect(batch.offsets[3]).toBe(tokens);
  expect(weights.reduce((a, b) => a + b, 0)).toBeCloseTo(-1, 5);
  batch.rows.forEach((row, i) => expect(batch.ids[row + 1]).toBe(batch.targets[i]));
  for (const row of [1, 2, 6, 7]) expect([...batch.rows]).toContain(row);
  for (const row of [3, 8]) expect([...batch.rows]).not.toContain(row);
});

test("what is scored in excerpts stands earlier in the sequence, after the same token", () => {
  const { batch, tokens } = excerptBatch(Random.stream("excerpts"), 500, 600);
  expect(tokens).toBeGreaterThanOrEqual(600);
  expect(batch.rows.length).toBeGreaterThan(100);
  batch.rows.forEach((row, i) => {
    const start = batch.offsets.filter((offset) => offset <= row).at(-1)!;
    const before = Array.from(batch.ids.slice(start, row));
    expect(before.some((id, j) => id === batch.ids[row] && (before[j + 1] ?? batch.ids[row]) === batch.targets[i])).toBe(true);
  });
});
