/** The WASM device in a browser: files as the bundler's assets, threads by web workers. Create it in a worker. */
import { relaxedSimd } from "wasm-feature-detect";
import type { Device } from "../kernels.ts";
import { createDevice, type KernelBuild, type WasmHost, type WasmOptions } from "./create.ts";

/** Spelled out one by one so that the bundler finds them. */
const files: Record<KernelBuild, () => URL> = {
  "kernels-simd": () => new URL("../../../build/compute/kernels-simd.wasm", import.meta.url),
  "kernels-simd-shared": () => new URL("../../../build/compute/kernels-simd-shared.wasm", import.meta.url),
  "kernels-relaxed": () => new URL("../../../build/compute/kernels-relaxed.wasm", import.meta.url),
  "kernels-relaxed-shared": () => new URL("../../../build/compute/kernels-relaxed-shared.wasm", import.meta.url),
};

const host: WasmHost = {
  hasRelaxedSimd: relaxedSimd,
  // Shared memory needs a page that is cross-origin isolated.
  defaultThreads: () => (globalThis.crossOriginIsolated ? Math.min(navigator.hardwareConcurrency, 4) : 1),
  async loadModule(name) {
    const response = await fetch(files[name]());
    if (!response.ok) throw new Error(`the kernels did not load: ${response.status} for ${response.url}`);
    return WebAssembly.compile(await response.arrayBuffer());
  },
  startThread(setup, died) {
    const worker = new Worker(new URL("./thread-browser.ts", import.meta.url), { type: "module" });
    return new Promise((resolve, reject) => {
      worker.addEventListener("error", (event) => {
        died(`a compute thread died: ${event.message}`);
        reject(new Error(`a compute thread did not start: ${event.message}`));
      });
      worker.addEventListener("message", () => resolve({ terminate: () => worker.terminate() }), { once: true });
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
      worker.postMessage(setup);
    });
  },
};

/** The WASM device, with a thread per core up to 4 where the page is cross-origin isolated, else 1. */
export function createWasmDevice(options: WasmOptions = {}): Promise<Device> {
  return createDevice(host, options);
}
