import { describe, expect, it } from "vitest";
import { Random } from "../compute/index.ts";
import { RepetitionStop } from "./generator-repetition.ts";

/** Index of the token at which the stop fires, or -1. */
function firesAt(ids: Iterable<number>): number {
  const stop = new RepetitionStop();
  let n = 0;
  for (const id of ids) {
    if (stop.push(id)) return n;
    n++;
  }
  return -1;
}

/** Characters as tokens: the finest, so the most repetitive, tokenization there is. */
const characters = (text: string) => Array.from(text, (c) => c.codePointAt(0)!);

describe("RepetitionStop", () => {
  it.each([1, 2, 3, 7, 31, 100, 128])("fires after 96 + 4p tokens of a block of %i", (p) => {
    const random = Random.stream("block", p);
    const lead = Array.from({ length: 50 }, (_, i) => 5000 + i);
    const block = Array.from({ length: p }, (_, i) => 10 * i + random.int(0, 9));
    const loop = Array.from({ length: 1000 }, (_, i) => block[i % p]);
    expect(firesAt([...lead, ...loop])).toBe(lead.length + 96 + 4 * p - 1);
  });

  it("starts again when one token differs", () => {
    const loop = Array.from({ length: 100 }, (_, i) => i % 4);
    expect(firesAt([...loop, 9, ...loop, 9, ...loop])).toBe(-1);
  });

  it("does not know blocks of more than 128 tokens", () => {
    expect(firesAt(Array.from({ length: 3000 }, (_, i) => i % 129))).toBe(-1);
  });

  it("does not fire on random tokens of a small vocabulary", () => {
    const random = Random.stream("text");
    expect(firesAt(Array.from({ length: 20000 }, () => random.int(0, 3)))).toBe(-1);
  });

  it.each([
    ["table of similar lines", Array.from({ length: 40 }, (_, i) => `  ["key${i}", ${i * i}],\n`).join("")],
    ["constants", "export const table = {\n" + [..."abcdefghijklmnopqrstuvwxyz"].map((c) => `  ${c}: "${c}",\n`).join("") + "};\n"],
    ["similar tests", Array.from({ length: 12 }, (_, i) => `test("adds ${i}", () => {\n  assert.equal(add(${i}, 1), ${i + 1});\n});\n\n`).join("")],
    ["rulers and a board of zeros", `// ${"-".repeat(80)}\n// title\n// ${"=".repeat(80)}\nconst board = [\n${"  [0, 0, 0],\n".repeat(9)}];\n`],
    ["deep closing braces", Array.from({ length: 30 }, (_, i) => " ".repeat(60 - 2 * i) + "}\n").join("")],
    ["switch", Array.from({ length: 20 }, (_, i) => `    case ${i}:\n      return ${i};\n`).join("")],
  ])("does not fire on ordinary code: %s", (_, code) => {
    expect(firesAt(characters(code))).toBe(-1);
  });

  it("fires on a sentence said again and again", () => {
    const sentence = "Wait, let me read the file again.\n";
    const at = firesAt(characters(sentence.repeat(30)));
    expect(at).toBe(96 + 4 * sentence.length - 1);
  });
});
