import type { Worker } from "node:worker_threads";
import { afterEach, describe, expect, test } from "vitest";
import { createReferenceDevice } from "../index.ts";
import { type Device, DeviceLostError, OutOfMemoryError, ShapeError } from "../kernels.ts";
import { Random } from "../random.ts";
import { FreedTensorError } from "../tensor.ts";
import { Heap } from "./heap.ts";
import { createWasmDevice } from "./node.ts";

const MiB = 1 << 20;
let device: Device | null = null;
afterEach(() => {
  device?.destroy();
  device = null;
});

describe.each(["reference", "wasm"])("tensors of the %s device", (name) => {
  const open = async () => (device = name === "wasm" ? await createWasmDevice({ threads: 1, maxBytes: 32 * MiB }) : createReferenceDevice());

  test("begin with zeros, keep what is written, count as live until freed", async () => {
    const d = await open();
    expect(d.liveBytes).toBe(0);
    const t = d.alloc([3, 4]), half = d.upload(Uint16Array.of(1, 2, 3), [3]), ids = d.upload(Int32Array.of(5, -6), [2]);
    expect(d.liveBytes).toBe(48 + 6 + 8);
    expect(await d.read(t)).toEqual(new Float32Array(12));
    d.write(t, Float32Array.of(1, 2), 4);
    const view = d.view(t, [2, 2], 4);
    expect(d.liveBytes).toBe(48 + 6 + 8);
    expect(await d.read(view)).toEqual(Float32Array.of(1, 2, 0, 0));
    d.fill(view, 7);
    expect(await d.read(t, 3, 3)).toEqual(Float32Array.of(0, 7, 7));
    expect(await d.read(half)).toEqual(Uint16Array.of(1, 2, 3));
    expect(await d.read(ids, 1)).toEqual(Int32Array.of(-6));
    view.free();
    for (const each of [t, half, ids]) each.free();
    expect(d.liveBytes).toBe(0);
  });

  test("cannot be used or freed after they were freed, nor their views", async () => {
    const d = await open();
    const t = d.alloc([4]), view = d.view(t, [2]), other = d.alloc([4]);
    t.free();
    expect([t.freed, view.freed]).toEqual([true, true]);
    expect(() => t.free()).toThrow(FreedTensorError);
    expect(() => d.add(t, other)).toThrow("was used after it, or the tensor it views, was freed");
    expect(() => d.fill(view, 1)).toThrow(FreedTensorError);
    await expect(d.read(t)).rejects.toThrow(FreedTensorError);
  });

  test("belong to one device", async () => {
    const d = await open();
    const foreign = createReferenceDevice().alloc([2]);
    expect(() => d.add(foreign, d.alloc([2]))).toThrow("belongs to another device");
  });

  test("must have the shapes, types and indices that an operation needs", async () => {
    const d = await open();
    const x = d.alloc([2, 3]), w = d.alloc([4, 3]), y = d.alloc([2, 5]), ids = d.upload(Int32Array.of(0, 4), [2]);
    expect(() => d.alloc([2, 0])).toThrow(ShapeError);
    expect(() => d.upload(new Float32Array(3), [2])).toThrow(ShapeError);
    expect(() => d.linear(x, w, y)).toThrow("linear: y is [2, 5] f32, expected [2, 4] f32");
    expect(() => d.linear(x, ids, y)).toThrow("linear: w is [2] i32, expected [any, any] f32 or f16");
    expect(() => d.write(x, Int32Array.of(1))).toThrow("write: Int32Array does not fit tensor [2, 3] f32");
    expect(() => d.view(x, [4], 3)).toThrow("view: elements 3..7 lie outside tensor [2, 3] f32");
    expect(() => d.embedding(ids, w, d.alloc([2, 3]))).toThrow("embedding: ids[1] is 4, expected 0 to 3");
    const q = d.alloc([2, 3, 4]), kv = d.alloc([2, 2, 4]), lse = d.alloc([2, 3]);
    const sequences = { offsets: d.upload(Int32Array.of(0, 2), [2]), maxLength: 1 };
    expect(() => d.attention(q, kv, kv, sequences, q, lse)).toThrow("attention: 3 query heads are no multiple of 2 key/value heads");
    expect(() => d.attention(kv, kv, kv, sequences, kv, d.alloc([2, 2]))).toThrow("attention: sequence 0 has 2 rows, expected 0 to 1 (maxLength)");
    const rows = { sequence: d.alloc([2], "i32"), position: d.upload(Int32Array.of(0, 5), [2]), pages: d.upload(Int32Array.of(1, 9), [1, 2]), pageSize: 3, maxContext: 6 };
    const cache = d.alloc([4, 3, 2, 4]);
    expect(() => d.cacheWrite(kv, kv, cache, cache, rows)).toThrow("cacheWrite: row 1 needs block 1 of sequence 0, whose page is 9, expected 0 to 3");
  });
});

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

test.each(["reference", "wasm"])("a %s device that was destroyed says so", async (name) => {
  const gone = name === "wasm" ? await createWasmDevice({ threads: 2 }) : createReferenceDevice();
  const t = gone.alloc([4]);
  gone.destroy();
  expect(gone.liveBytes).toBe(0);
  expect(t.freed).toBe(true);
  expect(() => gone.alloc([4])).toThrow(DeviceLostError);
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
