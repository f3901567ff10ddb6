/** The command line as others call it: exit status, the JSON line, one clear error. */
import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeTinyModel } from "./tiny-model.ts";

interface Output {
  status: number;
  stdout: string;
  stderr: string;
  /** The last line of stdout, if it is JSON. */
  json: Record<string, unknown> | null;
}

function frogpond(...args: string[]): Promise<Output> {
  return new Promise((resolve) => {
    execFile(process.execPath, ["--import", "tsx", "src/cli/main.ts", ...args], (error, stdout, stderr) => {
      const last = stdout.trimEnd().split("\n").at(-1)!;
      resolve({ status: error ? Number(error.code) : 0, stdout, stderr, json: last.startsWith("{") ? (JSON.parse(last) as Record<string, unknown>) : null });
    });
  });
}

let dir: string;
let model: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "frogpond-cli-"));
  model = join(dir, "model");
  await writeTinyModel(model);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

describe("help", () => {
  it("lists the commands, and the options of each", async () => {
    const { status, stdout } = await frogpond("--help");
    expect(status).toBe(0);
    for (const name of ["golden", "env", "tasks", "solve", "eval", "train", "demo", "study", "bench"]) expect(stdout).toContain(`  ${name}`);
    const demo = await frogpond("demo", "--help");
    expect(demo.status).toBe(0);
    for (const option of ["--seed", "--out", "--updates", "--quick", "--resume", "--force", "--json", "--device", "--model"]) expect(demo.stdout).toContain(option);
  });
});

describe("errors", () => {
  it.each([
    [["nonsense"], /unknown command 'nonsense'/],
    [["eval"], /required option '--split <name>'/],
    [["eval", "--split", "train", "--tasks", "many"], /'many' is invalid. It must be a whole number/],
    [["eval", "--split", "test"], /no split "test"; splits: adapt, train, heldout/],
    [["eval", "--split", "train", "--model", "nowhere"], /there is no model folder nowhere/],
    [["solve"], /say what to solve/],
    [["solve", "--temperature", "hot"], /'hot' is invalid. It must be a number, 0 \(greedy\) or more/],
    [["solve", "--env", "environments/textlayout", "--statement", "  "], /the statement is empty/],
    [["solve", "--task", "tasks.jsonl"], /--task takes FILE#ID/],
    [["solve", "--task", "nowhere.jsonl#ab"], /there is no task file nowhere.jsonl/],
    [["train", "--preset", "hasty", "--out", "runs/x"], /no preset "hasty"; presets: demo, quick, study/],
  ])("%j is one line and a failure", async (args, message) => {
    const { status, stdout, stderr, json } = await frogpond(...args, "--json");
    expect(status).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(stdout.trim().split("\n")).toHaveLength(1);
    expect(json!.error).toMatch(message);
  });

  it("shows the stack when asked", async () => {
    expect((await frogpond("solve", "--debug")).stderr).toMatch(/\n\s+at /);
  });

  it("refuses a device that does not exist here", async () => {
    const { status, stderr } = await frogpond("eval", "--split", "train", "--model", model, "--device", "abacus");
    expect([status, stderr.trim().split("\n").length]).toEqual([1, 1]);
    expect(stderr).toMatch(/abacus/);
  });

  it("names the line of a task file that is not a task, and the ids of one that lacks the id", async () => {
    const file = join(dir, "bad.jsonl");
    await writeFile(file, '{"id":"abc"}\n');
    expect((await frogpond("solve", "--task", `${file}#ab`, "--model", model)).stderr).toMatch(/bad.jsonl, line 1: not a task/);
    await writeFile(file, "");
    expect((await frogpond("solve", "--task", `${file}#ab`, "--model", model)).stderr).toMatch(/has no task ab/);
  });

  it("does not run over a folder that is not a run", async () => {
    const out = join(dir, "precious");
    await rm(out, { recursive: true, force: true });
    await writeTinyModel(out);
    expect((await frogpond("demo", "--quick", "--model", model, "--device", "reference", "--out", out)).stderr).toMatch(/holds other files/);
    expect((await frogpond("demo", "--quick", "--model", model, "--device", "reference", "--out", join(dir, "none"), "--resume")).stderr).toMatch(/no run to resume/);
  });
});

it("an interrupted evaluation goes on where it stopped", { timeout: 120_000 }, async () => {
  const args = ["eval", "--split", "train", "--tasks", "3", "--k", "200", "--seed", "3", "--model", model, "--json"];
  const child = spawn(process.execPath, ["--import", "tsx", "src/cli/main.ts", ...args]);
  let output = "";
  child.stderr.on("data", (chunk: Buffer) => {
    output += String(chunk);
    if (output.includes("attempts 0/")) setTimeout(() => child.kill("SIGINT"), 1000);
  });
  const status = await new Promise((resolve) => child.on("close", resolve));
  expect([status, output]).toEqual([130, expect.stringContaining("give the same command again to go on")]);
  const kept = /in (runs\/eval\/\w+\.jsonl)/.exec(output)![1];
  expect((await readFile(kept, "utf8")).trim().split("\n").length).toBeGreaterThan(0);
  const resumed = await frogpond(...args);
  await expect(readFile(kept)).rejects.toThrow(/ENOENT/);
  expect(resumed.json).toMatchObject({ n: 3, k: 200 });
  expect((await frogpond(...args)).json).toEqual(resumed.json);
});
