/** The WebGPU device in Node, through the optional package `webgpu` (Dawn), which needs a Vulkan driver on Linux. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Device } from "../kernels.ts";
import { createDevice, type WebGpuOptions, WebGpuUnavailableError } from "./create.ts";
import { KERNEL_FILES, type KernelSources } from "./sources.ts";

/** The software driver that Debian's chromium package brings along. */
const SWIFTSHADER = "/usr/lib/chromium/vk_swiftshader_icd.json";
/** Dawn ends when it is collected, and everything made with it. */
const opened = new Set<GPU>();

/**
 * The WebGPU device on this machine's GPU; where there is none, in software by Chromium's SwiftShader. Its description
 * names the adapter. Throws `WebGpuUnavailableError` where there is neither.
 */
export async function createWebGpuDevice(options: WebGpuOptions = {}): Promise<Device> {
  return createDevice(await findAdapter(), await readKernels(), options);
}

export async function readKernels(): Promise<KernelSources> {
  const names = ["prelude", ...KERNEL_FILES] as const;
  const texts = await Promise.all(names.map(async (name) => [name, await readFile(new URL(`kernels/${name}.wgsl`, import.meta.url), "utf8")]));
  return Object.fromEntries(texts) as KernelSources;
}

/** Throws `WebGpuUnavailableError` where there is none. */
export async function findAdapter(): Promise<GPUAdapter> {
  let dawn: typeof import("webgpu");
  try {
    dawn = await import("webgpu");
  } catch (error) {
    throw new WebGpuUnavailableError(`the optional package "webgpu" does not load (${(error as Error).message}): npm install it, or use the wasm device`, { cause: error });
  }
  Object.assign(globalThis, dawn.globals);
  const request = async (): Promise<GPUAdapter | null> => {
    const gpu = dawn.create([]);
    opened.add(gpu);
    return gpu.requestAdapter({ powerPreference: "high-performance" });
  };
  const adapter = await request();
  if (adapter) return adapter;
  // The Vulkan loader reads this when Dawn starts.
  if (process.env.VK_ICD_FILENAMES === undefined && existsSync(SWIFTSHADER)) {
    process.env.VK_ICD_FILENAMES = SWIFTSHADER;
    const software = await request();
    if (software) return software;
    delete process.env.VK_ICD_FILENAMES;
  }
  throw new WebGpuUnavailableError('there is no GPU with a Vulkan driver; "apt-get install chromium libvulkan1" brings one in software, or use the wasm device');
}
