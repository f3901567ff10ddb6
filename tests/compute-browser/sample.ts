/** A computation that uses products, attention and exponentials, large enough to be shared among threads. */
import { type Device, Random } from "../../src/compute/index.ts";

export async function computeSample(device: Device): Promise<{ description: string; values: number[] }> {
  const [N, H, E, V] = [192, 4, 32, 500];
  const random = Random.stream("compute in a browser");
  const tensor = (...shape: number[]) => device.upload(Float32Array.from({ length: shape.reduce((a, b) => a * b) }, () => random.normal()), shape);
  const x = tensor(N, H * E), w = tensor(H * E, H * E), q = device.alloc([N, H * E]), y = device.alloc([N, H, E]), lse = device.alloc([N, H]);
  const heads = device.view(q, [N, H, E]);
  const offsets = device.upload(Int32Array.of(0, 70, N), [3]);
  const targets = device.upload(Int32Array.from({ length: N }, () => random.int(0, V - 1)), [N]);
  const head = tensor(V, H * E), logprob = device.alloc([N]), entropy = device.alloc([N]), logZ = device.alloc([N]);
  device.linear(x, w, q);
  device.attention(heads, heads, heads, { offsets, maxLength: N - 70 }, y, lse);
  device.targetLogprobs(device.view(y, [N, H * E]), head, targets, logprob, entropy, logZ);
  const values = [...(await device.read(logprob)), ...(await device.read(entropy))];
  return { description: device.description, values };
}
