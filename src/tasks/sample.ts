/** A tiny repository for this folder's tests. */
import { environmentFromFiles } from "./environment.ts";
import type { Environment, Hunk } from "./types.ts";

export const sampleFiles = {
  "package.json": '{ "name": "sample", "version": "1.0.0", "type": "module" }\n',
  "README.md": `# sample
- \`rangeOf(low, high)\` lists the whole numbers from \`low\` to \`high\`, both included.
- \`total(xs)\` adds numbers.
- \`triangle(n)\` is the total of the numbers from 1 to \`n\`.
- \`clamp(x, low, high)\` keeps \`x\` between \`low\` and \`high\`.
- \`parity(n)\` says whether a number is "even" or "odd".
`,
  "src/range.js": `/** The whole numbers from low to high. */
export function rangeOf(low, high) {
  const found = [];
  for (let n = low; n <= high; n++) found.push(n);
  return found;
}

export function clamp(x, low, high) {
  if (x < low) return low;
  return x > high ? high : x;
}

// Nothing tests this one.
export function untested(a) {
  return a > 3;
}
`,
  "src/sum.js": `import { rangeOf } from './range.js';

export const total = (xs) => xs.reduce((sum, x) => sum + x, 0);

export function triangle(n) {
  return total(rangeOf(1, n));
}
`,
  "src/parity.js": `export function parity(n) {
  if (n % 2 === 0) return 'even';
  return 'odd';
}
`,
  "test/range.test.js": `import test from 'node:test';
import assert from 'node:assert/strict';
import { clamp, rangeOf } from '../src/range.js';

test('rangeOf includes both ends', () => {
  assert.deepEqual(rangeOf(1, 3), [1, 2, 3]);
});

test('rangeOf of an empty range', () => {
  assert.deepEqual(rangeOf(2, 1), []);
});

test('clamp keeps to the limits', () => {
  assert.equal(clamp(-1, 0, 5), 0);
  assert.equal(clamp(9, 0, 5), 5);
  assert.equal(clamp(3, 0, 5), 3);
});
`,
  "test/sum.test.js": `import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { total, triangle } from '../src/sum.js';

describe('sums', () => {
  it('total adds', () => assert.equal(total([1, 2, 3]), 6));
  for (const [n, want] of [[1, 1], [3, 6], [4, 10]]) {
    it(\`triangle of \${n}\`, () => assert.equal(triangle(n), want));
  }
});
`,
  "test/parity.test.js": `import test from 'node:test';
import assert from 'node:assert/strict';
import { parity } from '../src/parity.js';

test('parity tells even and odd', () => {
  assert.equal(parity(2), 'even');
  assert.equal(parity(3), 'odd');
});
`,
};

/** The sample repository with some files changed or, where undefined, left out. */
export function sample(changes: Record<string, string | undefined> = {}, split: Environment["split"] = "user"): Environment {
  const entries = Object.entries({ ...sampleFiles, ...changes }).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return environmentFromFiles("sample", split, Object.fromEntries(entries));
}

/** The edit that turns the only `old` in a file into `text`. */
export function edit(env: Environment, file: string, old: string, text: string): Hunk {
  const start = env.files[file].indexOf(old);
  if (start < 0 || env.files[file].includes(old, start + 1)) throw new Error(`${file} does not hold "${old}" once`);
  return { file, start, end: start + old.length, text, operator: "edit" };
}
