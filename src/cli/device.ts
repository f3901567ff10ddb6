/** The device that a command's `--device` names. */
import { createWasmDevice, createWebGpuDevice } from "../compute/index.node.ts";
import { createReferenceDevice, type Device } from "../compute/index.ts";
import { CommandError } from "./command.ts";

/** Throws a `CommandError` for an unknown name, and for webgpu where there is no GPU: another device is never taken instead. The caller destroys the device. */
export async function openDevice(name: string): Promise<Device> {
  if (name === "wasm") return createWasmDevice();
  if (name === "reference") return createReferenceDevice();
  if (name !== "webgpu") throw new CommandError(`there is no device "${name}"; devices: wasm, webgpu, reference`);
  try {
    return await createWebGpuDevice();
  } catch (error) {
    throw new CommandError(`device webgpu: ${(error as Error).message}`, { cause: error });
  }
}
