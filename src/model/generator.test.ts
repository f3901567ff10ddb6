import { afterEach, describe, expect, it } from "vitest";
import { hasWebGpu } from "../../tests/compute/webgpu.ts";
import { createReferenceDevice, type Device, Random } from "../compute/index.ts";
import { createWasmDevice, createWebGpuDevice } from "../compute/index.node.ts";
import { type ModelConfig, parseConfig } from "./config.ts";
import { Decoder } from "./decoder.ts";
import { ContextLengthError, Generator, type GeneratorOptions, NonFiniteLogitsError, type Sampling, type Turn } from "./generator.ts";
import { EMBEDDING } from "./layout.ts";

const V = 40;
const STOP = 7;
const CONFIG: ModelConfig = parseConfig(JSON.stringify({
  architectures: ["Qwen3ForCausalLM"], vocab_size: V, hidden_size: 16, intermediate_size: 24, num_hidden_layers: 2,
  num_attention_heads: 2, num_key_value_heads: 1, head_dim: 8, rms_norm_eps: 1e-6, rope_theta: 10000,
  max_position_embeddings: 256, tie_word_embeddings: true,
}));
const PLAIN: Sampling = { temperature: 1, topK: 0, topP: 1 };

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0).toReversed()) close();
});

/** A small random model whose distributions are far from uniform. */
async function randomDecoderOn(device: Device): Promise<Decoder> {
  const decoder = Decoder.initialise(device, CONFIG, Random.stream("generator test"));
  for (const name of decoder.parameters.names) {
    if (name.includes("norm")) continue;
    const weight = decoder.parameters.get(name);
    device.write(weight, (await device.read(weight) as Float32Array).map((w) => w * 25));
  }
  closing.push(() => device.destroy());
  return decoder;
}

function makeGenerator(decoder: Decoder, options: Partial<GeneratorOptions> = {}): Generator {
  const generator = new Generator(decoder, { stopTokens: [STOP], contextLength: 128, cacheTokens: 4096, ...options });
  closing.push(() => generator.close());
  return generator;
}

const stream = (attempt: number) => Random.stream(1, "sampling", 0, "task", attempt);
const prompt = (length: number, seed = 0) => Array.from({ length }, (_, i) => 8 + ((i * i * 3 + i + 5 * seed) % 32));

/** Two turns of one episode, as an agent would have them: prompt, answer, tool output, answer. */
async function episode(generator: Generator, attempt: number, sampling = PLAIN): Promise<{ ids: number[]; turns: Turn[] }> {
  const sequence = generator.open(stream(attempt), sampling);
  const first = [...prompt(35), ...prompt(attempt % 5, attempt)];
  const one = await sequence.generate(first, { maxTokens: 12 });
  const response = prompt(3 + (attempt % 4) * 9, attempt);
  // Tools take their time, some longer than others.
  await new Promise((resolve) => setTimeout(resolve, attempt % 3));
  const two = await sequence.generate(response, { maxTokens: 12 });
  sequence.close();
  return { ids: [...first, ...one.ids, ...response, ...two.ids], turns: [one, two] };
}

/** log softmax of each row of the decoder's own logits, [ids.length][V]. */
async function logSoftmax(decoder: Decoder, ids: number[]): Promise<number[][]> {
  const tensor = decoder.logits(Int32Array.from(ids));
  const logits = Array.from(await decoder.device.read(tensor));
  tensor.free();
  return ids.map((_, t) => {
    const row = logits.slice(t * V, (t + 1) * V);
    const max = Math.max(...row);
    const logZ = max + Math.log(row.reduce((sum, z) => sum + Math.exp(z - max), 0));
    return row.map((z) => z - logZ);
  });
}

const devices: [string, () => Promise<Device>][] = [
  ["reference", async () => createReferenceDevice()],
  ["wasm", () => createWasmDevice({ threads: 2, shareFrom: 0 })],
  ...(hasWebGpu ? [["webgpu", createWebGpuDevice] as [string, () => Promise<Device>]] : []),
];

