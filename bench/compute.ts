/**
 * GFLOP/s of each kernel, and its share of the device's measured peak (a register-only multiply-add loop), at 512³ and
 * at the embedded model's shapes. Alone: `npx tsx bench/compute.ts [device]`.
 */
import { pathToFileURL } from "node:url";
import { type CommandContext, CommandError, type Outcome } from "../src/cli/command.ts";
import { openDevice } from "../src/cli/device.ts";
import { type Device, Random, type Tensor } from "../src/compute/index.ts";
import { WasmDevice } from "../src/compute/wasm/device.ts";
import { createNodeDevice } from "../src/compute/wasm/node.ts";

const REPEATS = 21;
/** A measurement repeats its operation for about this many milliseconds: less than a scheduler's slice. */
const SAMPLE_MS = 4;
const WARM_UP_MS = 50;

interface Measure {
  kernel: string;
  shape: string;
  /** GFLOP/s: median, slowest and fastest of the repeats. */
  median: number;
  min: number;
  max: number;
  /** Of the measured peak, where the device has one. */
  share: number | null;
}

interface ComputeSpeed {
  description: string;
  /** GFLOP/s of the multiply-add loop on all threads, the fastest of the repeats. */
  peak: number | null;
  measures: Measure[];
}

/** Runs the register-only loop for about SAMPLE_MS and returns GFLOP/s; null where the device has no such loop. */
function measurePeak(device: Device): number | null {
  if (!(device instanceof WasmDevice)) return null;
  const units = 16 * device.threads, iterations = 2500;
  const start = performance.now();
  let rounds = 0;
  for (; performance.now() - start < SAMPLE_MS; rounds++) device.peak(units, iterations);
  return (rounds * units * iterations * 96) / (performance.now() - start) / 1e6;
}

/**
 * Times `run`, of `flop` operations. Each repeat is set against a peak measured just before, for machines with other work
 * to do. `wait` waits for the device; on a GPU a readback is slow, so that a sample there takes more runs.
 */
async function measure(device: Device, kernel: string, shape: string, flop: number, run: () => void, wait: () => Promise<unknown>): Promise<Measure> {
  const [sampleMs, repeats] = device.name === "webgpu" ? [100, 7] : [SAMPLE_MS, REPEATS];
  const timed = async (count: number) => {
    const start = performance.now();
    for (let i = 0; i < count; i++) run();
    await wait();
    return performance.now() - start;
  };
  // Until the engine has optimised the code and the time is known.
  let estimate = await timed(1);
  for (let spent = estimate; spent < WARM_UP_MS; spent += estimate) estimate = Math.max(0.001, Math.min(estimate, await timed(1)));
  const count = Math.max(1, Math.round(sampleMs / estimate));
  const shares: number[] = [];
  const speeds: number[] = [];
  for (let n = 0; n < repeats; n++) {
    const peak = measurePeak(device);
    const speed = (flop * count) / (await timed(count)) / 1e6;
    if (peak) shares.push(speed / peak);
    speeds.push(speed);
  }
  speeds.sort((x, y) => x - y);
  const share = shares.length > 0 ? shares.toSorted((x, y) => x - y)[repeats >> 1] : null;
  return { kernel, shape, median: speeds[repeats >> 1], min: speeds[0], max: speeds[repeats - 1], share };
}

