/** Arguments for random functions, small enough to be shown in a statement. */
import type { Random } from "../../src/compute/index.ts";
import type { ValueType } from "./random-programs.ts";

const WORDS = ["abc", "level", "one two", "a-b-c", "banana", "x,y,z", "node", "  pad", "0042", "A b C", "3.14", "yes", "no", ""];

/** A random argument of the type, small enough to be shown in a statement. */
export function randomArgument(random: Random, type: ValueType, fields: string[] = []): unknown {
  switch (type) {
    case "number": return random.uniform() < 0.75 ? random.int(0, 12) : random.int(-5, 120);
    case "boolean": return random.uniform() < 0.5;
    case "string": return random.pick(WORDS);
    case "numbers": return Array.from({ length: random.int(1, 4) }, () => random.int(-2, 12));
    case "strings": return Array.from({ length: random.int(1, 3) }, () => random.pick(WORDS));
    case "record": return Object.fromEntries(fields.map((f) => [f, random.int(0, 9)]));
    case "grid": return Array.from({ length: 2 }, () => [random.int(0, 5), random.int(0, 5)]);
    case "records": return Array.from({ length: random.int(1, 2) }, () => Object.fromEntries(fields.map((f) => [f, random.int(0, 9)])));
  }
}
