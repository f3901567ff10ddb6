/**
 * The pretraining text of the embedded model, all generated here: demonstrations on random modules (most of it),
 * demonstrations on the training environments' demonstration sites, and their modules as plain text. It is written in
 * shards by several processes; a shard depends only on its number and the seed.
 *
 * Run by pretrain.ts as `corpus.ts OUT SEED FIRST STEP`: writes the shards FIRST, FIRST + STEP, … that are missing.
 */
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { CAPS } from "../../src/agent/index.ts";
import { Random } from "../../src/compute/index.ts";
import { type ChatFormat, createChatFormat, Tokenizer } from "../../src/model/index.ts";
import { createEmbeddedSandboxes } from "../../src/sandbox/index.node.ts";
import { createFileStorage } from "../../src/storage/index.node.ts";
import type { Storage } from "../../src/storage/index.ts";
import { type Environment, makeTasks, parseTask, type Task } from "../../src/tasks/index.ts";
import { builtInEnvironments, loadEnvironment } from "../../src/tasks/index.node.ts";
import type { Document } from "./batches.ts";
import { type Harness, moduleDocument, randomDocuments, taskDocument } from "./documents.ts";

export interface CorpusSize {
  shards: number;
  /** Random modules per shard; each gives up to three demonstrations. */
  modules: number;
  /** Share of all documents that are demonstrations on training environments. */
  taskShare: number;
}

const DEMONSTRATIONS = "demonstrations.jsonl";
const shardKey = (name: string) => `shards/${name}.bin`;

export const shardName = (index: number): string => String(index).padStart(4, "0");

export async function loadTokenizer(storage: Storage, config: string): Promise<{ tokenizer: Tokenizer; chat: ChatFormat } | null> {
  const bytes = await storage.read("tokenizer.json");
  if (bytes === null) return null;
  const tokenizer = new Tokenizer({ tokenizer: new TextDecoder().decode(bytes), config });
  return { tokenizer, chat: createChatFormat(tokenizer) };
}

/** The only environments whose text may be read here. */
export async function trainingEnvironments(): Promise<Environment[]> {
  return Promise.all((await builtInEnvironments("train")).map(loadEnvironment));
}

/** Every valid single bug on the training environments' demonstration sites, with several statements each. */
export async function writeDemonstrationTasks(storage: Storage, seed: number, log: (line: string) => void): Promise<void> {
  if ((await storage.read(DEMONSTRATIONS)) !== null) return;
  const factory = await createEmbeddedSandboxes({ workers: 2 });
  try {
    const lines: string[] = [];
    for (const environment of await trainingEnvironments()) {
      for (const level of [3, 2] as const) {
        const { tasks } = await makeTasks({ environment, factory, count: 1000, seed: seed + level, use: "demonstration", levels: [level] });
        for (const task of tasks) lines.push(JSON.stringify(task));
        log(`${environment.name}: ${tasks.length} demonstration tasks with statements of level ${level}`);
      }
    }
    await storage.write(DEMONSTRATIONS, lines.join("\n") + "\n");
  } finally {
    await factory.close();
  }
}

async function makeShard(harness: Harness, tasks: Task[], modules: { path: string; source: string }[], end: number, size: CorpusSize, seed: number, index: number): Promise<Document[]> {
  const documents: Document[] = [];
  for (let i = 0; i < size.modules; i++) documents.push(...(await randomDocuments(harness, Random.stream(seed, "module", index, i))));
  const random = Random.stream(seed, "tasks", index);
  const wanted = Math.round((documents.length * size.taskShare) / (1 - size.taskShare));
  for (const task of chosen(random, tasks, wanted)) {
    const document = await taskDocument(harness, task, random);
    if (document !== null) documents.push(document);
  }
  for (const { path, source } of chosen(random, modules, Math.ceil(modules.length / 2))) documents.push(moduleDocument(harness.chat, path, source, end));
  return random.shuffle(documents);
}

/** `count` items drawn with replacement. */
function chosen<T>(random: Random, items: T[], count: number): T[] {
  return items.length === 0 ? [] : Array.from({ length: count }, () => random.pick(items));
}

/** Header [documents, lengths…] as u32, then all ids as u16, then all flags as u8. */
function encodeShard(documents: Document[]): Uint8Array {
  const total = documents.reduce((n, d) => n + d.ids.length, 0);
  const header = 4 * (1 + documents.length);
  const bytes = new Uint8Array(header + 3 * total);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, documents.length, true);
  let at = 0;
  documents.forEach(({ ids, sampled }, i) => {
    view.setUint32(4 * (i + 1), ids.length, true);
    ids.forEach((id, j) => view.setUint16(header + 2 * (at + j), id, true));
    bytes.set(sampled, header + 2 * total + at);
    at += ids.length;
  });
  return bytes;
}

function decodeShard(bytes: Uint8Array): Document[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const lengths = Array.from({ length: view.getUint32(0, true) }, (_, i) => view.getUint32(4 * (i + 1), true));
  const total = lengths.reduce((a, b) => a + b, 0);
  const header = 4 * (1 + lengths.length);
  let at = 0;
  return lengths.map((length) => {
    const ids = Uint16Array.from({ length }, (_, j) => view.getUint16(header + 2 * (at + j), true));
    const sampled = bytes.slice(header + 2 * total + at, header + 2 * total + at + length);
    at += length;
    return { ids, sampled };
  });
}

export async function readShard(storage: Storage, name: string): Promise<Document[] | null> {
  const bytes = await storage.read(shardKey(name));
  return bytes && decodeShard(bytes);
}

export async function writeShard(storage: Storage, name: string, documents: Document[]): Promise<void> {
  await storage.write(shardKey(name), encodeShard(documents));
}

/** Throws when they have not been written. */
export async function readDemonstrationTasks(storage: Storage): Promise<Task[]> {
  const text = new TextDecoder().decode((await storage.read(DEMONSTRATIONS)) ?? new Uint8Array());
  if (text === "") throw new Error("there are no demonstration tasks: run pretrain");
  return text.trim().split("\n").map((line) => parseTask(JSON.parse(line)));
}

async function main([out, seedText, firstText, stepText, sizeText]: string[]): Promise<void> {
  const storage = createFileStorage(out);
  const size = JSON.parse(sizeText) as CorpusSize;
  const config = await readFile(new URL("../../models/tadpole/tokenizer_config.json", import.meta.url), "utf8");
  const language = await loadTokenizer(storage, config);
  if (language === null) throw new Error(`${out} holds no tokenizer: run pretrain`);
  const tasks = await readDemonstrationTasks(storage);
  const modules = (await trainingEnvironments()).flatMap(({ files }) => Object.entries(files).filter(([path]) => path.startsWith("src/")).map(([path, source]) => ({ path, source })));
  const end = language.tokenizer.encode("<|endoftext|>")[0];
  const harness: Harness = { chat: language.chat, factory: await createEmbeddedSandboxes({ workers: 1 }), caps: CAPS.tadpole };
  for (let index = Number(firstText); index < size.shards; index += Number(stepText)) {
    if ((await readShard(storage, shardName(index))) !== null) continue;
    await writeShard(storage, shardName(index), await makeShard(harness, tasks, modules, end, size, Number(seedText), index));
    console.log(`shard ${index + 1} of ${size.shards}`);
  }
  await harness.factory.close();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main(process.argv.slice(2));
