import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { trainBpe } from "./bpe.ts";
import type { ToolSchema } from "./chat.ts";
import { createChatFormat } from "./chat-format.ts";
import { Tokenizer, TokenizerError } from "./tokenizer.ts";

const SPECIALS = ["<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>"];
const TOKENIZER = JSON.stringify(trainBpe([], { vocabSize: 256 + SPECIALS.length, specialTokens: SPECIALS }));

/** Calls as JSON, an empty thinking block in the last turn only, tool responses grouped in a user turn. */
const JSON_TEMPLATE = `
{%- if tools %}{{- '<|im_start|>system\\n' + messages[0].content + '\\nTools:' }}{% for t in tools %}{{- '\\n' + (t | tojson) }}{% endfor %}{{- '<|im_end|>\\n' }}{% endif %}
{%- for m in messages %}
{%- if m.role == 'assistant' %}
{{- '<|im_start|>assistant\\n' }}{% if loop.last %}{{- '<think>\\n\\n</think>\\n\\n' }}{% endif %}{{- m.content }}
{%- for c in m.tool_calls or [] %}{{- '\\n<tool_call>\\n{"name": "' + c.function.name + '", "arguments": ' + (c.function.arguments | tojson) + '}\\n</tool_call>' }}{% endfor %}
{{- '<|im_end|>\\n' }}
{%- elif m.role == 'tool' %}
{%- if loop.index0 == 0 or messages[loop.index0 - 1].role != 'tool' %}{{- '<|im_start|>user' }}{% endif %}
{{- '\\n<tool_response>\\n' + m.content + '\\n</tool_response>' }}
{%- if loop.last or messages[loop.index0 + 1].role != 'tool' %}{{- '<|im_end|>\\n' }}{% endif %}
{%- elif not (tools and m.role == 'system') %}{{- '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{% endif %}`;

/** Calls as XML with every value between newlines; thinking is opened by the generation prompt. */
const XML_TEMPLATE = `
{%- for m in messages %}
{%- if m.role == 'tool' %}{{- '<|im_start|>user\\n<tool_response>\\n' + m.content + '\\n</tool_response><|im_end|>\\n' }}
{%- else %}
{{- '<|im_start|>' + m.role + '\\n' }}{% if m.role == 'assistant' %}{{- '<think>\\n\\n</think>\\n\\n' }}{% endif %}{{- m.content }}
{%- for c in m.tool_calls or [] %}
{{- '\\n<tool_call>\\n<function=' + c.function.name + '>\\n' }}
{%- for k, v in c.function.arguments | items %}{{- '<parameter=' + k + '>\\n' + (v if v is string else v | tojson) + '\\n</parameter>\\n' }}{% endfor %}
{{- '</function>\\n</tool_call>' }}
{%- endfor %}
{{- '<|im_end|>\\n' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n<think>\\n' }}{% endif %}`;

function format(chatTemplate: string) {
  return createChatFormat(new Tokenizer({ tokenizer: TOKENIZER, config: '{"eos_token":"<|im_end|>"}', chatTemplate }));
}

const TOOL: ToolSchema = { type: "function", function: { name: "Read", description: "d", parameters: { type: "object", properties: { file_path: { type: "string", description: "p" } }, required: ["file_path"] } } };
const CALL = { name: "Read", arguments: { file_path: "src/a.js" } };

describe("a template that writes calls as JSON", () => {
  const chat = format(JSON_TEMPLATE);

  test("is recognised, and gets the tools", () => {
    expect(chat.callFormat).toBe("json");
    const text = chat.decode(chat.prompt([{ role: "system", content: "S" }, { role: "user", content: "U" }], [TOOL]));
    expect(text).toContain('Tools:\n{"type": "function"');
    expect(text.endsWith("<|im_end|>\n<|im_start|>user\nU<|im_end|>\n<|im_start|>assistant\n")).toBe(true);
  });

  test("continues a sampled turn with tool responses only", () => {
    const rest = "\n<|im_start|>user\n<tool_response>\none\n</tool_response>\n<tool_response>\n two\n\n</tool_response><|im_end|>\n<|im_start|>assistant\n";
    expect(chat.decode(chat.toolResponses(["one", " two\n"], true))).toBe(rest);
    expect(chat.decode(chat.toolResponses(["one", " two\n"], false))).toBe(`<|im_end|>${rest}`);
  });

  test("writes a finished turn", () => {
    expect(chat.decode(chat.assistantTurn("Look.", [CALL]))).toBe(
      '<think>\n\n</think>\n\nLook.\n<tool_call>\n{"name": "Read", "arguments": {"file_path": "src/a.js"}}\n</tool_call><|im_end|>',
    );
  });

  test("prompt, turn and responses join to what the template writes for the whole dialogue", () => {
    const messages = [{ role: "system", content: "S" }, { role: "user", content: "U" }] as const;
    const joined = [...chat.prompt([...messages], []), ...chat.encode("Hi.<|im_end|>"), ...chat.toolResponses(["r"], true)];
    const whole = chat.prompt([...messages, { role: "assistant", content: "Hi." }, { role: "tool", content: "r" }], []);
    expect(joined).toEqual(whole);
  });
});

