import { expect, test } from "vitest";
import { Random } from "./random.ts";

function draw(r: Random): number[] {
  return Array.from({ length: 8 }, () => r.uint32());
}

test("a stream depends on its name alone and differs from its neighbours", () => {
  expect(draw(Random.stream(1, "task", 0))).toEqual(draw(Random.stream(1, "task", 0)));
  expect(draw(Random.stream(1, "task", 0))).not.toEqual(draw(Random.stream(1, "task", 1)));
  expect(draw(Random.stream("12", 3))).not.toEqual(draw(Random.stream(12, 3)));
});

test("a restored state continues the stream", () => {
  const r = Random.stream("resume");
  r.uint32();
  const state = r.state();
  const next = [r.uniform(), r.uniform()];
  const again = Random.restore(state);
  expect([again.uniform(), again.uniform()]).toEqual(next);
});

test("uniform, int and normal have the right moments", () => {
  const r = Random.stream("moments");
  const n = 20000;
  let u = 0, s = 0, s2 = 0;
  const counts = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    u += r.uniform();
    const z = r.normal();
    s += z;
    s2 += z * z;
    counts[r.int(3, 5) - 3]++;
  }
  expect(u / n).toBeCloseTo(0.5, 2);
  expect(Math.abs(s / n)).toBeLessThan(0.03);
  expect(s2 / n).toBeCloseTo(1, 1);
  for (const c of counts) expect(Math.abs(c / n - 1 / 3)).toBeLessThan(0.02);
});
