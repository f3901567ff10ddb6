import { expect, test } from "vitest";
import { Random } from "../../src/compute/index.ts";
import { parseModule } from "../../src/tasks/syntax.ts";
import { randomBugs } from "./bug.ts";
import { IDIOMS } from "./idioms.ts";
import { randomModule } from "./random-programs.ts";

test("every idiom gives modules that parse, leave no placeholder and carry bugs that a call shows", () => {
  let bugs = 0;
  IDIOMS.forEach((idiom, i) => {
    const random = Random.stream("idioms", i);
    const module = randomModule(random, [idiom]);
    expect(module.source).not.toMatch(/\$(?!\{)|[«»@~]|<\d|^call /m);
    expect(() => parseModule(module.source, idiom)).not.toThrow();
    bugs += randomBugs(random, module, 1).length;
  });
  expect(IDIOMS.length).toBeGreaterThan(120);
  expect(bugs).toBeGreaterThan(0.75 * IDIOMS.length);
});
