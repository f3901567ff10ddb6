import { describe } from "vitest";
import { testIndependence } from "../../../tests/compute/independence.ts";
import { hasWebGpu } from "../../../tests/compute/webgpu.ts";
import { createWebGpuDevice } from "./node.ts";

describe.skipIf(!hasWebGpu)("WebGPU device", { timeout: 300_000 }, () => testIndependence(createWebGpuDevice, 8));
