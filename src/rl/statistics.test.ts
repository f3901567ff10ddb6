import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bootstrapMean, pairedBootstrap, passAtK } from "./statistics.ts";

describe("passAtK", () => {
  it("gives known answers", () => {
    expect(passAtK(8, 2, 1)).toBeCloseTo(0.25, 12);
    expect(passAtK(4, 2, 2)).toBeCloseTo(1 - 1 / 6, 12);
    expect(passAtK(10, 3, 5)).toBeCloseTo(1 - 21 / 252, 12);
    expect(passAtK(8, 0, 8)).toBe(0);
    expect(passAtK(8, 1, 8)).toBe(1);
    expect(() => passAtK(4, 2, 5)).toThrow(RangeError);
  });

  it("is the mean over all subsets of size k", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), fc.nat(7), fc.integer({ min: 1, max: 7 }), (n, c, k) => {
        fc.pre(c <= n && k <= n);
        let subsets = 0;
        let hit = 0;
        for (let bits = 0; bits < 1 << n; bits++) {
          const members = [...Array(n).keys()].filter((i) => bits & (1 << i));
          if (members.length !== k) continue;
          subsets++;
          if (members.some((i) => i < c)) hit++;
        }
        expect(passAtK(n, c, k)).toBeCloseTo(hit / subsets, 10);
      }),
    );
  });
});

describe("bootstrap", () => {
  it("matches the normal approximation for many values", () => {
    const values = Array.from({ length: 400 }, (_, i) => (i % 4 === 0 ? 1 : 0));
    const { mean, ci } = bootstrapMean(values, { seed: 1 });
    const half = 1.96 * Math.sqrt((0.25 * 0.75) / 400);
    expect(mean).toBe(0.25);
    expect(ci[0]).toBeCloseTo(0.25 - half, 2);
    expect(ci[1]).toBeCloseTo(0.25 + half, 2);
  });

  it("has the exact interval of two values", () => {
    // Means are 0, 1/2, 1 with probabilities 1/4, 1/2, 1/4.
    expect(bootstrapMean([0, 1], { seed: 3 })).toEqual({ mean: 0.5, ci: [0, 1] });
    expect(bootstrapMean([0.3], { seed: 3 })).toEqual({ mean: 0.3, ci: [0.3, 0.3] });
  });

  it("is repeatable by seed", () => {
    const values = [0, 0.25, 1, 0.5, 0.75, 0];
    expect(bootstrapMean(values, { seed: 7 })).toEqual(bootstrapMean(values, { seed: 7 }));
  });

  it("pairs: a constant gain has no spread, whatever the tasks differ by", () => {
    const before = [0, 0.5, 0.25, 0.75];
    const { mean, ci } = pairedBootstrap(before, before.map((x) => x + 0.25), { seed: 1 });
    expect([mean, ...ci]).toEqual([0.25, 0.25, 0.25]);
    expect(() => pairedBootstrap([1], [1, 2], { seed: 1 })).toThrow(RangeError);
  });

  it("draws clusters as a whole", () => {
    const values = [0, 0, 0, 1, 1, 1];
    const apart = bootstrapMean(values, { seed: 1 });
    const together = bootstrapMean(values, { seed: 1, clusters: ["a", "a", "a", "b", "b", "b"] });
    expect(together).toEqual({ mean: 0.5, ci: [0, 1] });
    expect(apart.ci[0]).toBeGreaterThan(0);
    expect(() => bootstrapMean([], { seed: 1 })).toThrow(RangeError);
  });
});
