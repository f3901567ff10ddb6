/** Opens a GPU and proves it before use. */
import { WebGpuDevice } from "./device.ts";
import { selfTest } from "./self-test.ts";
import type { KernelSources } from "./sources.ts";

export interface WebGpuOptions {
  /** Limit on the bytes of live tensors; by default only the GPU's own. */
  maxBytes?: number;
}

/** There is no GPU that WebGPU could use, or it cannot be trusted; the message says what to do. */
export class WebGpuUnavailableError extends Error {
  override name = "WebGpuUnavailableError";
}

/** A device on the adapter, with its largest buffers. Throws `WebGpuUnavailableError` if it cannot be had or fails the self-test. */
export async function createDevice(adapter: GPUAdapter, sources: KernelSources, options: WebGpuOptions): Promise<WebGpuDevice> {
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
  let gpu: GPUDevice;
  try {
    gpu = await adapter.requestDevice({ requiredLimits: { maxBufferSize, maxStorageBufferBindingSize } });
  } catch (error) {
    throw new WebGpuUnavailableError(`the GPU gave no device: ${(error as Error).message}`, { cause: error });
  }
  const device = new WebGpuDevice(`WebGPU on ${nameOf(adapter.info)}, f32`, gpu, sources, options.maxBytes ?? Infinity);
  try {
    await selfTest(device);
  } catch (error) {
    device.destroy();
    throw new WebGpuUnavailableError(`${device.description} failed its self-test, so it is not used: ${(error as Error).message}`, { cause: error });
  }
  return device;
}

function nameOf({ vendor, architecture, device, description }: GPUAdapterInfo): string {
  const parts = [vendor, architecture, description || device].filter((part) => part !== "");
  return parts.length > 0 ? parts.join(" ") : "an unnamed GPU";
}
