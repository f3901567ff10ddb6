/** The device that a command's `--device` names. */
import { createReferenceDevice, type Device } from "../compute/index.ts";
import { CommandError } from "./command.ts";

/** Throws a `CommandError` for an unknown name. The caller destroys the device. */
export async function openDevice(name: string): Promise<Device> {
  if (name === "reference") return createReferenceDevice();
  throw new CommandError(`device "${name}" is not available here; available: reference`);
}
