/** The demo from end to end, cut short and with a tiny random model: what it leaves behind, and that an interrupted run comes out the same. */
import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { UpdateMetrics } from "../src/rl/index.ts";
import type { Summary } from "../src/cli/summary.ts";
import { writeTinyModel } from "./tiny-model.ts";

let dir: string;
let model: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "frogpond-demo-"));
  model = join(dir, "model");
  await writeTinyModel(model);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** Runs the quick demo; when `interruptAt` appears in its output, it gets Ctrl-C, or nobody reads it any more. */
function demo(out: string, options: string[], interruptAt?: string, how: "SIGINT" | "closed" = "SIGINT"): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, ["--import", "tsx", "src/cli/main.ts", "demo", "--quick", "--model", model, "--device", "reference", "--out", out, ...options]);
  let output = "";
  let interrupted = false;
  const read = (chunk: Buffer) => {
    output += String(chunk);
    if (interruptAt === undefined || interrupted || !output.includes(interruptAt)) return;
    interrupted = true;
    if (how === "SIGINT") child.kill("SIGINT");
    else child.stdout.destroy();
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  return new Promise((resolve) => child.on("close", (status) => resolve({ status, output })));
}

const json = async <T>(file: string) => JSON.parse(await readFile(file, "utf8")) as T;
const lines = async <T>(file: string) => (await readFile(file, "utf8")).trim().split("\n").map((line) => JSON.parse(line) as T);

it("leaves a whole record, and an interrupted run ends in the same one", { timeout: 240_000 }, async () => {
  const whole = join(dir, "whole");
  const first = await demo(whole, ["--seed", "3"]);
  expect(first.output).toContain("The model, not yet trained here, works on one task");
  expect(first.status).toBe(0);

  const summary = await json<Summary>(join(whole, "summary.json"));
  for (const split of ["adapt", "train", "heldout"] as const) {
    expect(summary.before[split]).toMatchObject({ n: summary.preset.evaluation[split].tasks, k: 2, pass1: 0, ci: [0, 0] });
    expect(summary.difference[split]).toMatchObject({ pass1: 0, ci: [0, 0] });
    expect(summary.after[split]!.perTask).toHaveLength(summary.preset.evaluation[split].tasks);
    expect(summary.after[split]!.greedy).not.toBeNull();
  }
  expect(summary.notes[0]).toContain("the interval includes 0");
  expect(summary.seed).toBe(3);
  const metrics = await lines<UpdateMetrics>(join(whole, "metrics.jsonl"));
  expect(metrics.map((m) => [m.update, m.rollouts.graded + m.rollouts.lost])).toEqual([[1, 8], [2, 8]]);
  expect(await readdir(join(whole, "adapter"))).toEqual(["adapter_config.json", "adapter_model.safetensors"]);
  expect(await readFile(join(whole, "report.html"), "utf8")).toContain("</html>");
  expect((await readdir(join(whole, "trajectories"))).filter((name) => name.startsWith("update-"))).toHaveLength(2);

  const again = await demo(whole, ["--resume"]);
  expect(again.status).toBe(1);
  expect(again.output).toMatch(/holds a finished run/);

  const parts = join(dir, "parts");
  const inEvaluation = await demo(parts, ["--seed", "3"], "before, adapted repository");
  expect(inEvaluation.status).toBe(130);
  expect(inEvaluation.output).toContain("--resume");
  const inTraining = await demo(parts, ["--resume"], "update 1/2");
  expect(inTraining.status).toBe(130);
  const unread = await demo(parts, ["--resume"], "training rollouts", "closed");
  expect(unread.status).toBe(130);
  expect(unread.output).not.toContain("Emitted 'error'");
  expect(await readdir(parts)).not.toContain("run.lock");
  expect((await demo(parts, ["--resume"])).status).toBe(0);
  const resumed = await json<Summary>(join(parts, "summary.json"));
  resumed.training.seconds = summary.training.seconds;
  expect(resumed).toEqual(summary);
  expect(await readFile(join(parts, "adapter", "adapter_model.safetensors"))).toEqual(await readFile(join(whole, "adapter", "adapter_model.safetensors")));
});
