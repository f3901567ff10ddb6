import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { createReferenceDevice, Random } from "../compute/index.ts";
import { AdapterError, LoraAdapter } from "./lora.ts";
import { peftName, readPeft, writePeft } from "./peft.ts";
import { parseConfig } from "./config.ts";
import { TEST_CONFIGS } from "./test-models.ts";
import { type HostTensor, Safetensors, WeightsError, writeSafetensors } from "./weights/safetensors.ts";

const config = TEST_CONFIGS.qwen3;

async function files() {
  const adapter = LoraAdapter.initialise(createReferenceDevice(), config, { rank: 2, alpha: 4 }, Random.stream("peft"));
  return writePeft(adapter, "tadpole");
}

function tensorsOf(weights: Uint8Array): Map<string, HostTensor> {
  const file = Safetensors.parse(weights, "x");
  return new Map(file.names.map((name) => [name, { shape: file.shape(name), data: file.float32(name) }]));
}

test("an adapter survives writing and reading", async () => {
  const device = createReferenceDevice();
  const adapter = LoraAdapter.initialise(device, config, { rank: 2, alpha: 4 }, Random.stream("peft"));
  const start = device.liveBytes;
  const again = readPeft(device, config, await writePeft(adapter, "tadpole"));
  expect(again.options).toEqual(adapter.options);
  expect(await again.hash()).toBe(await adapter.hash());
  expect(await again.parameters.read()).toEqual(await adapter.parameters.read());
  again.dispose();
  expect(device.liveBytes).toBe(start);
});

test("reads what PEFT's layout holds, and writes the same names", async () => {
  const dir = "tests/golden/qwen3";
  const weights = await readFile(`${dir}/adapter_model.safetensors`);
  const adapter = readPeft(createReferenceDevice(), parseConfig(await readFile(`${dir}/config.json`, "utf8")), { config: await readFile(`${dir}/adapter_config.json`, "utf8"), weights });
  expect(adapter.scale).toBe(2);
  expect(adapter.modules.length).toBe(21);
  const written = await writePeft(adapter, "qwen3");
  expect(tensorsOf(written.weights)).toEqual(tensorsOf(weights));
  expect(JSON.parse(written.config)).toMatchObject({ peft_type: "LORA", r: 4, lora_alpha: 8, target_modules: ["down_proj", "gate_proj", "k_proj", "o_proj", "q_proj", "up_proj", "v_proj"] });
});

test("adapters on some modules or layers only are read and written as they are", async () => {
  const { config: json, weights } = await files();
  const keep = (wanted: (name: string) => boolean, options: object) => {
    const tensors = [...tensorsOf(weights)].filter(([name]) => wanted(name));
    return readPeft(createReferenceDevice(), config, { config: JSON.stringify({ ...JSON.parse(json), ...options }), weights: writeSafetensors(tensors) });
  };
  const queries = keep((name) => /[qv]_proj/.test(name), { target_modules: ["q_proj", "v_proj"] });
  expect(queries.modules.length).toBe(4);
  expect(JSON.parse((await writePeft(queries, "x")).config).target_modules).toEqual(["q_proj", "v_proj"]);
  expect(keep((name) => name.includes("layers.1."), { layers_to_transform: [1] }).modules.length).toBe(7);
  expect(keep((name) => !name.includes("o_proj"), { exclude_modules: ["o_proj"] }).modules.length).toBe(12);
  expect(keep((name) => name.includes("mlp"), { target_modules: ".*mlp.*" }).modules.length).toBe(6);
});

describe("errors", () => {
  test.each<[string, object]>([
    ["peft_type \"IA3\" is not supported", { peft_type: "IA3" }],
    ["r must be a positive whole number", { r: 0 }],
    ["lora_alpha must be a positive number", { lora_alpha: null }],
    ["use_rslora = true is not supported", { use_rslora: true }],
    ["use_dora = true is not supported", { use_dora: true }],
    ["bias = \"all\" is not supported", { bias: "all" }],
    ["fan_in_fan_out = true is not supported", { fan_in_fan_out: true }],
    ["rank_pattern = {\"q_proj\":4} is not supported", { rank_pattern: { q_proj: 4 } }],
    ["modules_to_save = [\"lm_head\"] is not supported", { modules_to_save: ["lm_head"] }],
    ["has shape [2,20], expected [3,20]", { r: 3 }],
    ["target_modules must be a list of module names or one text, not [null,5]", { target_modules: [null, 5] }],
    ["target_modules must be a list of module names or one text, not []", { target_modules: [] }],
    ["_proj, which adapter_config.json does not target", { target_modules: ["q_proj"] }],
  ])("%s", async (message, options) => {
    const { config: json, weights } = await files();
    const device = createReferenceDevice();
    const read = () => readPeft(device, config, { config: JSON.stringify({ ...JSON.parse(json), ...options }), weights });
    expect(read).toThrow(AdapterError);
    expect(read).toThrow(message);
    expect(device.liveBytes).toBe(0);
  });

  test("neutral options are accepted", async () => {
    const { config: json, weights } = await files();
    const neutral = { rank_pattern: {}, alpha_pattern: {}, modules_to_save: null, lora_dropout: 0.1, layers_to_transform: null, eva_config: null };
    readPeft(createReferenceDevice(), config, { config: JSON.stringify({ ...JSON.parse(json), ...neutral }), weights });
  });

  const query = peftName("model.layers.0.self_attn.q_proj");
  test.each<[string, (tensors: Map<string, HostTensor>) => void]>([
    [`${query}.lora_B.weight is missing`, (t) => t.delete(`${query}.lora_B.weight`)],
    ["targets model.layers.0.self_attn.q_proj, but", (t) => (t.delete(`${query}.lora_A.weight`), t.delete(`${query}.lora_B.weight`))],
    ["holds base_model.model.lm_head.lora_A.weight, which has no place", (t) => t.set("base_model.model.lm_head.lora_A.weight", { shape: [1], data: new Float32Array(1) })],
    [`${query}.lora_A.weight has shape [2,21], expected [2,20]`, (t) => t.set(`${query}.lora_A.weight`, { shape: [2, 21], data: new Float32Array(42) })],
    ["holds no weights for it", (t) => t.clear()],
  ])("%s", async (message, change) => {
    const { config: json, weights } = await files();
    const tensors = tensorsOf(weights);
    change(tensors);
    const read = () => readPeft(createReferenceDevice(), config, { config: json, weights: writeSafetensors(tensors) });
    expect(read).toThrow(AdapterError);
    expect(read).toThrow(message);
  });

  test("files that are no adapter", async () => {
    const { config: json, weights } = await files();
    const device = createReferenceDevice();
    expect(() => readPeft(device, config, { config: "{", weights })).toThrow(AdapterError);
    expect(() => readPeft(device, config, { config: "[]", weights })).toThrow(AdapterError);
    expect(() => readPeft(device, config, { config: json, weights: weights.subarray(0, 50) })).toThrow(WeightsError);
    expect(() => readPeft(device, TEST_CONFIGS.llama, { config: json, weights })).toThrow("the adapter is for another model");
  });
});
