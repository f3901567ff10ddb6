import { readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { createChatFormat, Tokenizer, trainBpe } from "../model/index.ts";
import { createScriptedPolicy, type Policy, type ScriptedAnswer } from "../policy/index.ts";
import { type Files, type Sandbox, SandboxError } from "../sandbox/index.ts";
import { createEmbeddedSandboxes } from "../sandbox/index.node.ts";
import { CAPS, type Caps } from "./caps.ts";
import { EpisodeError, type EpisodeEvent, runEpisode } from "./loop.ts";
import { SYSTEM_PROMPT } from "./prompt.ts";
import type { Trajectory } from "./trajectory.ts";

const config = readFileSync(new URL("../../models/tadpole/tokenizer_config.json", import.meta.url), "utf8");
const specialTokens = JSON.parse(config).additional_special_tokens;
const tokenizer = JSON.stringify(trainBpe([SYSTEM_PROMPT.repeat(5)], { vocabSize: 380, specialTokens }));
const XML = createChatFormat(new Tokenizer({ tokenizer, config }));
const JSON_TEMPLATE = `{% for m in messages %}{{ '<|im_start|>' + ('user\\n<tool_response>\\n' + m.content + '\\n</tool_response>' if m.role == 'tool' else m.role + '\\n' + m.content) }}{% for c in m.tool_calls or [] %}{{ '\\n<tool_call>\\n{"name": "' + c.function.name + '", "arguments": ' + (c.function.arguments | tojson) + '}\\n</tool_call>' }}{% endfor %}{{ '<|im_end|>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`;
const JSON_FORMAT = createChatFormat(new Tokenizer({ tokenizer, config, chatTemplate: JSON_TEMPLATE }));

const FILES: Files = {
  "package.json": '{"type":"module"}', "README.md": "r\r\n", "src/a.js": "export const a = 1;\n",
  "test/a.test.js": "import { test } from 'node:test';\nimport assert from 'node:assert/strict';\nimport { a } from '../src/a.js';\ntest('is whole', () => assert.ok(Number.isInteger(a)));\n",
};
const TASK = { id: "t1", env: "pond", statement: "a should be 2.", files: FILES };
const call = (name: string, args: Record<string, unknown>): ScriptedAnswer => ({ content: "", calls: [{ name, arguments: args }] });
const READ = call("Read", { file_path: "src/a.js" });
const EDIT = call("Edit", { file_path: "src/a.js", old_string: "a = 1", new_string: "a = 2" });
const FOREVER = call("Bash", { command: "node -e 'for (;;);'" });
const TEST = call("Bash", { command: "node --test" });

const sandboxes = createEmbeddedSandboxes({ workers: 1 });
afterAll(() => sandboxes.close());

interface Changes {
  chat?: typeof XML;
  policy?: Policy;
  caps?: Partial<Caps>;
  sandbox?: Sandbox;
  signal?: AbortSignal;
  onEvent?: (event: EpisodeEvent) => void;
  statement?: string;
  contextLength?: number;
}

async function episode(answers: (turn: number, context: string) => ScriptedAnswer | Promise<ScriptedAnswer>, changes: Changes = {}): Promise<Trajectory> {
  const { chat = XML, caps, contextLength = 10_000, statement = TASK.statement } = changes;
  return runEpisode({
    task: { ...TASK, statement },
    policy: changes.policy ?? createScriptedPolicy({ chat, contextLength, script: ({ turn, context }) => answers(turn, context) }),
    sandbox: changes.sandbox ?? (await sandboxes.create(FILES)),
    key: { seed: 1, update: 0, task: TASK.id, attempt: 2 },
    sampling: { temperature: 1, topK: 0, topP: 1 },
    caps: { ...CAPS.default, ...caps },
    signal: changes.signal,
    onEvent: changes.onEvent,
  });
}

const script = (...answers: ScriptedAnswer[]) => (turn: number): ScriptedAnswer => answers[turn] ?? "Done.";

describe.each([["xml", XML], ["json", JSON_FORMAT]] as const)("an episode with %s calls", (_, chat) => {
  test("runs the calls, gives the results back and ends with a turn without call", async () => {
    const contexts: string[] = [];
    const result = await episode((turn, context) => (contexts.push(context), script(READ, EDIT, TEST)(turn)), { chat });
    expect(result.stop).toBe("done");
    expect(result.formatMisses).toBe(0);
    expect(result.steps.map((step) => step.calls.map(({ name }) => name))).toEqual([["Read"], ["Edit"], ["Bash"], []]);
    expect(result.steps.flatMap((step) => step.results)).toEqual([
      { name: "Read", ok: true, content: "src/a.js\n1\texport const a = 1;" },
      { name: "Edit", ok: true, content: "Edited src/a.js, line 1." },
      { name: "Bash", ok: true, content: "exit code 0\ntests 1, pass 1, fail 0" },
    ]);
    expect(contexts[0]).toContain(SYSTEM_PROMPT);
    expect(contexts[0]).toContain(TASK.statement);
    expect(contexts[1]).toContain("1\texport const a = 1;");
    expect(result.patch).toBe("--- a/src/a.js\n+++ b/src/a.js\n@@ -1,1 +1,1 @@\n-export const a = 1;\n+export const a = 2;\n");
    expect(result).toMatchObject({ version: 1, taskId: "t1", env: "pond", key: { seed: 1, update: 0, task: "t1", attempt: 2 }, policy: { model: "scripted" }, sampling: { temperature: 1 } });
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  test("keeps a ledger that joins prompts, sampled turns and tool responses, and nothing else", async () => {
    const result = await episode(script("Let me look.", READ), { chat });
    expect(result.steps.length).toBe(1);
    const two = await episode(script({ content: "Two.", calls: [{ name: "Read", arguments: { file_path: "src/a.js" } }, { name: "Glob", arguments: { pattern: "*" } }] }, EDIT), { chat });
    const { ids, sampled, logprobs } = two.ledger;
    expect([sampled.length, logprobs.length]).toEqual([ids.length, ids.length]);
    const expected: number[] = chat.prompt([{ role: "system", content: SYSTEM_PROMPT }, { role: "user", content: TASK.statement }], []);
    two.steps.forEach((step, i) => {
      expect(step.text.endsWith("<|im_end|>")).toBe(true);
      expected.push(...chat.encode(step.text));
      if (i < two.steps.length - 1) expected.push(...chat.toolResponses(step.results.map(({ content }) => content), true));
    });
    // The tools are in the prompt when the template puts them there; both templates of this test do not.
    expect(ids).toEqual(expected);
    expect(chat.decode(ids.filter((_, i) => sampled[i] === 1))).toBe(two.steps.map(({ text }) => text).join(""));
    expect(logprobs.every((value, i) => value === 0 || sampled[i] === 1)).toBe(true);
  });
});

test("log-probabilities stand beside the tokens they belong to", async () => {
  const turn = [...XML.assistantTurn("", [{ name: "Glob", arguments: { pattern: "*" } }])];
  const end = XML.encode("ok<|im_end|>");
  const policy: Policy = {
    identity: { model: "m", modelHash: "h", adapterHash: null }, chat: XML, contextLength: 4096,
    open: () => {
      const turns = [turn, end];
      return { generate: async () => { const ids = turns.shift()!; return { ids, logprobs: ids.map((id) => -id / 1000), stop: "end" }; }, close() {} };
    },
  };
  const { ledger, stop } = await episode(script(), { policy });
  expect(stop).toBe("done");
  expect(ledger.ids.filter((_, i) => ledger.sampled[i])).toEqual([...turn, ...end]);
  ledger.ids.forEach((id, i) => expect(ledger.logprobs[i]).toBe(ledger.sampled[i] ? -id / 1000 : 0));
});

describe("tool errors", () => {
  test("are told to the model and counted as format misses when the call was at fault", async () => {
    const seen: string[] = [];
    const result = await episode((turn, context) => (seen.push(context), ["<tool_call><function=Read></function></tool_call>", '{"name": "Read", "arguments": {"file_path": "src/a.js"}}', call("Read", { file_path: "nowhere.js" })][turn] ?? "Done."));
    expect(result.steps.map((step) => step.results[0]?.ok)).toEqual([false, true, false, undefined]);
    expect(seen[1]).toContain("Error: Read needs file_path.");
    expect(result.formatMisses).toBe(2);
    expect(result.stop).toBe("done");
    expect(result.patch).toBe("");
  });
});

describe("an episode stops", () => {
  test("length: a turn is cut by its own limit, and its calls are not run", async () => {
    const result = await episode(script(READ, `${"long ".repeat(100)}<tool_call>`), { caps: { turnTokens: 40 } });
    expect(result.stop).toBe("length");
    expect(result.steps.at(-1)!.results).toEqual([]);
    expect(result.ledger.sampled.filter(Boolean).length).toBe(XML.encode(result.steps[0].text).length + 40);
  });

  test("tokens: the episode's limit, or the model's context", async () => {
    for (const changes of [{ caps: { tokens: 300, turns: 99 } }, { caps: { turns: 99 }, contextLength: 300 }]) {
      const result = await episode((turn) => call("Bash", { command: `echo ${turn}` }), changes);
      expect(result.stop).toBe("tokens");
      expect(result.ledger.ids.length).toBeLessThanOrEqual(300);
      expect(result.ledger.ids.length).toBeGreaterThan(200);
    }
  });

  test("turns: after the tools of the last one have run", async () => {
    const result = await episode((turn) => [READ, EDIT, TEST][turn % 3], { caps: { turns: 2 } });
    expect(result.stop).toBe("turns");
    expect(result.steps.length).toBe(2);
    expect(result.patch).toContain("+export const a = 2;");
  });

  test("repetition: the same action three times in a row; other actions between do not count", async () => {
    const same = await episode(() => TEST);
    expect([same.stop, same.steps.length, same.steps[2].results.length]).toEqual(["repetition", 3, 0]);
    const mixed = await episode((turn) => (turn < 8 ? [TEST, TEST, READ, EDIT][turn % 4] : "Done."));
    expect([mixed.stop, mixed.steps.length]).toEqual(["done", 9]);
  });

  test("repetition: the policy saw it", async () => {
    const policy: Policy = { identity: { model: "m", modelHash: "h", adapterHash: null }, chat: XML, contextLength: 4096, open: () => ({ generate: async () => ({ ids: [97, 97, 97], logprobs: [0, 0, 0], stop: "repetition" }), close() {} }) };
    expect((await episode(script(), { policy })).stop).toBe("repetition");
  });

  test("cancelled: the signal, while sampling or in a tool; what was done stays in the record", async () => {
    const control = new AbortController();
    const sampling = await episode((turn) => (turn === 1 ? (control.abort(), READ) : READ), { signal: control.signal });
    expect([sampling.stop, sampling.steps.length]).toEqual(["cancelled", 1]);
    const other = new AbortController();
    setTimeout(() => other.abort(), 300);
    const tool = await episode(script(FOREVER), { signal: other.signal });
    expect([tool.stop, tool.steps.length]).toEqual(["cancelled", 1]);
    expect((await episode(script(), { signal: AbortSignal.abort() })).stop).toBe("cancelled");
  });

  test("time: the wall clock", async () => {
    const result = await episode(script(READ, FOREVER), { caps: { seconds: 1 } });
    expect([result.stop, result.steps.length, result.patch]).toEqual(["time", 2, ""]);
  });
});

describe("thinking", () => {
  const caps = { thinkTokens: 30, turnTokens: 200 };
  test("that does not end is closed by force, with tokens that were not sampled", async () => {
    const result = await episode((turn, context) => (turn === 0 ? `<think>${"hm ".repeat(100)}` : context.endsWith("\n</think>\n\n") ? READ : "Done."), { caps });
    expect(result.steps[0].text).toMatch(/^<think>hm .*\n<\/think>\n\n<tool_call>/);
    expect(result.steps[0].results[0].ok).toBe(true);
    const forced = XML.encode("\n</think>\n\n");
    const at = result.ledger.sampled.indexOf(1) + 30;
    expect(result.ledger.ids.slice(at, at + forced.length)).toEqual(forced);
    expect(result.ledger.sampled.slice(at, at + forced.length)).toEqual(forced.map(() => 0));
    expect(result.ledger.sampled[at + forced.length]).toBe(1);
  });
});

test("events tell each token and each step", async () => {
  const ids: number[] = [];
  const texts: string[] = [];
  const result = await episode(script(READ), { onEvent: (event) => (event.type === "token" ? ids.push(event.id) : texts.push(event.step.text)) });
  expect(ids).toEqual(result.ledger.ids.filter((_, i) => result.ledger.sampled[i]));
  expect(texts).toEqual(result.steps.map((step) => step.text));
});

test("what is no fault of the agent is an error, not an episode", async () => {
  await expect(episode(script(), { statement: " \n" })).rejects.toThrow(EpisodeError);
  await expect(episode(script(), { statement: " \n" })).rejects.toThrow("Task t1 has an empty statement");
  await expect(episode(script(), { statement: "x ".repeat(3000), caps: { tokens: 1024 } })).rejects.toThrow("of 1024 tokens: shorten the statement");
  const sandbox = await sandboxes.create(FILES);
  await sandbox.dispose();
  await expect(episode(script(TEST), { sandbox })).rejects.toThrow(SandboxError);
});

test("new, removed and changed files are all in the patch", async () => {
  const sandbox = await sandboxes.create(FILES);
  await sandbox.removeFile("README.md");
  const { patch } = await episode(script(call("Write", { file_path: "src/b.js", content: "b\n" }), EDIT), { sandbox });
  expect(patch).toContain("--- a/README.md\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-r\r\n");
  expect(patch).toContain("--- a/src/a.js\n+++ b/src/a.js\n");
  expect(patch).toContain("--- /dev/null\n+++ b/src/b.js\n@@ -0,0 +1,1 @@\n+b\n");
});
