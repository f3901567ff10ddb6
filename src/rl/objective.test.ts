import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { groupAdvantages } from "./advantage.ts";
import { dppoObjective } from "./objective.ts";

describe("groupAdvantages", () => {
  it("uses the population standard deviation", () => {
    // mean 1/4, variance 3/16
    const std = Math.sqrt(3 / 16) + 1e-6;
    expect(groupAdvantages([1, 0, 0, 0])).toEqual([0.75 / std, -0.25 / std, -0.25 / std, -0.25 / std]);
    expect(groupAdvantages([1, 1])).toEqual([0, 0]);
  });

  it("sums to zero", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(0, 0.5, 1), { minLength: 2, maxLength: 8 }), (rewards) => {
        expect(groupAdvantages(rewards).reduce((a, b) => a + b)).toBeCloseTo(0, 9);
      }),
    );
  });
});

describe("dppoObjective", () => {
  const ln = Math.log;

  it("weighs by −A·ρ/|T| and counts masked tokens out", () => {
    const { weights, loss, tokens, dropped } = dppoObjective(
      { logprobs: [ln(0.5), ln(0.3), ln(0.9)], samplerLogprobs: [ln(0.4), ln(0.3), 0], advantages: [1, -2, 5], mask: [1, 1, 0] },
      { totalTokens: 10 },
    );
    expect(weights[0]).toBeCloseTo(-1.25 / 10, 6);
    expect(weights[1]).toBeCloseTo(2 / 10, 6);
    expect(weights[2]).toBe(0);
    expect(loss).toBeCloseTo((-1.25 + 2) / 10, 9);
    expect([tokens, dropped]).toEqual([2, 0]);
  });

  it("drops tokens that already moved in the pushed direction, in both directions only", () => {
    const q = [0.3, 0.3, 0.6, 0.6, 0.3];
    const p = [0.51, 0.05, 0.39, 0.85, 0.49];
    const result = dppoObjective(
      { logprobs: p.map(ln), samplerLogprobs: q.map(ln), advantages: [1, 1, -1, -1, 1], mask: [1, 1, 1, 1, 1] },
      { totalTokens: 5 },
    );
    expect([...result.weights].map((w) => w !== 0)).toEqual([false, true, false, true, true]);
    expect(result.dropped).toBe(2);
    expect(result.maxGap).toBeCloseTo(0.25, 9);
    expect(result.sumGap).toBeCloseTo(0.21 + 0.25 + 0.21 + 0.25 + 0.19, 9);
  });

  it("drops nothing with an infinite threshold", () => {
    const { dropped } = dppoObjective({ logprobs: [0], samplerLogprobs: [-9], advantages: [1], mask: [1] }, { totalTokens: 1, dropThreshold: Infinity });
    expect(dropped).toBe(0);
  });

  it("its weights are the derivative of its loss", () => {
    const token = fc.tuple(fc.double({ min: -4, max: -0.05, noNaN: true }), fc.double({ min: -4, max: -0.05, noNaN: true }), fc.double({ min: -2, max: 2, noNaN: true }));
    fc.assert(
      fc.property(fc.array(token, { minLength: 1, maxLength: 5 }), (tokens) => {
        const input = { logprobs: tokens.map((t) => t[0]), samplerLogprobs: tokens.map((t) => t[1]), advantages: tokens.map((t) => t[2]), mask: tokens.map(() => 1) };
        const options = { totalTokens: tokens.length, dropThreshold: Infinity };
        const { weights } = dppoObjective(input, options);
        const h = 1e-6;
        for (let i = 0; i < tokens.length; i++) {
          const shifted = (d: number) => dppoObjective({ ...input, logprobs: input.logprobs.map((x, j) => (j === i ? x + d : x)) }, options).loss;
          const slope = (shifted(h) - shifted(-h)) / (2 * h);
          expect(Math.abs(slope - weights[i])).toBeLessThan(1e-4 * Math.max(1, Math.abs(slope)));
        }
      }),
    );
  });

  it("splits over micro-batches without changing loss or weights", () => {
    const input = { logprobs: [-1, -0.4, -2, -0.1], samplerLogprobs: [-1.2, -0.4, -1.9, -0.2], advantages: [1, 1, -0.5, -0.5], mask: [1, 1, 1, 1] };
    const part = (from: number, to: number) => ({
      logprobs: input.logprobs.slice(from, to), samplerLogprobs: input.samplerLogprobs.slice(from, to), advantages: input.advantages.slice(from, to), mask: input.mask.slice(from, to),
    });
    const whole = dppoObjective(input, { totalTokens: 4 });
    const [a, b] = [dppoObjective(part(0, 1), { totalTokens: 4 }), dppoObjective(part(1, 4), { totalTokens: 4 })];
    expect([...a.weights, ...b.weights]).toEqual([...whole.weights]);
    expect(a.loss + b.loss).toBeCloseTo(whole.loss, 12);
  });
});
