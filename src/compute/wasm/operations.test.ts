/**
 * Every operation of the WASM device against the float64 reference, over odd shapes, in both builds; the number of
 * threads must not change a bit.
 */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectClose, operations, outputs } from "../../../tests/compute/operations.ts";
import { createReferenceDevice } from "../index.ts";
import type { Device } from "../kernels.ts";
import { createWasmDevice } from "./node.ts";

const RUNS = 12;

describe.each([{ relaxed: true }, { relaxed: false }])("relaxed SIMD $relaxed", ({ relaxed }) => {
  let one: Device, two: Device;
  const reference = createReferenceDevice();
  beforeAll(async () => {
    one = await createWasmDevice({ threads: 1, relaxed });
    two = await createWasmDevice({ threads: 2, relaxed, shareFrom: 0 });
  });
  afterAll(() => {
    one.destroy();
    two.destroy();
  });

  test.each(Object.keys(operations))("%s", async (name) => {
    const operation = operations[name];
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.record(operation.inputs), async (seed, draw) => {
        const alone = await outputs(one, operation, seed, draw as never);
        const shared = await outputs(two, operation, seed, draw as never);
        const expected = await outputs(reference, operation, seed, draw as never);
        alone.forEach((output, i) => expectClose(output, expected[i]));
        expect(shared).toEqual(alone);
      }),
      { numRuns: RUNS },
    );
  });
});
