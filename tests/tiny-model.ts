/** A model folder as small as can be: random weights, a tokenizer trained on a few lines, the embedded model's chat template. */
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createReferenceDevice, Random } from "../src/compute/index.ts";
import { Decoder, parseConfig, trainBpe, writeSafetensors } from "../src/model/index.ts";
import { readFile } from "node:fs/promises";

const TADPOLE = fileURLToPath(new URL("../models/tadpole", import.meta.url));
const VOCABULARY = 320;

export const TINY_CONFIG = {
  architectures: ["Qwen3ForCausalLM"], model_type: "qwen3", vocab_size: VOCABULARY, hidden_size: 16, intermediate_size: 24, num_hidden_layers: 1,
  num_attention_heads: 2, num_key_value_heads: 1, head_dim: 8, rms_norm_eps: 1e-6, rope_theta: 10000, max_position_embeddings: 1024, tie_word_embeddings: true,
};

export async function writeTinyModel(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  const tokenizerConfig = JSON.parse(await readFile(join(TADPOLE, "tokenizer_config.json"), "utf8")) as { additional_special_tokens: string[] };
  const tokenizer = trainBpe(["function add(a, b) { return a + b; }\n"], { vocabSize: VOCABULARY, specialTokens: tokenizerConfig.additional_special_tokens });
  const device = createReferenceDevice();
  const decoder = Decoder.initialise(device, parseConfig(JSON.stringify(TINY_CONFIG)), Random.stream("tiny model"));
  await writeFile(join(dir, "config.json"), JSON.stringify(TINY_CONFIG));
  await writeFile(join(dir, "model.safetensors"), writeSafetensors(await decoder.parameters.read(), "F16"));
  await writeFile(join(dir, "tokenizer.json"), JSON.stringify(tokenizer));
  for (const file of ["tokenizer_config.json", "chat_template.jinja"]) await copyFile(join(TADPOLE, file), join(dir, file));
  device.destroy();
}
