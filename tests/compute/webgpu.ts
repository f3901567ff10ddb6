/** Whether tests of the WebGPU device can run here; a message if not. */
import { createWebGpuDevice } from "../../src/compute/index.node.ts";

export const hasWebGpu = await createWebGpuDevice().then(
  (device) => {
    device.destroy();
    return true;
  },
  (error: Error) => {
    // A device that exists and fails its self-test must fail the tests, too.
    if (error.message.includes("self-test")) throw error;
    console.warn(`the WebGPU device is not tested: ${error.message}`);
    return false;
  },
);
