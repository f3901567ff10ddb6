/** The device that a command's `--device` names. */
import { createWasmDevice } from "../compute/index.node.ts";
import { createReferenceDevice, type Device } from "../compute/index.ts";
import { CommandError } from "./command.ts";

/** Throws a `CommandError` for a name that is unknown or not built yet. The caller destroys the device. */
export async function openDevice(name: string): Promise<Device> {
  if (name === "wasm") return createWasmDevice();
  if (name === "reference") return createReferenceDevice();
  if (name === "webgpu") throw new CommandError('device "webgpu" is not built yet; use wasm');
  throw new CommandError(`there is no device "${name}"; devices: wasm, reference`);
}
