export * from "./kernels.ts";
export * from "./random.ts";
export { createReferenceDevice } from "./reference/device.ts";
export { createWasmDevice } from "./wasm/browser.ts";
export { createWebGpuDevice } from "./webgpu/browser.ts";
