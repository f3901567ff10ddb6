/** The WASM device in Node: files from build/compute/, threads by worker_threads. */
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import { relaxedSimd } from "wasm-feature-detect";
import type { Device } from "../kernels.ts";
import { createDevice, type WasmHost, type WasmOptions } from "./create.ts";
import type { WasmDevice } from "./device.ts";

const build = new URL("../../../build/compute/", import.meta.url);

/** The kernels were not built. */
export class KernelsMissingError extends Error {
  override name = "KernelsMissingError";
}

const host: WasmHost = {
  async hasRelaxedSimd() {
    // Node 20 has relaxed SIMD behind a flag that NODE_OPTIONS refuses; later versions have it on.
    if (!(await relaxedSimd())) setFlagsFromString("--experimental-wasm-relaxed-simd");
    return relaxedSimd();
  },
  defaultThreads: () => Math.min(availableParallelism(), 4),
  async loadModule(name) {
    let bytes;
    try {
      bytes = await readFile(new URL(`${name}.wasm`, build));
    } catch {
      throw new KernelsMissingError(`build/compute/${name}.wasm is missing: run npm run build:compute`);
    }
    return WebAssembly.compile(bytes);
  },
  startThread(setup, died) {
    const worker = new Worker(new URL("thread-node.js", build), { workerData: setup, execArgv: [] });
    worker.unref();
    return new Promise((resolve, reject) => {
      worker.once("message", () => {
        worker.on("error", (error) => died(`a compute thread died: ${error.message}`));
        worker.on("exit", () => died("a compute thread ended"));
        resolve({ terminate: () => void worker.terminate() });
      });
      worker.once("error", reject);
    });
  },
};

/** All of WasmDevice, for benchmarks. */
export function createNodeDevice(options: WasmOptions): Promise<WasmDevice> {
  return createDevice(host, options);
}

/** The WASM device, by default with a thread per core up to 4. Destroy it to end the threads. */
export function createWasmDevice(options: WasmOptions = {}): Promise<Device> {
  return createNodeDevice(options);
}
