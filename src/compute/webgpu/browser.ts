/** The WebGPU device in a browser, in a page or a worker. */
import type { Device } from "../kernels.ts";
import { createDevice, type WebGpuOptions, WebGpuUnavailableError } from "./create.ts";
import type { KernelSources } from "./sources.ts";

/** Spelled out one by one so that the bundler finds them; loaded on first use. */
const files = {
  prelude: () => import("./kernels/prelude.wgsl?raw"),
  elements: () => import("./kernels/elements.wgsl?raw"),
  product: () => import("./kernels/product.wgsl?raw"),
  rows: () => import("./kernels/rows.wgsl?raw"),
  rope: () => import("./kernels/rope.wgsl?raw"),
  attention: () => import("./kernels/attention.wgsl?raw"),
  "attention-backward": () => import("./kernels/attention-backward.wgsl?raw"),
  head: () => import("./kernels/head.wgsl?raw"),
  sample: () => import("./kernels/sample.wgsl?raw"),
} satisfies Record<keyof KernelSources, () => Promise<{ default: string }>>;

/** The WebGPU device on the browser's fastest adapter. Throws `WebGpuUnavailableError` where there is none. */
export async function createWebGpuDevice(options: WebGpuOptions = {}): Promise<Device> {
  if (!navigator.gpu) throw new WebGpuUnavailableError("this browser has no WebGPU, or the page is not served over https or from localhost; use the wasm device");
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) throw new WebGpuUnavailableError("WebGPU found no GPU that it can use; switch on hardware acceleration in the browser's settings, or use the wasm device");
  const loaded = await Promise.all(Object.entries(files).map(async ([name, load]) => [name, (await load()).default]));
  return createDevice(adapter, Object.fromEntries(loaded) as KernelSources, options);
}
