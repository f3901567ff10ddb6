import { describe } from "vitest";
import { testMemory } from "../../../tests/compute/memory.ts";
import { hasWebGpu } from "../../../tests/compute/webgpu.ts";
import { createWebGpuDevice } from "./node.ts";

describe.skipIf(!hasWebGpu)("tensors of the WebGPU device", { timeout: 300_000 }, () => testMemory(createWebGpuDevice, false));
