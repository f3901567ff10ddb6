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
  // Scaled down so that the softmax does not saturate: its gradient would be nothing but rounding.
  device.linear(x, w, q, { scale: 0.05 });
  device.attention(heads, heads, heads, { offsets, maxLength: N - 70 }, y, lse);
  device.targetLogprobs(device.view(y, [N, H * E]), head, targets, logprob, entropy, logZ);
  const dh = device.alloc([N, H * E]), dq = device.alloc([N, H, E]), dk = device.alloc([N, H, E]), dv = device.alloc([N, H, E]);
  device.targetLogprobsBackward(device.view(y, [N, H * E]), head, targets, logZ, logprob, dh, null);
  device.attentionBackward(heads, heads, heads, y, lse, device.view(dh, [N, H, E]), { offsets, maxLength: N - 70 }, dq, dk, dv);
  const values: number[] = [];
  for (const t of [logprob, entropy, dq, dk, dv]) values.push(...(await device.read(t)));
  return { description: device.description, values };
}
