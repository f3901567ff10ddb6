/** A handful of operations on a new GPU against the reference device: drivers that compile a kernel wrongly exist. */
import type { Device, Tensor } from "../kernels.ts";
import { Random } from "../random.ts";
import { createReferenceDevice } from "../reference/device.ts";

/** Error allowed, relative to the largest magnitude of the output. */
const TOLERANCE = 1e-4;

/** Throws an `Error` that names the first operation that is wrong. */
export async function selfTest(device: Device): Promise<void> {
  const reference = createReferenceDevice();
  try {
    const [actual, expected] = await Promise.all([results(device), results(reference)]);
    for (const [name, values] of expected) {
      const found = actual.get(name)!;
      let largest = 0.1;
      for (const x of values) largest = Math.max(largest, Math.abs(x));
      // Written so that a NaN is wrong, too.
      const wrong = values.findIndex((x, i) => !(Math.abs(found[i] - x) <= TOLERANCE * largest));
      if (wrong >= 0) throw new Error(`${name}[${wrong}] is ${found[wrong]}, expected ${values[wrong]}`);
    }
  } finally {
    reference.destroy();
  }
}

/** Products of both weight types, norm, rotation, attention with its gradient, and the head, on small shapes with odd tails. */
async function results(device: Device): Promise<Map<string, Float32Array>> {
  const random = Random.stream("self-test");
  const made: Tensor[] = [];
  const keep = (t: Tensor): Tensor => (made.push(t), t);
  const floats = (...shape: number[]) => keep(device.upload(Float32Array.from({ length: shape.reduce((a, b) => a * b) }, () => random.normal()), shape));
  const ints = (...values: number[]) => keep(device.upload(Int32Array.from(values), [values.length]));
  const out = (...shape: number[]) => keep(device.alloc(shape));
  const [N, H, G, E, D, V] = [7, 2, 1, 6, 12, 300];

  const x = floats(N, D), w = floats(D, D), h = out(N, D), product = out(N, D), halfProduct = out(N, 5);
  const half = keep(device.upload(Uint16Array.from({ length: 5 * D }, () => (random.int(0, 1) << 15) | random.int(0, 0x40ff)), [5, D]));
  device.rmsNorm(x, floats(D), h, 1e-6);
  device.linear(h, w, product);
  device.linear(h, half, halfProduct);
  const q = keep(device.view(product, [N, H, E])), k = floats(N, G, E), v = floats(N, G, E);
  device.rope(q, ints(0, 1, 2, 3, 30_000, 5, 6), floats(E / 2));
  const y = out(N, H, E), lse = out(N, H), dq = out(N, H, E), dk = out(N, G, E), dv = out(N, G, E), dy = floats(N, H, E);
  const sequences = { offsets: ints(0, 3, N), maxLength: 4 };
  device.attention(q, k, v, sequences, y, lse);
  device.attentionBackward(q, k, v, y, lse, dy, sequences, dq, dk, dv);
  const table = floats(V, D), targets = ints(0, 299, 5, 256, 255, 17, 1), logprob = out(N), entropy = out(N), logZ = out(N), dh = out(N, D);
  device.targetLogprobs(h, table, targets, logprob, entropy, logZ);
  device.targetLogprobsBackward(h, table, targets, logZ, floats(N), dh, null);

  const outputs = { "rmsNorm": h, "linear and rope": product, "linear with f16 weights": halfProduct, attention: y, dq, dk, dv, logprob, entropy, dh };
  const read = await Promise.all(Object.entries(outputs).map(async ([name, t]) => [name, (await device.read(t)) as Float32Array] as const));
  for (const t of made) t.free();
  return new Map(read);
}