// A GPU in software takes its time for each of the many launches.
describe.each(devices)("Generator on %s", { timeout: 300_000 }, (name, createDevice) => {
  const randomDecoder = async () => randomDecoderOn(await createDevice());

  it("gives an episode the same tokens and log-probabilities alone, among many, in small steps and in a small cache", async () => {
    const episodes = name === "webgpu" ? 6 : 64;
    const decoder = await randomDecoder();
    const alone = makeGenerator(decoder);
    const expected = [];
    for (let attempt = 0; attempt < episodes; attempt++) expected.push(await episode(alone, attempt));
    expect(new Set(expected.map(({ ids }) => ids.join())).size).toBeGreaterThan(0.75 * episodes);
    for (const options of [{}, { rowsPerStep: 20 }, { cacheTokens: 160 }]) {
      const generator = makeGenerator(decoder, options);
      const together = await Promise.all(expected.map((_, attempt) => episode(generator, attempt)));
      expect(together).toEqual(expected);
      expect(generator.statistics.decodeTokens).toBe(expected.reduce((sum, { turns }) => sum + turns[0].ids.length + turns[1].ids.length, 0));
    }
  });

  it("reports the log-probability that the trainer computes for the same ids", async () => {
    const decoder = await randomDecoder();
    const generator = makeGenerator(decoder);
    for (const temperature of [1, 0]) {
      const { ids, turns } = await episode(generator, 3, { ...PLAIN, temperature });
      const all = ids.map((_, i) => i);
      const { logprobs } = await decoder.score({
        ids: Int32Array.from(ids), offsets: Int32Array.of(0, ids.length), rows: Int32Array.from(all.slice(0, -1)), targets: Int32Array.from(ids.slice(1)),
      });
      const rows = await logSoftmax(decoder, ids);
      for (const [turn, start] of [[turns[0], 35 + 3], [turns[1], ids.length - turns[1].ids.length]] as const) {
        turn.ids.forEach((id, i) => {
          expect(Math.abs(turn.logprobs[i] - logprobs[start + i - 1])).toBeLessThan(1e-4);
          if (temperature === 0) expect(id).toBe(rows[start + i - 1].indexOf(Math.max(...rows[start + i - 1])));
        });
      }
    }
  });

  it("passes temperature, top-k and top-p on", async () => {
    const decoder = await randomDecoder();
    const generator = makeGenerator(decoder);
    const greedy = await episode(generator, 0, { temperature: 0, topK: 0, topP: 1 });
    const narrow = await episode(generator, 0, { temperature: 1, topK: 1, topP: 1 });
    const nucleus = await episode(generator, 0, { temperature: 1, topK: 0, topP: 1e-4 });
    for (const other of [narrow, nucleus]) {
      expect(other.ids).toEqual(greedy.ids);
      for (const logprob of other.turns[0].logprobs) expect(logprob).toBeCloseTo(0, 6);
    }
    const { ids, turns } = await episode(generator, 0, { temperature: 0.7, topK: 5, topP: 1 });
    const row = (await logSoftmax(decoder, ids))[34].map((z) => z / 0.7);
    const best = row.toSorted((a, b) => b - a).slice(0, 5);
    expect(best).toContain(row[turns[0].ids[0]]);
    const logZ = Math.log(best.reduce((sum, z) => sum + Math.exp(z), 0));
    expect(turns[0].logprobs[0]).toBeCloseTo(row[turns[0].ids[0]] - logZ, 4);
  });

  it("computes a prompt that sessions share once, also when they open in the same tick", async () => {
    const decoder = await randomDecoder();
    for (const rowsPerStep of [512, 24]) {
      const generator = makeGenerator(decoder, { rowsPerStep });
      const ids = prompt(70);
      const sequences = Array.from({ length: 8 }, (_, attempt) => generator.open(stream(attempt), PLAIN));
      await Promise.all(sequences.map((sequence) => sequence.generate(ids, { maxTokens: 4 })));
      // Four full pages of 16 are shared, six tokens are not.
      expect(generator.statistics.prefillTokens).toBe(70 + 7 * 6);
      expect(generator.statistics.cachedTokens).toBe(7 * 64);
      for (const sequence of sequences) sequence.close();
      await generator.open(stream(8), PLAIN).generate(ids, { maxTokens: 1 });
      expect(generator.statistics.cachedTokens).toBe(8 * 64);
    }
  });

  it("lets another session compute a shared prompt whose first session was aborted", async () => {
    const decoder = await randomDecoder();
    const generator = makeGenerator(decoder, { rowsPerStep: 16 });
    const abort = new AbortController();
    const first = generator.open(stream(0), PLAIN).generate(prompt(100), { maxTokens: 4, signal: abort.signal });
    const second = generator.open(stream(1), PLAIN).generate(prompt(100), { maxTokens: 4 });
    while (generator.statistics.steps < 2) await new Promise((resolve) => setImmediate(resolve));
    abort.abort(new Error("no longer wanted"));
    await expect(first).rejects.toThrow("no longer wanted");
    const fresh = makeGenerator(decoder).open(stream(1), PLAIN);
    expect(await second).toEqual(await fresh.generate(prompt(100), { maxTokens: 4 }));
  });

  it("stops at a stop token, at maxTokens, when the context is full and in a loop", async () => {
    const decoder = await randomDecoder();
    const generator = makeGenerator(decoder, { contextLength: 48, stopTokens: Array.from({ length: 20 }, (_, i) => i) });
    const end = await generator.open(stream(0), PLAIN).generate(prompt(8), { maxTokens: 40 });
    expect(end.stop).toBe("end");
    expect(end.ids.at(-1)).toBeLessThan(20);
    expect(end.ids.slice(0, -1).every((id) => id >= 20)).toBe(true);

    const endless = makeGenerator(decoder, { contextLength: 48, stopTokens: [] });
    const sequence = endless.open(stream(0), PLAIN);
    expect(await sequence.generate(prompt(8), { maxTokens: 5 })).toMatchObject({ stop: "length", ids: { length: 5 } });
    expect(await sequence.generate([], { maxTokens: 100 })).toMatchObject({ stop: "context", ids: { length: 48 - 13 } });
    expect(await sequence.generate([], { maxTokens: 1 })).toEqual({ ids: [], logprobs: [], stop: "context" });
    const other = endless.open(stream(1), PLAIN);
    await other.generate(prompt(8), { maxTokens: 5 });
    expect(await other.generate(prompt(40), { maxTokens: 5 })).toEqual({ ids: [], logprobs: [], stop: "context" });

    const long = makeGenerator(decoder, { contextLength: 1024, stopTokens: [] });
    const loop = await long.open(stream(0), { ...PLAIN, temperature: 0 }).generate(prompt(8), { maxTokens: 900 });
    expect(loop.stop).toBe("repetition");
    expect(loop.ids.length).toBeLessThan(900);
  });

  it("rejects what cannot be done, with the reason", async () => {
    const decoder = await randomDecoder();
    expect(() => makeGenerator(decoder, { contextLength: 200, cacheTokens: 160 })).toThrow(/holds 160 tokens, but one context may need 208/);
    const generator = makeGenerator(decoder);
    expect(() => generator.open(stream(0), { ...PLAIN, temperature: -1 })).toThrow(/temperature is -1/);
    expect(() => generator.open(stream(0), { ...PLAIN, topK: 0.5 })).toThrow(/topK is 0.5/);
    expect(() => generator.open(stream(0), { ...PLAIN, topP: 0 })).toThrow(/topP is 0/);
    const sequence = generator.open(stream(0), PLAIN);
    await expect(sequence.generate([], { maxTokens: 1 })).rejects.toThrow(/prompt is empty/);
    await expect(sequence.generate([3, 40], { maxTokens: 1 })).rejects.toThrow(/token 1 is 40, but the model has ids 0 to 39/);
    await expect(sequence.generate([3], { maxTokens: 0 })).rejects.toThrow(/maxTokens is 0/);
    await expect(sequence.generate(prompt(128), { maxTokens: 1 })).rejects.toThrow(ContextLengthError);
    const turn = sequence.generate([3], { maxTokens: 1 });
    await expect(sequence.generate([3], { maxTokens: 1 })).rejects.toThrow(/under way/);
    await turn;
    sequence.close();
    await expect(sequence.generate([3], { maxTokens: 1 })).rejects.toThrow(/closed/);
  });

  it("aborts one turn without touching the others, and gives all memory back", async () => {
    const decoder = await randomDecoder();
    const generator = new Generator(decoder, { stopTokens: [], contextLength: 128, cacheTokens: 1024 });
    const expected = await episode(generator, 5);
    const abort = new AbortController();
    const seen: number[] = [];
    const sequence = generator.open(stream(0), PLAIN);
    const cancelled = sequence.generate(prompt(20), {
      maxTokens: 100,
      signal: abort.signal,
      onToken: (id) => void (seen.push(id) === 3 && abort.abort(new Error("stop it"))),
    });
    const thrown = generator.open(stream(1), PLAIN).generate(prompt(20), { maxTokens: 100, onToken: () => { throw new Error("listener broke"); } });
    const others = episode(generator, 5);
    await Promise.all([expect(cancelled).rejects.toThrow("stop it"), expect(thrown).rejects.toThrow("listener broke")]);
    expect(seen).toHaveLength(3);
    await expect(sequence.generate([3], { maxTokens: 1 })).rejects.toThrow(/aborted/);
    await expect(generator.open(stream(0), PLAIN).generate([3], { maxTokens: 1, signal: abort.signal })).rejects.toThrow("stop it");
    expect(await others).toEqual(expected);
    const late = generator.open(stream(0), PLAIN).generate(prompt(20), { maxTokens: 100 });
    generator.close();
    await expect(late).rejects.toThrow("generator was closed");
    await new Promise((resolve) => setTimeout(resolve, 5));
    decoder.dispose();
    expect(decoder.device.liveBytes).toBe(0);
  });

  it("computes open contexts again after the weights changed", async () => {
    const decoder = await randomDecoder();
    const { device } = decoder;
    const generator = makeGenerator(decoder);
    const sequence = generator.open(stream(0), PLAIN);
    const one = await sequence.generate(prompt(40), { maxTokens: 6 });
    const embedding = decoder.parameters.get(EMBEDDING);
    device.write(embedding, (await device.read(embedding) as Float32Array).map((w) => -w));
    generator.invalidate();
    const two = await sequence.generate(prompt(5), { maxTokens: 6 });
    const ids = [...prompt(40), ...one.ids, ...prompt(5), ...two.ids];
    const rows = await logSoftmax(decoder, ids);
    two.ids.forEach((id, i) => expect(two.logprobs[i]).toBeCloseTo(rows[ids.length - two.ids.length + i - 1][id], 4));
    expect(generator.statistics.cachedTokens).toBe(0);
  });

  it("says so when the logits are not numbers, and works again with good weights", async () => {
    const decoder = await randomDecoder();
    const { device } = decoder;
    const generator = makeGenerator(decoder);
    const norm = decoder.parameters.get("model.norm.weight");
    const good = (await device.read(norm)) as Float32Array;
    device.write(norm, good.map(() => NaN));
    await expect(generator.open(stream(0), PLAIN).generate(prompt(5), { maxTokens: 3 })).rejects.toThrow(NonFiniteLogitsError);
    device.write(norm, good);
    generator.invalidate();
    expect((await generator.open(stream(0), PLAIN).generate(prompt(5), { maxTokens: 1 })).ids).toHaveLength(1);
  });

  it("rejects the turns under way when the device fails", async () => {
    const decoder = await randomDecoder();
    const generator = makeGenerator(decoder);
    const turn = generator.open(stream(0), PLAIN).generate(prompt(5), { maxTokens: 50 });
    decoder.device.destroy();
    closing.length = 0;
    await expect(turn).rejects.toThrow(/freed|destroyed/);
  });

  it("lets the event loop work between steps", async () => {
    const decoder = await randomDecoder();
    const generator = makeGenerator(decoder, { stopTokens: [] });
    const { port1, port2 } = new MessageChannel();
    let messages = 0;
    port1.addEventListener("message", () => {
      messages++;
      port2.postMessage(null);
    });
    port1.start();
    port2.postMessage(null);
    await generator.open(stream(0), PLAIN).generate(prompt(5), { maxTokens: 50 });
    port1.close();
    expect(messages).toBeGreaterThan(10);
  });
});
