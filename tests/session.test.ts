/** Bad model and adapter folders: each gives one clear error. */
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSession } from "../src/cli/session.ts";
import { TINY_CONFIG, writeTinyModel } from "./tiny-model.ts";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "frogpond-session-"));
  await writeTinyModel(join(dir, "good"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** A copy of the good folder with something wrong. */
async function broken(name: string, damage: (folder: string) => Promise<unknown>): Promise<string> {
  const folder = join(dir, name);
  await cp(join(dir, "good"), folder, { recursive: true });
  await damage(folder);
  return folder;
}
async function edit(file: string, from: string, to: string): Promise<void> {
  const text = await readFile(file, "utf8");
  expect(text).toContain(from);
  await writeFile(file, text.replace(from, to));
}
const open = (model: string, adapter?: string) => openSession({ device: "reference", model, adapter });

describe("openSession", () => {
  it("opens a good folder, and frees all that it took", async () => {
    const session = await open(join(dir, "good"));
    expect(session.modelName).toBe("good");
    expect(session.policy.contextLength).toBe(1024);
    expect(session.policy.identity.adapterHash).toBeNull();
    await session.close();
  });

  it.each([
    ["a missing folder", async () => join(dir, "nowhere"), /there is no model folder .*nowhere/],
    ["missing weights", () => broken("no-weights", (f) => rm(join(f, "model.safetensors"))), /model.safetensors is missing/],
    ["truncated weights", () => broken("short", (f) => truncate(join(f, "model.safetensors"), 5000)), /model.safetensors: truncated/],
    ["mis-shaped weights", () => broken("shape", (f) => writeFile(join(f, "config.json"), JSON.stringify({ ...TINY_CONFIG, intermediate_size: 28 }))), /tensor .*mlp.* has shape .* config.json asks for/],
    ["an unknown architecture", () => broken("arch", (f) => writeFile(join(f, "config.json"), JSON.stringify({ ...TINY_CONFIG, architectures: ["MambaForCausalLM"] }))), /unknown architecture "MambaForCausalLM"/],
    ["a tokenizer without a template", () => broken("template", async (f) => {
      await rm(join(f, "chat_template.jinja"));
      await edit(join(f, "tokenizer_config.json"), '"chat_template"', '"chat_template_of_old"');
    }), /no chat template/],
    ["a tokenizer of another model", () => broken("vocab", (f) => edit(join(f, "tokenizer.json"), '"id":285', '"id":4000')), /4001 tokens but the model only 320/],
  ])("says what is wrong with %s", async (_, folder, message) => {
    const path = await folder();
    const error: unknown = await open(path).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).toContain(path);
  });

  it("says when an adapter is for another model or not there", async () => {
    await expect(open(join(dir, "good"), join(dir, "nowhere"))).rejects.toThrow(/adapter_config.json is missing/);
    const adapter = join(dir, "adapter");
    await mkdir(adapter);
    for (const file of ["adapter_config.json", "adapter_model.safetensors"]) await copyFile(join("tests/golden/qwen3", file), join(adapter, file));
    await expect(open(join(dir, "good"), adapter)).rejects.toThrow(/adapter is for another model/);
  });

  it("opens the embedded model, which is small", async () => {
    const folder = "models/tadpole";
    const sizes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size));
    expect(sizes.reduce((a, b) => a + b)).toBeLessThan(5e6);
    const session = await open(folder);
    expect(session.decoder.config).toMatchObject({ architecture: "qwen3", contextLength: 1024 });
    expect(session.decoder.config.vocabSize).toBeLessThanOrEqual(2048);
    expect(session.decoder.parameters.size).toBeLessThanOrEqual(1.2e6);
    expect(session.policy.chat.callFormat).toBe("xml");
    await session.close();
  });

  it("says which devices there are", async () => {
    await expect(openSession({ device: "abacus", model: join(dir, "good") })).rejects.toThrow(/"abacus"/);
  });
});
