/** What every device promises of its tensors. */
import { afterEach, expect, test } from "vitest";
import { createReferenceDevice } from "../../src/compute/index.ts";
import { type Device, DeviceLostError, ShapeError } from "../../src/compute/kernels.ts";
import { FreedTensorError } from "../../src/compute/tensor.ts";

/** Declares the tests. `readable`: the host can read the device's memory, so bad indices are errors. */
export function testMemory(createDevice: () => Promise<Device>, readable: boolean): void {
  let device: Device | null = null;
  afterEach(() => {
    device?.destroy();
    device = null;
  });
  const open = async () => (device = await createDevice());

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

  test("must have the shapes and types that an operation needs", async () => {
    const d = await open();
    const x = d.alloc([2, 3]), w = d.alloc([4, 3]), y = d.alloc([2, 5]), ids = d.upload(Int32Array.of(0, 3), [2]);
    expect(() => d.alloc([2, 0])).toThrow(ShapeError);
    expect(() => d.upload(new Float32Array(3), [2])).toThrow(ShapeError);
    expect(() => d.linear(x, w, y)).toThrow("linear: y is [2, 5] f32, expected [2, 4] f32");
    expect(() => d.linear(x, ids, y)).toThrow("linear: w is [2] i32, expected [any, any] f32 or f16");
    expect(() => d.write(x, Int32Array.of(1))).toThrow("write: Int32Array does not fit tensor [2, 3] f32");
    expect(() => d.view(x, [4], 3)).toThrow("view: elements 3..7 lie outside tensor [2, 3] f32");
    const q = d.alloc([2, 3, 4]), kv = d.alloc([2, 2, 4]), lse = d.alloc([2, 3]);
    const sequences = { offsets: d.upload(Int32Array.of(0, 2), [2]), maxLength: 1 };
    expect(() => d.attention(q, kv, kv, sequences, q, lse)).toThrow("attention: 3 query heads are no multiple of 2 key/value heads");
  });

  test.skipIf(!readable)("must hold indices that exist", async () => {
    const d = await open();
    const w = d.alloc([4, 3]), ids = d.upload(Int32Array.of(0, 4), [2]), kv = d.alloc([2, 2, 4]);
    expect(() => d.embedding(ids, w, d.alloc([2, 3]))).toThrow("embedding: ids[1] is 4, expected 0 to 3");
    const sequences = { offsets: d.upload(Int32Array.of(0, 2), [2]), maxLength: 1 };
    expect(() => d.attention(kv, kv, kv, sequences, kv, d.alloc([2, 2]))).toThrow("attention: sequence 0 has 2 rows, expected 0 to 1 (maxLength)");
    const rows = { sequence: d.alloc([2], "i32"), position: d.upload(Int32Array.of(0, 5), [2]), pages: d.upload(Int32Array.of(1, 9), [1, 2]), pageSize: 3, maxContext: 6 };
    const cache = d.alloc([4, 3, 2, 4]);
    expect(() => d.cacheWrite(kv, kv, cache, cache, rows)).toThrow("cacheWrite: row 1 needs block 1 of sequence 0, whose page is 9, expected 0 to 3");
  });

  test("are gone with their device", async () => {
    const gone = await createDevice();
    const t = gone.alloc([4]);
    gone.destroy();
    expect(gone.liveBytes).toBe(0);
    expect(t.freed).toBe(true);
    expect(() => gone.alloc([4])).toThrow(DeviceLostError);
  });
}
