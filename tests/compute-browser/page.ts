/** Gives the test access to the WASM device in a page. */
import { createWasmDevice } from "../../src/compute/index.ts";
import { computeSample } from "./sample.ts";

Object.assign(globalThis, {
  async compute() {
    const device = await createWasmDevice();
    const result = await computeSample(device);
    device.destroy();
    return result;
  },
});
