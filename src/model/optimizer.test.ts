import { expect, test } from "vitest";
import { createReferenceDevice, type Device, Random } from "../compute/index.ts";
import { AdamW, type AdamWSettings, NonFiniteGradientError } from "./optimizer.ts";
import { ParameterSet } from "./parameters.ts";
import { WeightsError } from "./weights/safetensors.ts";

const SETTINGS: AdamWSettings = { beta1: 0.9, beta2: 0.98, eps: 1e-8, weightDecay: 0.1, clipNorm: 1, decay: "all" };

function randomSet(device: Device, seed: number): ParameterSet {
  const random = Random.stream(seed);
  return new ParameterSet(device, ([["w", [3, 4]], ["b.bias", [5]], ["a", [2, 2]]] as [string, number[]][]).map(([name, shape]) => {
    return [name, device.upload(Float32Array.from({ length: shape.reduce((a, b) => a * b) }, () => random.normal()), shape)] as const;
  }));
}

test("the first step follows the formula, clipped by the global norm", async () => {
  const device = createReferenceDevice();
  const parameters = randomSet(device, 1);
  const gradients = randomSet(device, 2);
  const before = await parameters.read();
  const g = await gradients.read();
  const optimizer = new AdamW(parameters, { ...SETTINGS, decay: "matrices" });
  const { gradNorm } = await optimizer.step(gradients, 0.01);
  const norm = Math.sqrt([...g.values()].reduce((sum, { data }) => sum + data.reduce((s, x) => s + x * x, 0), 0));
  expect(gradNorm).toBeCloseTo(norm, 5);
  for (const [name, { data }] of await parameters.read()) {
    data.forEach((x, i) => {
      const clipped = g.get(name)!.data[i] / (norm + 1e-6);
      const decay = name === "b.bias" ? 0 : 0.01 * 0.1;
      expect(x).toBeCloseTo(before.get(name)!.data[i] * (1 - decay) - (0.01 * clipped) / (Math.abs(clipped) + 1e-8), 5);
    });
  }
});

test("a resumed run takes the same steps, bit for bit", async () => {
  const device = createReferenceDevice();
  const steps = async (optimizer: AdamW, from: number, to: number) => {
    for (let step = from; step < to; step++) {
      const gradients = randomSet(device, 10 + step);
      await optimizer.step(gradients, 0.01);
      gradients.dispose();
    }
  };
  const whole = new AdamW(randomSet(device, 1), SETTINGS);
  await steps(whole, 0, 2);
  const saved = { parameters: await whole.parameters.read(), m: await whole.m.read(), v: await whole.v.read(), steps: whole.steps };
  // What is saved is f32: the reference device, which holds f64, must continue from that too.
  for (const [set, values] of [[whole.parameters, saved.parameters], [whole.m, saved.m], [whole.v, saved.v]] as const) set.write(values);
  await steps(whole, 2, 4);

  const resumed = new AdamW(randomSet(device, 99), SETTINGS);
  resumed.parameters.write(saved.parameters);
  resumed.m.write(saved.m);
  resumed.v.write(saved.v);
  resumed.steps = saved.steps;
  await steps(resumed, 2, 4);
  expect(await resumed.parameters.read()).toEqual(await whole.parameters.read());
  expect(await resumed.m.hash()).toBe(await whole.m.hash());
  expect(await resumed.v.hash()).toBe(await whole.v.hash());
});

test("a gradient that is no number takes no step", async () => {
  const device = createReferenceDevice();
  const parameters = randomSet(device, 1);
  const optimizer = new AdamW(parameters, SETTINGS);
  const before = await parameters.hash();
  const gradients = parameters.zeros();
  device.write(gradients.get("w"), Float32Array.of(NaN), 3);
  await expect(optimizer.step(gradients, 0.01)).rejects.toThrow(NonFiniteGradientError);
  expect(await parameters.hash()).toBe(before);
  expect(optimizer.steps).toBe(0);
});

test("memory comes back", () => {
  const device = createReferenceDevice();
  const parameters = randomSet(device, 1);
  const start = device.liveBytes;
  new AdamW(parameters, SETTINGS).dispose();
  expect(device.liveBytes).toBe(start);
});

test("a set's order and hash do not depend on how it was built", async () => {
  const device = createReferenceDevice();
  const set = randomSet(device, 1);
  const reversed = new ParameterSet(device, set.names.toReversed().map((name) => [name, set.get(name)] as const));
  expect(set.names).toEqual(["a", "b.bias", "w"]);
  expect(reversed.names).toEqual(set.names);
  expect(set.size).toBe(21);
  expect(await reversed.hash()).toBe(await set.hash());
  expect(await set.hash("salt")).not.toBe(await set.hash());
});

test("writing other names or shapes is refused and changes nothing", async () => {
  const device = createReferenceDevice();
  const set = randomSet(device, 1);
  const hash = await set.hash();
  const values = await randomSet(device, 2).read();
  const refuse = (change: (values: Awaited<ReturnType<ParameterSet["read"]>>) => void, message: string) => {
    const changed = new Map(values);
    change(changed);
    expect(() => set.write(changed)).toThrow(WeightsError);
    expect(() => set.write(changed)).toThrow(message);
  };
  refuse((v) => v.delete("w"), "parameter w is missing");
  refuse((v) => v.set("x", v.get("w")!), "unknown parameter x");
  refuse((v) => v.set("w", { shape: [4, 3], data: new Float32Array(12) }), "parameter w has shape [4,3], expected [3,4]");
  expect(await set.hash()).toBe(hash);
  set.write(values);
  expect(await set.read()).toEqual(values);
  expect(() => set.get("x")).toThrow("there is no parameter x");
});
