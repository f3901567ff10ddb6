/**
 * Trains the embedded model from scratch: tokenizer, text, weights. Each stage leaves its result under --out and is
 * skipped when it is there, so an interrupted run goes on where it stopped: `npm run pretrain` again.
 *
 * Recipe: starting weights with a copying circuit, a warm-up on excerpts of random text, demonstrations with full loss
 * weight on what the policy writes, then demonstrations that begin with the model's own mistakes; AdamW, linear decay.
 */
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Random } from "../../src/compute/index.ts";
import { AdamW, type ChatFormat, createChatFormat, Decoder, parseConfig, Safetensors, Tokenizer, trainBpe, writeSafetensors } from "../../src/model/index.ts";
import { createEmbeddedSandboxes } from "../../src/sandbox/index.node.ts";
import { createFileStorage } from "../../src/storage/index.node.ts";
import { mendJsonLines, type Storage, toJsonLines } from "../../src/storage/index.ts";
import { builtInEnvironments, loadEnvironment } from "../../src/tasks/index.node.ts";
import { CAPS } from "../../src/agent/index.ts";
import { createLocalPolicy } from "../../src/policy/index.ts";
import { documentBatch, excerptBatch, type Document } from "./batches.ts";
import { correctionDocuments } from "./corrections.ts";
import { type CorpusSize, loadTokenizer, readDemonstrationTasks, readShard, shardName, trainingEnvironments, writeDemonstrationTasks, writeShard } from "./corpus.ts";
import { BYTE_CAPS, type Problem, randomDocuments, randomProblems, taskProblem } from "./documents.ts";
import { layOutCopying } from "./initialise.ts";
import { LeakFinder } from "./leaks.ts";

const SEED = 1;
const VOCABULARY = 1280;
const BPE_MODULES = 1500;
const CORPUS: CorpusSize = { shards: 16, modules: 330, taskShare: 0.12 };
/** Random modules and training tasks the model works on in between, and what it then trains on, as a share of the tokens before. */
const CORRECTIONS = { modules: 800, tasks: 450, share: 0.25, lr: 1e-3 };
const BATCH_ROWS = 4096;
const EXCERPT_STEPS = 150;
const EXCERPT_ROWS = 3072;
const WARMUP_STEPS = 50;
const PEAK_LR = 3e-3;
const FINAL_LR = 1e-4;
const CHECKPOINT_STEPS = 100;

const CONFIG = {
  architectures: ["Qwen3ForCausalLM"],
  model_type: "qwen3",
  hidden_size: 128,
  intermediate_size: 384,
  num_hidden_layers: 4,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 32,
  vocab_size: VOCABULARY,
  max_position_embeddings: 1024,
  rms_norm_eps: 1e-6,
  rope_theta: 10000,
  tie_word_embeddings: true,
  attention_bias: false,
  hidden_act: "silu",
  torch_dtype: "float32",
};

const model = new URL("../../models/tadpole/", import.meta.url);
const { values: options } = parseArgs({
  options: {
    out: { type: "string", default: "runs/pretrain" },
    /** Training tokens before the corrections, the warm-up on excerpts not counted. */
    tokens: { type: "string", default: "8e6" },
    threads: { type: "string", default: String(Math.min(2, availableParallelism())) },
    help: { type: "boolean", default: false },
  },
});

const log = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);

const size = (list: string[]) => list.reduce((n, text) => n + text.length, 0);