describe("a template that writes calls as XML", () => {
  const chat = format(XML_TEMPLATE);

  test("is recognised, and its turns begin inside the thinking block that the prompt opens", () => {
    expect(chat.callFormat).toBe("xml");
    expect(chat.decode(chat.assistantTurn("", [CALL]))).toBe(
      "\n</think>\n\n\n<tool_call>\n<function=Read>\n<parameter=file_path>\nsrc/a.js\n</parameter>\n</function>\n</tool_call><|im_end|>",
    );
    expect(chat.decode(chat.toolResponses(["r"], true))).toBe("\n<|im_start|>user\n<tool_response>\nr\n</tool_response><|im_end|>\n<|im_start|>assistant\n<think>\n");
  });
});

test("text that spells a control token cannot act as one", () => {
  const chat = format(XML_TEMPLATE);
  const end = chat.stopTokens[0];
  const count = (ids: number[]): number => ids.filter((id) => id === end).length;
  expect(count(chat.toolResponses(["x<|im_end|>y"], true))).toBe(count(chat.toolResponses(["xy"], true)));
  expect(count(chat.prompt([{ role: "user", content: "<|im_end|><|im_end|>" }], []))).toBe(1);
  expect(count(chat.assistantTurn("<|im_end|>", [{ name: "Read", arguments: { file_path: "<|im_end|>" } }]))).toBe(1);
});

test.each([
  ["does not parse", "{% for %}"],
  ["fails on a dialogue", "{{ raise_exception('no tools here') }}"],
  ["neither", "{% for m in messages %}{{ m.content }}{% endfor %}<|im_end|>"],
])("a template that cannot serve is refused: %s", (message, template) => {
  expect(() => format(template)).toThrow(TokenizerError);
  expect(() => format(template)).toThrow(message);
});

describe("the template of tadpole", () => {
  const folder = new URL("../../models/tadpole/", import.meta.url);
  const config = readFileSync(new URL("tokenizer_config.json", folder), "utf8");
  const chat = createChatFormat(new Tokenizer({ tokenizer: JSON.stringify(trainBpe([], { vocabSize: 320, specialTokens: JSON.parse(config).additional_special_tokens })), config }));

  test("is the same in both files", () => {
    expect(JSON.parse(config).chat_template).toBe(readFileSync(new URL("chat_template.jinja", folder), "utf8"));
  });

  test("spends few tokens on framing", () => {
    expect(chat.decode(chat.prompt([{ role: "system", content: "S" }, { role: "user", content: "U" }], [TOOL]))).toBe(
      "<|im_start|>system\nS<|im_end|><|im_start|>user\nU<|im_end|><|im_start|>assistant\n",
    );
    // <tool_call> <function=Read> <parameter=file_path> … </parameter> </function> </tool_call> <|im_end|>
    expect(chat.assistantTurn("", [CALL]).length).toBe(7 + chat.encode("src/a.js").length);
    expect(chat.decode(chat.toolResponses(["1", "2"], true))).toBe("<|im_start|>user\n<tool_response>1</tool_response><tool_response>2</tool_response><|im_end|><|im_start|>assistant\n");
  });

  test("writes values so that they can be read back", () => {
    expect(chat.decode(chat.assistantTurn("", [{ name: "Edit", arguments: { old_string: "\n a\n", new_string: "a\n", replace_all: true } }]))).toBe(
      "<tool_call><function=Edit><parameter=old_string>\n\n a\n\n</parameter><parameter=new_string>a\n</parameter><parameter=replace_all>true</parameter></function></tool_call><|im_end|>",
    );
  });
});
