/** The golden fixtures, computed in float64 by another implementation, against every device that runs here. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runGolden, type GoldenActual } from "../../src/cli/golden.ts";
import { openDevice } from "../../src/cli/device.ts";
import { Safetensors } from "../../src/model/index.ts";

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

describe.each(["reference"])("%s", (deviceName) => {
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