/** A tokenizer without merges writes the harness's text as bytes; the real one is trained on that text. */
async function tokenizerStage(storage: Storage, tokenizerConfig: string): Promise<void> {
  if ((await storage.read("tokenizer.json")) !== null) return;
  const specialTokens = JSON.parse(tokenizerConfig).additional_special_tokens as string[];
  const bytes = trainBpe([], { vocabSize: 256 + specialTokens.length, specialTokens });
  const chat = createChatFormat(new Tokenizer({ tokenizer: JSON.stringify(bytes), config: tokenizerConfig }));
  const factory = await createEmbeddedSandboxes({ workers: 1 });
  const texts: string[] = [];
  for (let i = 0; i < BPE_MODULES; i++) {
    for (const { ids } of await randomDocuments({ chat, factory, caps: BYTE_CAPS }, Random.stream(SEED, "bpe", i))) texts.push(chat.decode([...ids]));
  }
  await factory.close();
  // Real code as often as random code, so that its words get merges too.
  const modules = (await trainingEnvironments()).flatMap(({ files }) => Object.entries(files).filter(([path]) => path.startsWith("src/")).map(([, source]) => source));
  const copies = Math.max(1, Math.round(size(texts) / size(modules) / 3));
  for (let i = 0; i < copies; i++) texts.push(...modules);
  await storage.write("tokenizer.json", JSON.stringify(trainBpe(texts, { vocabSize: VOCABULARY, specialTokens })));
  log(`tokenizer trained on ${(size(texts) / 1e6).toFixed(1)} MB`);
}

/** Shards are made by as many processes as there are cores. */
async function corpusStage(out: string): Promise<void> {
  const processes = Math.min(2, availableParallelism());
  const script = fileURLToPath(new URL("corpus.ts", import.meta.url));
  await Promise.all(Array.from({ length: processes }, (_, first) => new Promise<void>((resolve, reject) => {
    const child = spawn(process.execPath, [...process.execArgv, script, out, String(SEED), String(first), String(processes), JSON.stringify(CORPUS)], { stdio: "inherit" });
    child.on("error", reject);
    child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`writing the corpus failed with exit code ${code}`))));
  })));
}

async function loadCorpus(storage: Storage): Promise<Document[]> {
  const documents: Document[] = [];
  for (let i = 0; i < CORPUS.shards; i++) {
    const shard = await readShard(storage, shardName(i));
    if (shard === null) throw new Error(`corpus shard ${i} is missing`);
    documents.push(...shard);
  }
  return documents;
}

/** Throws when a document shares code with an environment that is not for training: then nothing may be measured there. */
async function checkForLeaks(documents: Document[], decode: (ids: number[]) => string): Promise<void> {
  const others = await Promise.all([...(await builtInEnvironments("adapt")), ...(await builtInEnvironments("heldout"))].map(loadEnvironment));
  const finder = new LeakFinder(others);
  for (const { ids } of documents) {
    const leak = finder.find(decode([...ids]));
    if (leak !== null) throw new Error(`the pretraining text holds code of ${leak.source}:\n${leak.lines}`);
  }
  log(`no document shares three lines with ${others.map((env) => env.name).join(", ")}`);
}

interface Progress {
  phase: number;
  step: number;
  /** Documents' tokens seen, and where the next batch starts in this epoch's order. */
  tokens: number;
  epoch: number;
  cursor: number;
  seconds: number;
}

interface Phase {
  number: number;
  /** Tokens at its beginning and end; the learning rate falls from `lr` to FINAL_LR between them. */
  from: number;
  until: number;
  lr: number;
}

