/** The devices for Node, a public face of its own because browsers cannot load it. */
export { createWasmDevice } from "./wasm/node.ts";
export { createWebGpuDevice } from "./webgpu/node.ts";
