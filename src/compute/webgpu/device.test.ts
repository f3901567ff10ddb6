/** What only a GPU device has to get right: bindings, launch sizes, late errors, the pool. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { hasWebGpu } from "../../../tests/compute/webgpu.ts";
import { type Device, DeviceLostError, OutOfMemoryError } from "../kernels.ts";
import { BufferPool } from "./buffers.ts";
import { createDevice, WebGpuUnavailableError } from "./create.ts";
import { createWebGpuDevice, findAdapter, readKernels } from "./node.ts";
import { Recorder, WebGpuError } from "./recorder.ts";

let device: Device | null = null;
const open = async (options = {}) => (device = await createWebGpuDevice(options));
afterEach(() => {
  device?.destroy();
  device = null;
});

const openGpu = async (): Promise<GPUDevice> => (await findAdapter()).requestDevice();

describe.skipIf(!hasWebGpu)("WebGPU device", { timeout: 300_000 }, () => {
  test("takes tensors that share a buffer, overlap, or begin anywhere in one", async () => {
    const d = await open();
    const all = d.upload(Float32Array.from({ length: 300 }, (_, i) => i), [300]);
    const [a, b, c] = [d.view(all, [3], 1), d.view(all, [3], 2), d.view(all, [3], 200)];
    d.add(a, b);
    expect(await d.read(all, 0, 6)).toEqual(Float32Array.of(0, 1, 3, 5, 7, 5));
    d.add(b, b, 2);
    expect(await d.read(b)).toEqual(Float32Array.of(9, 15, 21));
    d.copy(c, d.view(all, [3], 201));
    expect(await d.read(c)).toEqual(Float32Array.of(200, 200, 201));
    const [gate, up] = [d.view(all, [3], 5), d.view(all, [3], 8)];
    d.fill(gate, 0);
    d.swigluBackward(gate, up, d.upload(Float32Array.of(2, 2, 2), [3]), up, gate);
    expect(await d.read(up)).toEqual(Float32Array.of(8, 9, 10));
    expect(await d.read(gate)).toEqual(new Float32Array(3));
  });

  test("moves f16 elements from any place to any place, and leaves their neighbours alone", async () => {
    const d = await open();
    const t = d.upload(Uint16Array.from({ length: 9 }, (_, i) => i), [9]);
    d.write(t, Uint16Array.of(70, 80), 3);
    d.write(t, Uint16Array.of(90), 8);
    expect(await d.read(t)).toEqual(Uint16Array.of(0, 1, 2, 70, 80, 5, 6, 7, 90));
    d.copy(d.view(t, [3], 2), d.view(t, [3], 5));
    expect(await d.read(t)).toEqual(Uint16Array.of(0, 1, 2, 70, 80, 2, 70, 80, 90));
    expect(await d.read(t, 3, 2)).toEqual(Uint16Array.of(70, 80));
  });

  test("widens every f16 number exactly", async () => {
    const d = await open();
    const all = Uint16Array.from({ length: 1 << 16 }, (_, i) => i);
    const ids = d.upload(Int32Array.from({ length: 1 << 16 }, (_, i) => i), [1 << 16]), y = d.alloc([1 << 16, 1]);
    d.embedding(ids, d.upload(all, [1 << 16, 1]), y);
    const found = await d.read(y);
    const wrong = [...all].filter((bits) => {
      const exponent = (bits >> 10) & 31, fraction = bits & 1023;
      const magnitude = exponent === 0 ? fraction * 2 ** -24 : exponent === 31 ? (fraction ? NaN : Infinity) : (1024 + fraction) * 2 ** (exponent - 25);
      return !Object.is(found[bits], bits >> 15 ? -magnitude : magnitude);
    });
    expect(wrong).toEqual([]);
  });

  test("rotates by large angles as by small ones", async () => {
    const d = await open();
    const positions = [0, 1, 777, 32_767, 131_071, 1_000_003], frequencies = Float32Array.of(1, 0.75, 0.1, 1e-3, 3e-6);
    const N = positions.length, R = frequencies.length;
    const x = d.upload(Float32Array.from({ length: N * 2 * R }, (_, i) => (i % (2 * R) < R ? 1 : 0)), [N, 1, 2 * R]);
    d.rope(x, d.upload(Int32Array.from(positions), [N]), d.upload(frequencies, [R]));
    const found = await d.read(x);
    positions.forEach((position, n) => {
      frequencies.forEach((frequency, i) => {
        expect(found[n * 2 * R + i]).toBeCloseTo(Math.cos(position * frequency), 6);
        expect(found[n * 2 * R + R + i]).toBeCloseTo(Math.sin(position * frequency), 6);
      });
    });
  });

  test("launches more workgroups than one dimension holds", async () => {
    const d = await open();
    const size = 65_536 * 64 + 77;
    const x = d.alloc([size]);
    d.fill(x, 3);
    expect(await d.read(x, size - 2)).toEqual(Float32Array.of(3, 3));
    const sum = d.alloc([1]);
    d.sumSquares(x, sum);
    expect((await d.read(sum))[0]).toBeCloseTo(9 * size, -3);
  });

  test("zero-fills buffers that are used again, and orders writes behind the work before them", async () => {
    const d = await open();
    const sum = d.alloc([4]);
    for (let i = 1; i <= 300; i++) {
      const t = d.alloc([4]);
      d.add(t, sum);
      d.write(t, Float32Array.of(i, 1, 0, 0));
      d.add(t, sum);
      t.free();
    }
    expect(await d.read(sum)).toEqual(Float32Array.of(45_150, 300, 0, 0));
  });

  test("says when memory runs out, and goes on", async () => {
    const d = await open({ maxBytes: 1 << 20 });
    const t = d.alloc([1 << 17]);
    expect(() => d.alloc([1 << 18])).toThrow(OutOfMemoryError);
    expect(d.liveBytes).toBe(1 << 19);
    t.free();
    d.alloc([1 << 18]).free();
    await d.read(d.alloc([1]));
  });

  test("says when a tensor is larger than what the GPU binds", async () => {
    const d = await open();
    expect(() => d.alloc([2 ** 31])).toThrow("this GPU binds at most");
  });

  test("an error that the GPU reports late makes the next readback throw", async () => {
    const gpu = await openGpu();
    const recorder = new Recorder(gpu);
    const block = new BufferPool(recorder, Infinity).take(256);
    recorder.copy(block.buffer, 0, block.buffer, 1, 4);
    recorder.submit();
    await expect(recorder.settle(Promise.resolve(undefined))).rejects.toThrow(WebGpuError);
    expect(() => recorder.check()).toThrow("the GPU refused a command");
    recorder.destroy();
  });

  test("a lost device says so, also to who waits for it", async () => {
    const gpu = await openGpu();
    const recorder = new Recorder(gpu);
    gpu.destroy();
    await gpu.lost;
    expect(() => recorder.check()).toThrow(DeviceLostError);
    await expect(recorder.settle(Promise.resolve(undefined))).rejects.toThrow("create a new one");
  });

  test("a GPU that computes wrongly is refused", async () => {
    const sources = await readKernels();
    const product = sources.product.replace("var value = p.scale * sums[j]", "var value = 1.001 * p.scale * sums[j]");
    expect(product).not.toBe(sources.product);
    const opening = createDevice(await findAdapter(), { ...sources, product }, {});
    await expect(opening).rejects.toThrow(WebGpuUnavailableError);
    await expect(opening).rejects.toThrow(/self-test.*linear and rope\[/);
  });
});

test("without a driver there is one clear error", async () => {
  vi.stubEnv("VK_ICD_FILENAMES", "/nonexistent.json");
  try {
    await expect(createWebGpuDevice()).rejects.toThrow(WebGpuUnavailableError);
  } finally {
    vi.unstubAllEnvs();
  }
});