/** Opens the model, as it was saved or new. `train` goes on to the end of a phase, unless that lies behind. */
async function openTrainer(storage: Storage, threads: number) {
  const { createWasmDevice } = await import("../../src/compute/index.node.ts");
  const device = await createWasmDevice({ threads });
  log(device.description);
  const config = parseConfig(JSON.stringify(CONFIG));
  const decoder = Decoder.initialise(device, config, Random.stream(SEED, "weights"));
  const weights = await decoder.parameters.read();
  layOutCopying(weights, config, Random.stream(SEED, "copying"));
  decoder.parameters.write(weights);
  const optimizer = new AdamW(decoder.parameters, { beta1: 0.9, beta2: 0.98, eps: 1e-8, weightDecay: 0.05, clipNorm: 1, decay: "matrices" });
  const gradients = decoder.parameters.zeros();
  log(`${(decoder.parameters.size / 1e6).toFixed(3)} M parameters`);

  let progress: Progress = { phase: 0, step: 0, tokens: 0, epoch: 0, cursor: 0, seconds: 0 };
  const saved = await storage.read("checkpoint.safetensors");
  if (saved !== null) {
    const file = Safetensors.parse(saved, "checkpoint.safetensors");
    progress = JSON.parse(file.metadata.progress) as Progress;
    const part = (prefix: string) => new Map(file.names.filter((name) => name.startsWith(prefix)).map((name) => [name.slice(prefix.length), { shape: file.shape(name), data: file.float32(name) }]));
    decoder.parameters.write(part("w/"));
    optimizer.m.write(part("m/"));
    optimizer.v.write(part("v/"));
    optimizer.steps = progress.step;
    // Steps after the checkpoint are taken again, and a crash may have torn the last line.
    const rows = (await mendJsonLines<{ step: number }>(storage, "curve.jsonl")).filter((row) => row.step <= progress.step);
    await storage.write("curve.jsonl", toJsonLines(rows));
    log(`resumed at step ${progress.step}`);
  }
  const checkpoint = async () => {
    const sets = { w: decoder.parameters, m: optimizer.m, v: optimizer.v };
    const tensors = new Map();
    for (const [key, set] of Object.entries(sets)) for (const [name, tensor] of await set.read()) tensors.set(`${key}/${name}`, tensor);
    await storage.write("checkpoint.safetensors", writeSafetensors(tensors, "F32", { progress: JSON.stringify(progress) }));
  };

  const train = async (documents: Document[], phase: Phase): Promise<void> => {
    if (progress.phase > phase.number) return;
    if (progress.phase < phase.number) progress = { ...progress, phase: phase.number, epoch: 0, cursor: 0 };
    log(`${documents.length} documents, ${(documents.reduce((n, d) => n + d.ids.length, 0) / 1e6).toFixed(2)} M tokens`);
    const orderOf = (epoch: number) => Random.stream(SEED, "epoch", epoch, ...(phase.number > 0 ? [phase.number] : [])).shuffle(documents);
    let order = orderOf(progress.epoch);
    let since = { time: performance.now(), tokens: 0, loss: 0, steps: 0 };
    const interrupt = new AbortController();
    const stop = () => interrupt.abort();
    process.once("SIGINT", stop);
    while (progress.tokens < phase.until && !interrupt.signal.aborted) {
      const random = Random.stream(SEED, "step", progress.step);
      const warmingUp = progress.step < EXCERPT_STEPS;
      let work;
      if (warmingUp) work = excerptBatch(random, VOCABULARY, EXCERPT_ROWS);
      else {
        const batch: Document[] = [];
        for (let rows = 0; rows < BATCH_ROWS; ) {
          if (progress.cursor === order.length) {
            progress = { ...progress, epoch: progress.epoch + 1, cursor: 0 };
            order = orderOf(progress.epoch);
          }
          const document = order[progress.cursor++];
          batch.push(document);
          rows += document.ids.length;
        }
        work = documentBatch(batch, VOCABULARY, random);
      }
      const started = performance.now();
      gradients.fill(0);
      const { logprobs } = await decoder.accumulate(work.batch, () => work.weights, gradients);
      const ramp = Math.min(1, (progress.step + 1) / WARMUP_STEPS);
      const lr = ramp * (FINAL_LR + ((phase.lr - FINAL_LR) * (phase.until - progress.tokens)) / (phase.until - phase.from));
      await optimizer.step(gradients, lr);
      progress = { ...progress, step: progress.step + 1, tokens: progress.tokens + (warmingUp ? 0 : work.tokens), seconds: progress.seconds + (performance.now() - started) / 1000 };
      since.loss += logprobs.reduce((sum, logprob, i) => sum + logprob * work.weights[i], 0);
      since.tokens += work.tokens;
      since.steps++;
      if (progress.step % 20 === 0) {
        const rate = since.tokens / ((performance.now() - since.time) / 1000);
        const row = { ...progress, stage: warmingUp ? "excerpts" : phase.number > 0 ? "corrections" : "documents", loss: since.loss / since.steps, lr, tokensPerSecond: Math.round(rate) };
        await storage.append("curve.jsonl", JSON.stringify(row) + "\n");
        const left = (phase.until - progress.tokens) / rate;
        log(`step ${progress.step} ${row.stage} loss ${row.loss.toFixed(4)} lr ${lr.toExponential(1)} ${(progress.tokens / 1e6).toFixed(2)} M tokens ${row.tokensPerSecond} tok/s, ${Math.ceil(left / 60)} min left`);
        since = { time: performance.now(), tokens: 0, loss: 0, steps: 0 };
      }
      if (progress.step % CHECKPOINT_STEPS === 0) await checkpoint();
    }
    await checkpoint();
    process.removeListener("SIGINT", stop);
    if (interrupt.signal.aborted) {
      log("interrupted; run again to go on");
      device.destroy();
      process.exit(130);
    }
  };
  return { device, decoder, train, progress: () => progress };
}

