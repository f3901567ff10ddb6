import { describe, expect, it } from "vitest";
import { packSequences } from "./packing.ts";

/** A ledger from text: lower case is context, upper case was sampled. Ids are char codes, log-probabilities −index. */
const ledger = (text: string) => ({
  ids: [...text].map((c) => c.charCodeAt(0)),
  sampled: [...text].map((c) => (c === c.toUpperCase() ? 1 : 0)),
  logprobs: [...text].map((c, i) => (c === c.toUpperCase() ? -i : 0)),
});
const decode = (codes: Int32Array) => String.fromCharCode(...codes);

describe("packSequences", () => {
  it("scores each sampled token on the row before it, and leaves out what follows the last", () => {
    const [only] = packSequences([{ ledger: ledger("abCDefGh"), advantage: 2 }, { ledger: ledger("xY"), advantage: -1 }], 100);
    expect(decode(only.batch.ids)).toBe("abCDefx");
    expect([...only.batch.offsets]).toEqual([0, 6, 7]);
    expect([...only.batch.rows]).toEqual([1, 2, 5, 6]);
    expect(decode(only.batch.targets)).toBe("CDGY");
    expect([...only.samplerLogprobs]).toEqual([-2, -3, -6, -1]);
    expect([...only.advantages]).toEqual([2, 2, 2, -1]);
  });

  it("bounds the rows of a batch, except for one long sequence", () => {
    const texts = ["abC", "abC", "abcdefG", "abC", "ab"];
    const batches = packSequences(texts.map((text) => ({ ledger: ledger(text), advantage: 1 })), 4);
    expect(batches.map(({ batch }) => [...batch.offsets])).toEqual([[0, 2, 4], [0, 6], [0, 2]]);
  });

  it("gives nothing for sequences without a sampled token", () => {
    expect(packSequences([{ ledger: ledger("abc"), advantage: 1 }, { ledger: ledger(""), advantage: 1 }], 10)).toEqual([]);
  });
});
