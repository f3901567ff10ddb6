/** Every operation of the WebGPU device against the float64 reference, over odd shapes; twice, to the same bits. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectClose, operations, outputs } from "../../../tests/compute/operations.ts";
import { hasWebGpu } from "../../../tests/compute/webgpu.ts";
import { createReferenceDevice } from "../index.ts";
import type { Device } from "../kernels.ts";
import { createWebGpuDevice } from "./node.ts";

const RUNS = 12;

describe.skipIf(!hasWebGpu)("WebGPU device", { timeout: 300_000 }, () => {
  let device: Device;
  const reference = createReferenceDevice();
  beforeAll(async () => {
    device = await createWebGpuDevice();
  }, 120_000);
  afterAll(() => device.destroy());

  test.each(Object.keys(operations))("%s", async (name) => {
    const operation = operations[name];
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.record(operation.inputs), async (seed, draw) => {
        const actual = await outputs(device, operation, seed, draw as never);
        const again = await outputs(device, operation, seed, draw as never);
        const expected = await outputs(reference, operation, seed, draw as never);
        actual.forEach((output, i) => expectClose(output, expected[i]));
        expect(again).toEqual(actual);
      }),
      { numRuns: RUNS },
    );
  });
});
