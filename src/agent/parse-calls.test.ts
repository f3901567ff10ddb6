import fc from "fast-check";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createChatFormat, Tokenizer, trainBpe } from "../model/index.ts";
import { parseCalls } from "./parse-calls.ts";
import { TOOLS } from "./prompt.ts";

const xml = (text: string) => parseCalls(text, "xml", TOOLS);
const json = (text: string) => parseCalls(text, "json", TOOLS);
const read = (path: string) => ({ name: "Read", arguments: { file_path: path } });
const one = (call: object, misses = 0) => ({ calls: [call], misses });

describe("XML calls", () => {
  test("compact and spread over lines", () => {
    expect(xml("<tool_call><function=Read><parameter=file_path>a.js</parameter></function></tool_call><|im_end|>")).toEqual(one(read("a.js")));
    expect(xml("I look.\n<tool_call>\n<function=Read>\n<parameter=file_path>\na.js\n</parameter>\n</function>\n</tool_call><|im_end|>")).toEqual(one(read("a.js")));
  });

  test("values lose the newline they start with and then one at the end, nothing else", () => {
    const cases = { "\n    a\n  b\n": "    a\n  b", "\n    a\n\n": "    a\n", "\n\na\n": "\na", "  a\n": "  a\n", "": "", "\n": "", "\n\n": "" };
    for (const [written, value] of Object.entries(cases)) {
      const { calls } = xml(`<tool_call><function=Write><parameter=file_path>a</parameter><parameter=content>${written}</parameter></function></tool_call>`);
      expect(calls[0].arguments.content).toBe(value);
    }
  });

  test("several calls, in one block or in several, stay in order", () => {
    const [a, b, c] = ["a", "b", "c"].map((path) => `<function=Read>\n<parameter=file_path>\n${path}\n</parameter>\n</function>`);
    expect(xml(`<tool_call>\n${a}\n</tool_call>\nthen\n<tool_call>\n${b}\n${c}\n</tool_call>`)).toEqual({ calls: [read("a"), read("b"), read("c")], misses: 0 });
  });

  test.each([
    ["no </tool_call>", "<tool_call><function=Read><parameter=file_path>a.js</parameter></function>"],
    ["no </function>", "<tool_call><function=Read><parameter=file_path>a.js</parameter></tool_call>"],
    ["no closing tag at all", "<tool_call><function=Read><parameter=file_path>a.js<|im_end|>"],
    ["no </parameter> before </function>", "<tool_call><function=Read><parameter=file_path>a.js</function></tool_call>"],
    ["no <tool_call>", "<function=Read><parameter=file_path>a.js</parameter></function>"],
    ["JSON inside", '<tool_call>{"name": "Read", "arguments": {"file_path": "a.js"}}</tool_call>'],
  ])("run, but a format miss: %s", (_, text) => expect(xml(text)).toEqual(one(read("a.js"), 1)));

  test("numbers and booleans are read from text, empty optional ones are left out", () => {
    const text = "<tool_call><function=Read><parameter=file_path>a</parameter><parameter=offset> 12 </parameter><parameter=limit></parameter></function></tool_call>";
    expect(xml(text)).toEqual(one({ name: "Read", arguments: { file_path: "a", offset: 12 } }));
    const edit = "<tool_call><function=Edit><parameter=file_path>a</parameter><parameter=old_string>x</parameter><parameter=new_string></parameter><parameter=replace_all>True</parameter></function></tool_call>";
    expect(xml(edit)).toEqual(one({ name: "Edit", arguments: { file_path: "a", old_string: "x", new_string: "", replace_all: true } }));
  });

  test.each([
    ["There is no tool \"Look\"", "<tool_call><function=Look></function></tool_call>"],
    ["Read needs file_path", "<tool_call><function=Read></function></tool_call>"],
    ["Edit needs old_string and new_string", "<tool_call><function=Edit><parameter=file_path>a</parameter></function></tool_call>"],
    ["offset must be a whole number", "<tool_call><function=Read><parameter=file_path>a</parameter><parameter=offset>x</parameter></function></tool_call>"],
    ["followed by a name", "<tool_call><function=</tool_call>"],
    ["neither", "<tool_call>Read a.js</tool_call>"],
    ["neither", "<tool_call>"],
  ])("an error for the model: %s", (message, text) => {
    const { calls, misses } = xml(text);
    expect(calls.map((call) => call.error)).toEqual([expect.stringContaining(message)]);
    expect(misses).toBe(1);
  });
});