/** Measures every kernel family on a device. */
async function benchCompute(device: Device): Promise<ComputeSpeed> {
  const measures: Measure[] = [];
  const random = Random.stream("bench compute");
  let made: Tensor[] = [];
  const keep = (t: Tensor) => (made.push(t), t);
  const tensor = (...shape: number[]) =>
    keep(device.upload(Float32Array.from({ length: shape.reduce((a, b) => a * b) }, () => random.normal() * 0.1), shape));
  const one = device.alloc([1]);
  const wait = () => device.read(one);
  const time = async (kernel: string, shape: string, flop: number, run: () => void) => void measures.push(await measure(device, kernel, shape, flop, run, wait));
  const done = () => {
    for (const t of made) t.free();
    made = [];
  };

  // N rows, K inputs, M outputs: a square, the embedded model's layers, its LoRA factors, and decoding.
  const linear = [[512, 512, 512], [4096, 128, 128], [4096, 128, 384], [4096, 384, 128], [4096, 128, 8], [4096, 8, 128], [64, 128, 384], [8, 128, 384], [1, 128, 384]];
  for (const [N, K, M] of linear) {
    const x = tensor(N, K), w = tensor(M, K), y = tensor(N, M), dy = tensor(N, M), dx = tensor(N, K), dw = tensor(M, K);
    const shape = `${N} x ${K} x ${M}`;
    const flop = 2 * N * K * M;
    await time("linear", shape, flop, () => device.linear(x, w, y));
    await time("linear dx", shape, flop, () => device.linearBackwardInput(dy, w, dx));
    await time("linear dW", shape, flop, () => device.linearBackwardWeight(dy, x, dw));
    done();
  }

  for (const [G, label] of [[4, "8 x 512, 4 heads x 32"], [2, "8 x 512, 4 heads x 32, 2 kv"]] as const) {
    const length = 512, S = 8, N = S * length, H = 4, E = 32;
    const offsets = keep(device.upload(Int32Array.from({ length: S + 1 }, (_, s) => s * length), [S + 1]));
    const sequences = { offsets, maxLength: length };
    const q = tensor(N, H, E), k = tensor(N, G, E), v = tensor(N, G, E), y = tensor(N, H, E), lse = tensor(N, H), dy = tensor(N, H, E);
    const dq = tensor(N, H, E), dk = tensor(N, G, E), dv = tensor(N, G, E);
    const pairs = (S * length * (length + 1)) / 2;
    await time("attention", label, 4 * pairs * H * E, () => device.attention(q, k, v, sequences, y, lse));
    await time("attention backward", label, 10 * pairs * H * E, () => device.attentionBackward(q, k, v, y, lse, dy, sequences, dq, dk, dv));
    done();
  }

  for (const [N, context] of [[64, 512], [1, 512]]) {
    const H = 4, G = 2, E = 32, pageSize = 16, maxPages = context / pageSize;
    const ints = (values: number[], ...shape: number[]) => keep(device.upload(Int32Array.from(values), shape));
    const rows = {
      sequence: ints(Array.from({ length: N }, (_, n) => n), N),
      position: ints(Array.from({ length: N }, () => context - 1), N),
      pages: ints(Array.from({ length: N * maxPages }, (_, i) => i), N, maxPages),
      pageSize,
      maxContext: context,
    };
    const q = tensor(N, H, E), kCache = tensor(N * maxPages, pageSize, G, E), vCache = tensor(N * maxPages, pageSize, G, E), y = tensor(N, H, E);
    await time("attention cached", `${N} rows, context ${context}`, 4 * N * context * H * E, () => device.attentionCached(q, kCache, vCache, rows, y));
    done();
  }

  {
    const N = 4096, D = 128, V = 1024;
    const h = tensor(N, D), w = tensor(V, D), weight = tensor(N), logprob = tensor(N), entropy = tensor(N), logZ = tensor(N), dh = tensor(N, D), dw = tensor(V, D);
    const targets = keep(device.upload(Int32Array.from({ length: N }, () => random.int(0, V - 1)), [N]));
    const shape = `${N} x ${D} x ${V}`;
    await time("head", shape, 2 * N * D * V, () => device.targetLogprobs(h, w, targets, logprob, entropy, logZ));
    await time("head dh", shape, 4 * N * D * V, () => device.targetLogprobsBackward(h, w, targets, logZ, weight, dh, null));
    await time("head dh, dW", shape, 6 * N * D * V, () => device.targetLogprobsBackward(h, w, targets, logZ, weight, dh, dw));
    done();
  }

  // Operations bound by memory: flop as written in the formula, an exponential counted as one.
  {
    const N = 4096, D = 128, F = 384, P = 1 << 20;
    const x = tensor(N, D), w = tensor(D), y = tensor(N, D), dx = tensor(N, D), dw = tensor(D);
    await time("rmsNorm", `${N} x ${D}`, 4 * N * D, () => device.rmsNorm(x, w, y, 1e-6));
    await time("rmsNorm backward", `${N} x ${D}`, 11 * N * D, () => device.rmsNormBackward(x, w, y, dx, dw, 1e-6));
    const gate = tensor(N, F), up = tensor(N, F), out = tensor(N, F);
    await time("swiglu", `${N} x ${F}`, 5 * N * F, () => device.swiglu(gate, up, out));
    const heads = tensor(N, 4, 32), positions = keep(device.upload(Int32Array.from({ length: N }, (_, i) => i % 512), [N])), invFreq = tensor(16);
    await time("rope", `${N} x 4 x 32`, 6 * N * 4 * 16, () => device.rope(heads, positions, invFreq));
    const param = tensor(P), grad = tensor(P), m = tensor(P), v = keep(device.alloc([P]));
    await time("adamw", `${P}`, 14 * P, () => device.adamw(param, grad, m, v, { lr: 1e-3, beta1: 0.9, beta2: 0.98, eps: 1e-8, weightDecay: 0.1, step: 1 }));
    done();
  }
  const peak = Array.from({ length: REPEATS }, () => measurePeak(device)).reduce((a, b) => a && b && Math.max(a, b));
  return { description: device.description, peak, measures };
}

export async function bench({ print }: Pick<CommandContext, "print">, options: { device: string }): Promise<Outcome> {
  if (options.device === "reference") throw new CommandError("the reference device is not made for speed; choose wasm or webgpu");
  const device = await openDevice(options.device);
  // Beside all threads, one: that is what a kernel's quality shows in.
  const devices = device instanceof WasmDevice && device.threads > 1 ? [await createNodeDevice({ threads: 1 }), device] : [device];
  const results: ComputeSpeed[] = [];
  for (const each of devices) {
    print(`${each.name}: ${each.description}`);
    const speed = await benchCompute(each);
    for (const { kernel, shape, median, min, max, share } of speed.measures) {
      const percent = share === null ? "" : `, ${(100 * share).toFixed(0)} % of peak`;
      print(`${kernel.padEnd(20)} ${shape.padEnd(29)} ${median.toFixed(1).padStart(6)} GFLOP/s (${min.toFixed(1)} to ${max.toFixed(1)})${percent}`);
    }
    if (speed.peak) print(`${"multiply-add loop".padEnd(50)} ${speed.peak.toFixed(1).padStart(6)} GFLOP/s, the fastest of ${REPEATS}`);
    results.push(speed);
    each.destroy();
  }
  return { ok: true, result: { device: options.device, runs: results } };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await bench({ print: (line) => console.log(line) }, { device: process.argv[2] ?? "wasm" });
}
