import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEmbeddedSandboxes } from "../sandbox/index.node.ts";
import type { SandboxFactory } from "../sandbox/index.ts";
import { CallObserver } from "./observed-call.ts";
import { sample } from "./sample.ts";

let factory: SandboxFactory;
beforeAll(() => void (factory = createEmbeddedSandboxes({ workers: 1 })));
afterAll(() => factory.close());

const source = `export function add(item, list) {
  list.push({ item, 'as text': \`it's \${item}\` });
  return list;
}
export function share(whole, count) {
  if (count < 1) throw new RangeError('nobody to share with');
  return whole / count;
}
export function each(list, visit) {
  return list.map(visit);
}
export function count(to) {
  let n = 0;
  while (n < to) n += 1;
  return n;
}
export function find(list, n) {
  return list.includes(n) ? n : null;
}
export class Total {
  sum = 0;
  put(n) {
    this.sum += n;
    return this.sum;
  }
}
function hidden(n) {
  return n + 1;
}
export const shown = (n) => hidden(n);
`;
const test = `import test from 'node:test';
import assert from 'node:assert';
import { add, share, each, count, find, Total, shown } from '../src/x.js';
test('all', () => {
  const list = [];
  assert.equal(add('a', add(1, list)).length, 2);
  assert.equal(share(12, 4), 3);
  assert.throws(() => share(1, 0));
  assert.deepEqual(each([1, 2], (n) => n + 1), [2, 3]);
  assert.equal(count(5), 5);
  assert.equal(find([1], 2), null);
  assert.equal(new Total().put(3), 3);
  assert.equal(shown(1), 2);
});
`;
const { files } = sample({ "src/x.js": source, "test/x.test.js": test });

function observe(name: string, from: string, to: string) {
  const buggy = { ...files, "src/x.js": source.replace(from, to) };
  const failures = [{ name: "test/x.test.js > all", status: "fail" as const }];
  return new CallObserver(files, factory).find({ file: "src/x.js", function: name, failures }, buggy);
}

describe("CallObserver", () => {
  it("gives the shortest recorded call that tells the versions apart", async () => {
    expect(await observe("share", "whole / count", "whole * count")).toEqual({ call: "share(12, 4)", actual: "48", expected: "3" });
  });

  it("writes arguments as they were before the call, and data of any plain kind", async () => {
    expect(await observe("add", "list.push", "list.unshift")).toEqual({
      call: `add('a', [{ item: 1, "as text": "it's 1" }])`,
      actual: `[{ item: 'a', "as text": "it's a" }, { item: 1, "as text": "it's 1" }]`,
      expected: `[{ item: 1, "as text": "it's 1" }, { item: 'a', "as text": "it's a" }]`,
    });
  });

  it("tells of errors", async () => {
    expect(await observe("share", "count < 1", "count < 0")).toEqual({ call: "share(1, 0)", actual: "Infinity", expected: "throws RangeError: nobody to share with" });
  });

  it("takes null for a result like any other", async () => {
    expect(await observe("find", "? n : null", "? null : n")).toEqual({ call: "find([1], 2)", actual: "2", expected: "null" });
  });

  it("gives nothing where the call cannot be written or told: callbacks, methods, private functions, endless loops", async () => {
    expect(await observe("each", "list.map", "list.filter")).toBeNull();
    expect(await observe("Total.put", "+= n", "-= n")).toBeNull();
    expect(await observe("hidden", "n + 1", "n - 1")).toBeNull();
    expect(await observe("count", "n += 1", "n += 0")).toBeNull();
  });

  it("stops when it is cancelled", async () => {
    const bug = { file: "src/x.js", function: "share", failures: [{ name: "test/x.test.js > all", status: "fail" as const }] };
    await expect(new CallObserver(files, factory).find(bug, files, AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
  });
});
