/** The golden fixtures, computed in float64 by another implementation, against every device that runs here. */
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runGolden, type GoldenActual } from "../../src/cli/golden.ts";
import { openDevice } from "../../src/cli/device.ts";
import { Safetensors } from "../../src/model/index.ts";
import { hasWebGpu } from "../compute/webgpu.ts";

/** ‖x − expected‖ / ‖expected‖ over all numbers. */
function relativeError(actual: ArrayLike<number>[], expected: ArrayLike<number>[]): number {
  let difference = 0;
  let norm = 0;
  expected.forEach((list, n) => {
    expect(actual[n].length).toBe(list.length);
    for (let i = 0; i < list.length; i++) {
      difference += (actual[n][i] - list[i]) ** 2;
      norm += list[i] ** 2;
    }
  });
  return Math.sqrt(difference / norm);
}

async function readTensors(path: string): Promise<Safetensors> {
  return Safetensors.parse(await readFile(path), path);
}

const devices = ["reference", "wasm", ...(hasWebGpu ? ["webgpu"] : [])];

describe.each(devices)("%s", { timeout: 300_000 }, (deviceName) => {
  test.each(["qwen2", "qwen3"])("%s", async (model) => {
    const dir = join(import.meta.dirname, model);
    const out = await mkdtemp(join(tmpdir(), "golden-"));
    const device = await openDevice(deviceName);
    try {
      const start = device.liveBytes;
      await runGolden(device, dir, out);
      expect(device.liveBytes).toBe(start);

      const expected = JSON.parse(await readFile(join(dir, "expected.json"), "utf8")) as GoldenActual;
      const actual = JSON.parse(await readFile(join(out, "actual.json"), "utf8")) as GoldenActual;
      const compareFile = async (file: string, expectedFile: string, limit: number) => {
        const [a, e] = [await readTensors(join(out, file)), await readTensors(join(dir, expectedFile))];
        expect(a.names.toSorted()).toEqual(e.names.toSorted());
        for (const name of e.names) {
          expect(a.shape(name)).toEqual(e.shape(name));
          expect(relativeError([a.float32(name)], [e.float32(name)]), `${file}: ${name}`).toBeLessThan(limit);
        }
      };
      await compareFile("logits.safetensors", "expected_logits.safetensors", 1e-4);
      await compareFile("lora_grads.safetensors", "expected_lora_grads.safetensors", 1e-3);
      await compareFile("lora_after_adamw.safetensors", "expected_lora_after_adamw.safetensors", 1e-4);
      for (const key of ["targetLogprobs", "entropy", "targetLogprobsAfterStep"] as const) {
        expect(relativeError([actual[key]], [expected[key]]), key).toBeLessThan(1e-4);
      }
      expect(Math.abs(actual.loss / expected.loss - 1)).toBeLessThan(1e-4);
      expect(Math.abs(actual.gradNorm / expected.gradNorm - 1)).toBeLessThan(1e-3);
    } finally {
      device.destroy();
      await rm(out, { recursive: true });
    }
  });
});

test.each<[string, string, (file: string) => Promise<void>]>([
  ["cannot read", "model.safetensors", (file) => rm(file)],
  ["model.safetensors: truncated", "model.safetensors", async (file) => writeFile(file, (await readFile(file)).subarray(0, 5000))],
  ["the safetensors header is not JSON", "adapter_model.safetensors", async (file) => writeFile(file, (await readFile(file)).fill(0, 8, 40))],
  ["config.json: unknown architecture \"GPT2LMHeadModel\"", "config.json", async (file) => writeFile(file, (await readFile(file, "utf8")).replace("Qwen2ForCausalLM", "GPT2LMHeadModel"))],
  ["has shape [320,64], config.json asks for [321,64]", "config.json", async (file) => writeFile(file, (await readFile(file, "utf8")).replace('"vocab_size": 320', '"vocab_size": 321'))],
  ["the adapter is for another model", "adapter_model.safetensors", (file) => cp(join(import.meta.dirname, "qwen3/model.safetensors"), file)],
  ["expected.json: mask must be a list of 32 numbers", "expected.json", async (file) => writeFile(file, (await readFile(file, "utf8")).replace('"mask": [0.0, ', '"mask": ['))],
])("a bad fixture gives one clear error: %s", async (message, file, spoil) => {
  const dir = await mkdtemp(join(tmpdir(), "golden-"));
  const device = await openDevice("reference");
  try {
    await cp(join(import.meta.dirname, "qwen2"), dir, { recursive: true });
    await spoil(join(dir, file));
    await expect(runGolden(device, dir, join(dir, "out"))).rejects.toThrow(message);
  } finally {
    device.destroy();
    await rm(dir, { recursive: true });
  }
});
