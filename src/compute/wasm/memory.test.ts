import type { Worker } from "node:worker_threads";
import { afterEach, describe, expect, test } from "vitest";
import { testMemory } from "../../../tests/compute/memory.ts";
import { createReferenceDevice } from "../index.ts";
import { type Device, DeviceLostError, OutOfMemoryError } from "../kernels.ts";
import { Random } from "../random.ts";
import { Heap } from "./heap.ts";
import { createWasmDevice } from "./node.ts";

const MiB = 1 << 20;
let device: Device | null = null;
afterEach(() => {
  device?.destroy();
  device = null;
});

describe("tensors of the reference device", () => testMemory(async () => createReferenceDevice(), true));
describe("tensors of the WASM device", () => testMemory(() => createWasmDevice({ threads: 2, maxBytes: 32 * MiB }), true));

test("the heap gives memory back whole, whatever the order", () => {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 64 });
  const heap = new Heap(memory, 4096, 64 * 65536);
  const random = Random.stream("heap");
  const held: { at: number; bytes: number }[] = [];
  for (let i = 0; i < 3000; i++) {
    if (held.length > 0 && random.uniform() < (i < 2000 ? 0.45 : 0.9)) {
      const { at, bytes } = held.splice(random.int(0, held.length - 1), 1)[0];
      expect(new Uint8Array(memory.buffer, at, bytes).every((b) => b === bytes % 251)).toBe(true);
      heap.release(at, bytes);
    } else {
      const bytes = random.int(1, 20_000);
      const at = heap.alloc(bytes);
      expect(at % 64).toBe(0);
      expect(new Uint8Array(memory.buffer, at, bytes).every((b) => b === 0)).toBe(true);
      for (const other of held) expect(at + bytes <= other.at || other.at + other.bytes <= at).toBe(true);
      new Uint8Array(memory.buffer, at, bytes).fill(bytes % 251);
      held.push({ at, bytes });
    }
  }
  for (const { at, bytes } of held) heap.release(at, bytes);
  const all = memory.buffer.byteLength - 4096 - 256;
  heap.release(heap.alloc(all), all);
});

test("more memory than the limit is one clear error, and the device goes on", async () => {
  device = await createWasmDevice({ threads: 1, maxBytes: 32 * MiB });
  const t = device.alloc([4 * MiB]);
  expect(() => device!.alloc([5 * MiB])).toThrow(OutOfMemoryError);
  expect(() => device!.alloc([5 * MiB])).toThrow("free tensors or use a smaller batch");
  expect(device.liveBytes).toBe(16 * MiB);
  t.free();
  device.alloc([6 * MiB]).free();
});

test("a device whose thread died says so instead of waiting for it", async () => {
  const started: Worker[] = [];
  const remember = (worker: Worker) => started.push(worker);
  process.on("worker", remember);
  device = await createWasmDevice({ threads: 2, shareFrom: 0 });
  process.off("worker", remember);
  const t = device.alloc([4]);
  device.add(t, t);
  await Promise.all(started.map((worker) => worker.terminate()));
  expect(() => device!.add(t, t)).toThrow(DeviceLostError);
});
