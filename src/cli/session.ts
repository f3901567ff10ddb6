/** What the commands that run a model share: device, model folder, adapter, sandboxes and policy, opened and closed together. */
import { access, readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { CAPS, type Caps } from "../agent/index.ts";
import type { Device } from "../compute/index.ts";
import { createChatFormat, Decoder, type LoraAdapter, type ModelConfig, parseConfig, readPeft, Safetensors, Tokenizer } from "../model/index.ts";
import { createLocalPolicy, type LocalPolicy } from "../policy/index.ts";
import { createEmbeddedSandboxes } from "../sandbox/index.node.ts";
import type { SandboxFactory } from "../sandbox/index.ts";
import { CommandError } from "./command.ts";
import { openDevice } from "./device.ts";

export interface ModelOptions {
  device: string;
  /** Model folder. */
  model: string;
  /** PEFT folder. */
  adapter?: string;
}

export interface Session {
  device: Device;
  decoder: Decoder;
  /** Attached to the decoder; null without one. */
  adapter: LoraAdapter | null;
  policy: LocalPolicy;
  sandboxes: SandboxFactory;
  caps: Caps;
  /** Episodes that decode at once. */
  concurrency: number;
  /** Name of the model folder, for records. */
  modelName: string;
  close(): Promise<void>;
}

const CONCURRENCY = 64;
/** The key/value cache may take this much; fewer episodes decode at once where it does not hold all of them. */
const CACHE_BYTES = 512 * 2 ** 20;
/** Above this file size, f16 weights stay f16. */
const KEEP_F16_BYTES = 256 * 2 ** 20;

/** Throws a typed error for whatever is wrong with the device, the model folder or the adapter. Close what it returns. */
export async function openSession(options: ModelOptions): Promise<Session> {
  const files = await readModelFolder(options.model);
  const { config, tokenizer, chat } = inFolder(options.model, () => {
    const config = parseConfig(files.config);
    const tokenizer = new Tokenizer(files.tokenizer);
    return { config, tokenizer, chat: createChatFormat(tokenizer) };
  });
  if (tokenizer.vocabSize > config.vocabSize) {
    throw new CommandError(`${options.model}: tokenizer.json has ${tokenizer.vocabSize} tokens but the model only ${config.vocabSize}; they belong to different models`);
  }
  const device = await openDevice(options.device);
  try {
    const weights = Safetensors.parse(files.weights, join(options.model, "model.safetensors"));
    const decoder = Decoder.load(device, config, weights, { keepF16: files.weights.length > KEEP_F16_BYTES });
    const adapter = options.adapter ? readPeft(device, config, await readAdapterFolder(options.adapter)) : null;
    decoder.adapter = adapter;
    const caps = config.contextLength <= 2048 ? CAPS.tadpole : CAPS.default;
    const contextLength = Math.min(config.contextLength, caps.tokens);
    const policy = createLocalPolicy({
      decoder,
      chat,
      identity: { model: basename(resolve(options.model)), modelHash: await decoder.parameters.hash(), adapterHash: (await adapter?.hash()) ?? null },
      contextLength,
      cacheTokens: cacheTokens(config, contextLength),
    });
    const sandboxes = createEmbeddedSandboxes();
    return {
      device, decoder, adapter, policy, sandboxes, caps, concurrency: CONCURRENCY, modelName: policy.identity.model,
      async close() {
        policy.close();
        await sandboxes.close();
        device.destroy();
      },
    };
  } catch (error) {
    device.destroy();
    throw error;
  }
}

/** Errors of the files' contents, with the folder they lie in. */
function inFolder<T>(dir: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error) error.message = `${dir}: ${error.message}`;
    throw error;
  }
}

function cacheTokens(config: ModelConfig, contextLength: number): number {
  const bytesPerToken = 2 * 4 * config.layers * config.kvHeads * config.headSize;
  return Math.max(contextLength, Math.min(CONCURRENCY * contextLength, Math.floor(CACHE_BYTES / bytesPerToken)));
}

async function readModelFolder(dir: string) {
  await access(dir).catch(() => {
    throw new CommandError(`there is no model folder ${dir}; --model takes a folder with config.json, model.safetensors, tokenizer.json and tokenizer_config.json`);
  });
  return {
    config: await required(dir, "config.json"),
    weights: new Uint8Array(await readFile(join(dir, "model.safetensors")).catch(missing(dir, "model.safetensors"))),
    tokenizer: {
      tokenizer: await required(dir, "tokenizer.json"),
      config: await required(dir, "tokenizer_config.json"),
      chatTemplate: await optional(dir, "chat_template.jinja"),
      generationConfig: await optional(dir, "generation_config.json"),
    },
  };
}

async function readAdapterFolder(dir: string) {
  return { config: await required(dir, "adapter_config.json"), weights: new Uint8Array(await readFile(join(dir, "adapter_model.safetensors")).catch(missing(dir, "adapter_model.safetensors"))) };
}

function missing(dir: string, name: string): (error: unknown) => never {
  return (error) => {
    if ((error as { code?: string }).code === "ENOENT") throw new CommandError(`${join(dir, name)} is missing`);
    throw error;
  };
}

const required = (dir: string, name: string) => readFile(join(dir, name), "utf8").catch(missing(dir, name));

function optional(dir: string, name: string): Promise<string | undefined> {
  return readFile(join(dir, name), "utf8").catch((error: unknown) => {
    if ((error as { code?: string }).code === "ENOENT") return undefined;
    throw error;
  });
}
