import fc from "fast-check";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { trainBpe } from "./bpe.ts";
import { Tokenizer } from "./tokenizer.ts";

const SPECIALS = ["<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>"];
const CONFIG = JSON.stringify({ eos_token: "<|im_end|>", chat_template: "{{ messages }}" });
/** Code with much repetition: the sources of this folder. */
const CODE = ["bpe.ts", "tokenizer.ts", "chat-format.ts"].map((file) => readFileSync(new URL(file, import.meta.url), "utf8"));

function train(texts: string[], vocabSize: number): { json: any; tokenizer: Tokenizer; tokens: (text: string) => string[] } {
  const json = trainBpe(texts, { vocabSize, specialTokens: SPECIALS }) as any;
  const tokenizer = new Tokenizer({ tokenizer: JSON.stringify(json), config: CONFIG });
  return { json, tokenizer, tokens: (text) => tokenizer.encode(text).map((id) => tokenizer.decode([id])) };
}

describe("trainBpe", () => {
  const trained = train(CODE, 800);

  test("has the vocabulary size that was asked for, ids dense, special tokens last", () => {
    expect(trained.tokenizer.vocabSize).toBe(800);
    expect(Object.values<number>(trained.json.model.vocab).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 800 - SPECIALS.length }, (_, id) => id));
    expect(trained.json.added_tokens.map((token: any) => [token.content, token.id, token.special])).toEqual([
      ["<|im_start|>", 796, true], ["<|im_end|>", 797, true], ["<tool_call>", 798, false], ["</tool_call>", 799, false],
    ]);
  });

  test("gives the same tokenizer for the same texts", () => {
    expect(JSON.stringify(trainBpe(CODE, { vocabSize: 800, specialTokens: SPECIALS }))).toBe(JSON.stringify(trained.json));
  });

  test("merges the most frequent pair first, ties by smaller ids", () => {
    const { json } = train(["ab\nab\ncd\nab\ncd\nxy\nxy\ncd"], 263);
    expect(json.model.merges).toEqual([["a", "b"], ["c", "d"], ["x", "y"]]);
  });

  test("agrees with a plain trainer that counts all pairs anew at each step", () => {
    const text = CODE[0].slice(0, 3000);
    const { json, tokenizer } = train([text], 256 + SPECIALS.length + 60);
    const pieces = text.match(new RegExp(json.pre_tokenizer.pretokenizers[0].pattern.Regex, "gu"))!;
    const names = Object.entries<number>(json.model.vocab).toSorted((a, b) => a[1] - b[1]).map(([token]) => token);
    const words = pieces.map((piece) => [...new TextEncoder().encode(piece)].map((byte) => names[byte]));
    const merges: string[][] = [];
    while (merges.length < 60) {
      const counts = new Map<string, number>();
      for (const word of words) for (let i = 1; i < word.length; i++) counts.set(`${word[i - 1]}\t${word[i]}`, (counts.get(`${word[i - 1]}\t${word[i]}`) ?? 0) + 1);
      const rank = (pair: string): number => pair.split("\t").reduce((key, token) => key * 65536 + names.indexOf(token), 0);
      const best = [...counts].toSorted((a, b) => b[1] - a[1] || rank(a[0]) - rank(b[0]))[0][0].split("\t");
      merges.push(best);
      for (const word of words) for (let i = 1; i < word.length; i++) if (word[i - 1] === best[0] && word[i] === best[1]) word.splice(i - 1, 2, best.join(""));
    }
    expect(json.model.merges).toEqual(merges);
    expect(tokenizer.encode(text)).toEqual(words.flat().map((token) => names.indexOf(token)));
  });

  test("stops early when no pair occurs twice, and refuses a size below the bytes", () => {
    expect(train(["abc"], 400).tokenizer.vocabSize).toBe(256 + SPECIALS.length);
    expect(() => trainBpe([], { vocabSize: 257, specialTokens: SPECIALS })).toThrow("vocabSize 257");
  });

  test("gives every text back", () => {
    const hard = ["\ufeffh\u00e9\r\n  x\ty  \n\n   ", "e\u0301 \u65e5\u672c\u8a9e \u{1f600} \u0416\u0436 \u01c5", "\u2028\u00a0\u0085\u0000\f\v\r", "__proto__ constructor", ""];
    for (const text of [...CODE, ...hard]) expect(trained.tokenizer.decode(trained.tokenizer.encode(text))).toBe(text);
    const text = fc.oneof(fc.string({ unit: "binary", maxLength: 60 }), fc.string({ unit: fc.constantFrom(..." \n\r\tabAB09_.(){}=<>|/\u00e9"), maxLength: 60 }), fc.string({ unit: "grapheme", maxLength: 40 }));
    fc.assert(fc.property(text, (sample) => {
      expect(trained.tokenizer.decode(trained.tokenizer.encode(sample))).toBe(sample);
    }), { numRuns: 500 });
  });

  test("keeps a word the same token wherever it stands", () => {
    const { tokens } = train([Array.from({ length: 50 }, () => "\n    return parseRange(value) === 12 && HTMLParser;").join("")], 500);
    expect(tokens("\n    return parseRange(12)")).toEqual(["\n    ", "return", " parse", "Range", "(", "1", "2", ")"]);
    expect(tokens("7\t    return parseRange")).toEqual(["7", "\t", "  ", "  ", "return", " parse", "Range"]);
    expect(tokens("    return parseRange")).toEqual(["  ", "  ", "return", " parse", "Range"]);
    expect(tokens(" === 12 && HTMLParser;")).toEqual([" ===", " 1", "2", " &&", " HTML", "Parser", ";"]);
    expect(tokens("s# ===# &&#")).toEqual(["s", "#", " ===", "#", " &&", "#"]);
  });

  test("cuts special tokens out of the texts", () => {
    const { tokens } = train([Array.from({ length: 20 }, () => "<|im_end|>").join("")], 300);
    expect(tokens("<|im_end|>im_end")).toEqual(["<|im_end|>", "i", "m", "_", "e", "n", "d"]);
  });
});
