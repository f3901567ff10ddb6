/** The WASM device for Node, a public face of its own because browsers cannot load it. */
export { createWasmDevice, KernelsMissingError } from "./wasm/node.ts";
export type { WasmOptions } from "./wasm/create.ts";