/** Lets the model work on bugs of new random modules and on demonstration tasks of the training environments. */
async function correctionsStage(storage: Storage, chat: ChatFormat, decoder: Decoder): Promise<Document[]> {
  const kept = await readShard(storage, "corrections");
  if (kept !== null) return kept;
  const random = Random.stream(SEED, "corrections");
  const problems: Problem[] = [];
  for (let i = 0; i < CORRECTIONS.modules; i++) problems.push(...randomProblems(Random.stream(SEED, "corrections", "module", i)));
  const tasks = await readDemonstrationTasks(storage);
  for (let i = 0; i < CORRECTIONS.tasks; i++) {
    const problem = taskProblem(random.pick(tasks), random);
    if (problem !== null) problems.push(problem);
  }
  const { tokens } = CAPS.tadpole;
  const policy = createLocalPolicy({ decoder, chat, contextLength: tokens, cacheTokens: 64 * tokens, identity: { model: "tadpole", modelHash: "in training", adapterHash: null } });
  const factory = await createEmbeddedSandboxes({ workers: 2 });
  try {
    const documents = await correctionDocuments({ chat, factory, caps: CAPS.tadpole }, policy, problems, SEED, (done) => done % 500 === 0 && log(`the model has worked on ${done} of ${problems.length} problems`));
    await writeShard(storage, "corrections", documents);
    return documents;
  } finally {
    policy.close();
    await factory.close();
  }
}

async function exportModel(storage: Storage, decoder: Decoder, seconds: number): Promise<void> {
  const target = createFileStorage(fileURLToPath(model));
  await target.write("model.safetensors", writeSafetensors(await decoder.parameters.read(), "F16"));
  await target.write("config.json", JSON.stringify({ ...CONFIG, torch_dtype: "float16" }, null, 1) + "\n");
  for (const name of ["tokenizer.json", "curve.jsonl"]) await target.write(name, (await storage.read(name))!);
  log(`models/tadpole written after ${Math.round(seconds / 60)} minutes of training`);
}

if (options.help) {
  console.log("npm run pretrain -- [--out DIR] [--tokens N] [--threads N]\nTrains the embedded model from scratch and replaces models/tadpole when done; run again to resume. Remove DIR to start over.");
} else {
  const storage = createFileStorage(options.out);
  const tokenizerConfig = await readFile(new URL("tokenizer_config.json", model), "utf8");
  await tokenizerStage(storage, tokenizerConfig);
  await writeDemonstrationTasks(storage, SEED, log);
  await corpusStage(options.out);
  const language = (await loadTokenizer(storage, tokenizerConfig))!;
  const documents = await loadCorpus(storage);
  const decode = (ids: number[]) => language.chat.decode(ids);
  await checkForLeaks(documents, decode);
  const trainer = await openTrainer(storage, Number(options.threads));
  const tokens = Number(options.tokens);
  await trainer.train(documents, { number: 0, from: 0, until: tokens, lr: PEAK_LR });
  const corrections = await correctionsStage(storage, language.chat, trainer.decoder);
  await checkForLeaks(corrections, decode);
  // As many of the others keep what is known.
  const others = Random.stream(SEED, "others").shuffle(documents).slice(0, corrections.length);
  await trainer.train([...corrections, ...others], { number: 1, from: tokens, until: tokens * (1 + CORRECTIONS.share), lr: CORRECTIONS.lr });
  await exportModel(storage, trainer.decoder, trainer.progress().seconds);
  trainer.device.destroy();
}
