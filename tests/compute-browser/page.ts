/** Gives the test access to the devices in a page. */
import { createWasmDevice, createWebGpuDevice } from "../../src/compute/index.ts";
import { computeSample } from "./sample.ts";

Object.assign(globalThis, {
  async compute(name: "wasm" | "webgpu") {
    const device = await (name === "webgpu" ? createWebGpuDevice() : createWasmDevice());
    const result = await computeSample(device);
    device.destroy();
    return result;
  },
});
