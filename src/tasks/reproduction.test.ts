import { afterAll, beforeAll, expect, test } from "vitest";
import { createEmbeddedSandboxes } from "../sandbox/index.node.ts";
import type { SandboxFactory } from "../sandbox/index.ts";
import { importLine } from "./call-setup.ts";
import { REPRODUCTION, reproductionScript } from "./reproduction.ts";

let factory: SandboxFactory;
beforeAll(() => void (factory = createEmbeddedSandboxes({ workers: 1 })));
afterAll(() => factory.close());

const source = `export function share(whole, count) {
  if (count < 1) throw new RangeError('nobody\\nto share with');
  return [whole / count];
}
export class Total {
  sum = 0;
  put(n) { this.sum += n; return { sum: this.sum }; }
}
`;
const calls = [
  { setup: [importLine("share", "src/a.js")], call: "share(6, 2)", expected: "[3]" },
  { setup: [importLine("share", "src/a.js")], call: "share(6, 0)", expected: "throws RangeError: nobody" },
  { setup: [importLine("Total", "src/a.js")], call: "new Total().put(4)", expected: "{ sum: 4 }" },
];

async function run(text: string) {
  const sandbox = await factory.create({ "src/a.js": text, [REPRODUCTION]: reproductionScript(calls) });
  const { stdout, stderr, exitCode } = await sandbox.exec(`node ${REPRODUCTION}`);
  await sandbox.dispose();
  return [stdout, stderr, exitCode];
}

test("tells whether the calls give what they should", async () => {
  expect(await run(source)).toEqual(["ok\n", "", 0]);
  for (const [from, to] of [["/ count", "* count"], ["count < 1", "count < 0"], ["RangeError", "TypeError"], ["+= n", "-= n"]]) {
    expect(await run(source.replace(from, to))).toEqual(["still wrong\n", "", 1]);
  }
});
