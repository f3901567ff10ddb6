import { describe, expect, it } from "vitest";
import { type Attempt, difference, measure } from "./score.ts";

/** attempts("a", "1010") has four attempts at task a, the first and third solved. */
const attempts = (task: string, outcomes: string): Attempt[] => [...outcomes].map((c, attempt) => ({ task, env: "e", attempt, solved: c === "1" }));

describe("measure", () => {
  it("gives pass@1, greedy and pass@k by task", () => {
    const m = measure([...attempts("a", "1010"), ...attempts("b", "0000"), ...attempts("c", "1111")], [...attempts("a", "1"), ...attempts("b", "0"), ...attempts("c", "1")], 1);
    expect([m.n, m.k, m.pass1]).toEqual([3, 4, 0.5]);
    expect(m.greedy!.mean).toBeCloseTo(2 / 3, 12);
    expect(m.passK.mean).toBeCloseTo(2 / 3, 12);
    expect(m.ci[0]).toBeLessThan(0.5);
    expect(m.ci[1]).toBeGreaterThan(0.5);
    expect(m.perTask[0]).toEqual({ task: "a", env: "e", attempts: 4, solved: 2, greedy: true });
  });

  it("weighs tasks equally when an attempt was lost, and does without greedy attempts", () => {
    const m = measure([...attempts("a", "11"), ...attempts("b", "0000")], [], 1);
    expect([m.n, m.k, m.pass1, m.greedy]).toEqual([2, 4, 0.5, null]);
    expect(m.passK.mean).toBe(0.5);
  });
});

describe("difference", () => {
  it("pairs tasks and leaves out those measured once", () => {
    const before = measure([...attempts("a", "1000"), ...attempts("b", "0000"), ...attempts("gone", "1111")], attempts("a", "0"), 1);
    const after = measure([...attempts("b", "0011"), ...attempts("a", "1110")], attempts("a", "1"), 1);
    const d = difference(before, after, 1);
    expect([d.n, d.k, d.pass1]).toEqual([2, 4, 0.5]);
    expect(d.ci).toEqual([0.5, 0.5]);
    expect(d.greedy!.mean).toBe(1);
    expect(d.passK.mean).toBe(0.5);
    expect(d.perTask.map((t) => [t.task, t.before, t.after])).toEqual([["b", 0, 0.5], ["a", 0.25, 0.75]]);
  });
});
