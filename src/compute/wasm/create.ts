import { OutOfMemoryError } from "../kernels.ts";
import { WasmDevice } from "./device.ts";
import { Pool, type ThreadHandle } from "./pool.ts";
import type { ThreadSetup } from "./thread.ts";

export interface WasmOptions {
  /** Threads, this one included. More than 1 needs SharedArrayBuffer. */
  threads?: number;
  /** Fused multiply-add; default where the engine has relaxed SIMD. */
  relaxed?: boolean;
  /** Memory limit in bytes, default 4 GiB or what the engine can reserve. */
  maxBytes?: number;
  /** Operations that one thread finishes sooner, by estimate, are not shared among threads; in nanoseconds. */
  shareFrom?: number;
}

/** What differs between Node and browsers. */
export interface WasmHost {
  hasRelaxedSimd(): Promise<boolean>;
  defaultThreads(): number;
  /** One of the builds of scripts/build-compute.mjs. */
  loadModule(name: KernelBuild): Promise<WebAssembly.Module>;
  /** Resolves when the thread serves; `died` is called if it ends by itself. */
  startThread(setup: ThreadSetup, died: (reason: string) => void): Promise<ThreadHandle>;
}

export type KernelBuild = "kernels-simd" | "kernels-simd-shared" | "kernels-relaxed" | "kernels-relaxed-shared";

const PAGE = 65536;
const SHARE_FROM = 40_000;

/** Some browsers, above all on phones, cannot reserve 4 GiB of addresses for shared memory: half as much, then. */
function reserve(pages: number, shared: boolean): { memory: WebAssembly.Memory; maxBytes: number } {
  for (let maximum = pages; maximum >= 1; maximum = Math.floor(maximum / 2)) {
    try {
      return { memory: new WebAssembly.Memory({ initial: Math.min(256, maximum), maximum, shared }), maxBytes: maximum * PAGE };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  throw new OutOfMemoryError(`the engine has no room for ${pages * PAGE} bytes of device memory`);
}

export async function createDevice(host: WasmHost, options: WasmOptions): Promise<WasmDevice> {
  const relaxed = (options.relaxed ?? true) && (await host.hasRelaxedSimd());
  const threads = Math.max(1, options.threads ?? host.defaultThreads());
  const shared = threads > 1;
  const module = await host.loadModule(`kernels-${relaxed ? "relaxed" : "simd"}${shared ? "-shared" : ""}`);
  const { memory, maxBytes } = reserve(Math.floor((options.maxBytes ?? 65536 * PAGE) / PAGE), shared);

  let pool: Pool | null = null;
  const died = (reason: string) => {
    if (pool) pool.lost ??= reason;
  };
  const handles = await Promise.all(Array.from({ length: threads - 1 }, (_, i) => host.startThread({ memory, module, index: i + 1 }, died)));
  pool = new Pool(module, memory, handles, options.shareFrom ?? SHARE_FROM);
  const description = `WebAssembly, ${threads} ${threads === 1 ? "thread" : "threads"}, ${relaxed ? "relaxed SIMD" : "SIMD"}`;
  return new WasmDevice(description, memory, pool, maxBytes);
}
