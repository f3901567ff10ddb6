import { describe, expect, test } from "vitest";
import { trainBpe } from "./bpe.ts";
import { Tokenizer, TokenizerError } from "./tokenizer.ts";

const tokenizer = JSON.stringify(trainBpe([], { vocabSize: 260, specialTokens: ["<|end|>", "<|stop|>", "<|start|>"] }));
const config = { eos_token: "<|end|>", chat_template: "T" };
const load = (changes: object, more: object = {}): Tokenizer => new Tokenizer({ tokenizer, config: JSON.stringify({ ...config, ...changes }), ...more });

describe("Tokenizer", () => {
  test("refuses a vocabulary that cannot write plain text", () => {
    const json = { version: "1.0", added_tokens: [{ id: 0, content: "<|end|>", special: true, single_word: false, lstrip: false, rstrip: false, normalized: false }], normalizer: null, pre_tokenizer: null, post_processor: null, decoder: null, model: { type: "BPE", vocab: {}, merges: [] } };
    expect(() => new Tokenizer({ tokenizer: JSON.stringify(json), config: JSON.stringify(config) })).toThrow(/cannot write plain text/);
  });

  test("takes stop tokens from eos_token and generation_config.json", () => {
    expect(load({}).stopTokens).toEqual([256]);
    expect(load({ eos_token: { content: "<|end|>" } }).stopTokens).toEqual([256]);
    expect(load({}, { generationConfig: '{"eos_token_id":[256,257]}' }).stopTokens).toEqual([256, 257]);
    expect(load({ eos_token: null }, { generationConfig: '{"eos_token_id":257}' }).stopTokens).toEqual([257]);
  });

  test("takes the template from its file, the config, or the config's list of named ones", () => {
    expect(load({}).chatTemplate).toBe("T");
    expect(load({}, { chatTemplate: "F" }).chatTemplate).toBe("F");
    expect(load({ chat_template: [{ name: "default", template: "D" }, { name: "tool_use", template: "U" }] }).chatTemplate).toBe("U");
    expect(load({ chat_template: [{ name: "default", template: "D" }] }).chatTemplate).toBe("D");
  });

  test("keeps special tokens as text, leaves spaces alone, and reads no bytes as nothing", () => {
    const loaded = load({ clean_up_tokenization_spaces: true });
    const text = "a , b . <|end|> don 't";
    expect(loaded.decode(loaded.encode(text))).toBe(text);
    expect(loaded.encode("<|stop|>")).toEqual([257]);
    expect(loaded.decode([])).toBe("");
    expect(loaded.decode([9999, 97])).toBe("a");
    expect(loaded.decode([0xff])).toBe("\ufffd");
  });

  test.each([
    ["tokenizer.json is not JSON", () => new Tokenizer({ tokenizer: "<html>", config: "{}" })],
    ["tokenizer_config.json is not JSON", () => new Tokenizer({ tokenizer, config: '{"eos' })],
    ["tokenizer_config.json holds no JSON object", () => new Tokenizer({ tokenizer, config: "[]" })],
    ["tokenizer.json cannot be used", () => new Tokenizer({ tokenizer: "{}", config: JSON.stringify(config) })],
    ["tokenizer.json cannot be used", () => new Tokenizer({ tokenizer: JSON.stringify({ ...JSON.parse(tokenizer), model: { type: "Other" } }), config: JSON.stringify(config) })],
    ["has no chat template", () => load({ chat_template: undefined })],
    ["has no chat template", () => load({ chat_template: "" })],
    ["names no eos_token", () => load({ eos_token: "<|other|>" })],
  ])("says what is wrong: %s", (message, make) => {
    expect(make).toThrow(TokenizerError);
    expect(make).toThrow(message);
  });
});
