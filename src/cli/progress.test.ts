import { describe, expect, it } from "vitest";
import { duration, startProgress } from "./progress.ts";

function harness(isTTY: boolean) {
  let time = 0;
  let text = "";
  const stream = { isTTY, columns: 100, write: (s: string) => (text += s) };
  return { options: { stream, now: () => time }, at: (ms: number) => (time = ms), text: () => text };
}

describe("progress", () => {
  it("redraws one line with the time left on a terminal", () => {
    const h = harness(true);
    const progress = startProgress("rollouts", 10, h.options);
    h.at(1000);
    progress.update(1);
    h.at(5000);
    progress.update(5, "reward 0.5");
    h.at(9000);
    progress.end();
    expect(h.text()).toContain("5/10 5 s left  reward 0.5");
    expect(h.text().split("\n").length).toBe(2);
    expect(h.text()).toContain("in 9 s");
  });

  it("writes plain lines, not too often, elsewhere", () => {
    const h = harness(false);
    const progress = startProgress("rollouts", 100, h.options);
    for (let i = 1; i <= 100; i++) {
      h.at(i * 1000);
      progress.update(i);
    }
    progress.end();
    expect(h.text()).not.toContain("\r");
    expect(h.text().trim().split("\n").length).toBe(11);
  });

  it("does not take restored work for speed", () => {
    const h = harness(true);
    const progress = startProgress("rollouts", 100, { ...h.options, restored: 50 });
    h.at(1000);
    progress.update(60);
    expect(h.text()).toContain("60/100 4 s left");
  });

  it("formats durations", () => {
    expect([7.6, 65, 3725].map(duration)).toEqual(["8 s", "1 min 05 s", "1 h 02 min"]);
  });
});