describe("JSON calls", () => {
  const body = '{"name": "Read", "arguments": {"file_path": "a.js"}}';

  test("in the model's own form", () => {
    expect(json(`<tool_call>\n${body}\n</tool_call><|im_end|>`)).toEqual(one(read("a.js")));
    expect(json(`<tool_call>\n${body}\n</tool_call>\n<tool_call>\n${body}\n</tool_call>`)).toEqual({ calls: [read("a.js"), read("a.js")], misses: 0 });
    expect(json('<tool_call>{"name": "Write", "arguments": {"file_path": "a", "content": "</tool_call> \\" {"}}</tool_call>'))
      .toEqual(one({ name: "Write", arguments: { file_path: "a", content: '</tool_call> " {' } }));
    expect(json('<tool_call>{"name": "Read", "arguments": "{\\"file_path\\": \\"a.js\\"}"}</tool_call>')).toEqual(one(read("a.js")));
    expect(json('<tool_call>{"name": "Read", "arguments": {"file_path": "a.js", "offset": null}}</tool_call>')).toEqual(one(read("a.js")));
    expect(json('<tool_call>{"name": "Bash", "arguments": {"command": "a\nb"}}</tool_call>')).toEqual(one({ name: "Bash", arguments: { command: "a\nb" } }));
  });

  test.each([
    ["bare", body],
    ["in a fence", `I read it.\n\`\`\`json\n${body}\n\`\`\``],
    ["not closed", `<tool_call>\n${body}`],
    ["XML", "<tool_call><function=Read><parameter=file_path>a.js</parameter></function></tool_call>"],
  ])("run, but a format miss: %s", (_, text) => expect(json(text)).toEqual(one(read("a.js"), 1)));

  test.each([
    ["not valid JSON", '<tool_call>{"name": "Read", "arguments": {"file_path": }}</tool_call>'],
    ["not valid JSON", '<tool_call>{"name": "Read", "arguments": {"file_path": "a'],
    ['no "name"', '<tool_call>{"tool": "Read"}</tool_call>'],
    ["not a JSON object", '<tool_call>{"name": "Read", "arguments": ["a"]}</tool_call>'],
    ["arguments are not valid JSON", '<tool_call>{"name": "Read", "arguments": "a.js"}</tool_call>'],
    ["file_path must be text", '<tool_call>{"name": "Read", "arguments": {"file_path": 3}}</tool_call>'],
  ])("an error for the model: %s", (message, text) => {
    const { calls, misses } = json(text);
    expect(calls.map((call) => call.error)).toEqual([expect.stringContaining(message)]);
    expect(misses).toBe(1);
  });

  test("JSON that is no call of a known tool is text", () => {
    expect(json('The config is {"name": "frog", "arguments": {}} and {"a": 1}.')).toEqual({ calls: [], misses: 0 });
  });
});

describe("thinking", () => {
  const call = "<tool_call><function=Read><parameter=file_path>a.js</parameter></function></tool_call>";
  test("calls inside it are not run", () => {
    expect(xml(`<think>${call}</think>\nDone.`)).toEqual({ calls: [], misses: 0 });
    expect(xml(`Hm.\n</think>\n\n${call}`)).toEqual(one(read("a.js")));
    expect(xml(`<think>\n\n</think>\n\n${call}`)).toEqual(one(read("a.js")));
  });
  test("a value may contain its tags", () => {
    const { calls } = xml("<tool_call><function=Bash><parameter=command>echo '</think>'</parameter></function></tool_call>");
    expect(calls[0].arguments.command).toBe("echo '</think>'");
  });
});

const PIECES = ["<tool_call>", "</tool_call>", "<function=", "<function=Read>", "</function>", "<parameter=", "<parameter=file_path>", "</parameter>", "<think>", "</think>", "<|im_end|>",
  '{"name": "Read"', '"arguments"', "{", "}", '"', ":", ",", "[", "]", "\\", "\n", " ", "a", "Read", "__proto__"];

test("never throws, whatever the text", () => {
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((parts) => parts.join("")));
  fc.assert(fc.property(text, fc.constantFrom("xml" as const, "json" as const), (sample, format) => {
    const { calls, misses } = parseCalls(sample, format, TOOLS);
    expect(misses).toBeLessThanOrEqual(calls.length);
    for (const call of calls) expect(typeof call.name).toBe("string");
  }), { numRuns: 2000 });
});

test("long garbage does not stall it", () => {
  for (const part of ['{"name":', "<tool_call>", "<function=", '<tool_call>{"', "<parameter="]) expect(parseCalls(part.repeat(20_000 / part.length), "json", TOOLS).misses).toBeGreaterThanOrEqual(0);
});

describe("what a template writes is read back", () => {
  const folder = new URL("../../models/tadpole/", import.meta.url);
  const config = readFileSync(new URL("tokenizer_config.json", folder), "utf8");
  const jsonTemplate = `{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content }}{% for c in m.tool_calls or [] %}{{ '\n<tool_call>\n{"name": "' + c.function.name + '", "arguments": ' + (c.function.arguments | tojson) + '}\n</tool_call>' }}{% endfor %}{{ '<|im_end|>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}`;
  const tokenizer = JSON.stringify(trainBpe([], { vocabSize: 300, specialTokens: JSON.parse(config).additional_special_tokens }));

  test.each([["xml", undefined], ["json", jsonTemplate]] as const)("%s", (format, chatTemplate) => {
    const chat = createChatFormat(new Tokenizer({ tokenizer, config, chatTemplate }));
    expect(chat.callFormat).toBe(format);
    const value = fc.string({ unit: fc.oneof(fc.constantFrom(..."\n\t <>{}\"'\\/=a"), fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 })), maxLength: 30 });
    const edit = fc.record({ file_path: value, old_string: value, new_string: value, replace_all: fc.boolean() }).map((args) => ({ name: "Edit", arguments: args as Record<string, unknown> }));
    const range = fc.record({ file_path: value, offset: fc.integer({ min: 1, max: 999 }) }).map((args) => ({ name: "Read", arguments: args as Record<string, unknown> }));
    fc.assert(fc.property(fc.array(fc.oneof(edit, range), { minLength: 1, maxLength: 3 }), (calls) => {
      expect(parseCalls(chat.decode(chat.assistantTurn("", calls)), format, TOOLS)).toEqual({ calls, misses: 0 });
    }), { numRuns: 300 });
  });
});
