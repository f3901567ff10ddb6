/**
 * The whole loop on real parts: a tiny random decoder whose tokens are whole tool calls, the agent, the embedded sandbox,
 * grading, the gradient step. Token FIX repairs the task's bug and BREAK spoils it, so there is something to learn.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { hasWebGpu } from "../../tests/compute/webgpu.ts";
import type { Caps, Trajectory } from "../agent/index.ts";
import { createWasmDevice, createWebGpuDevice } from "../compute/index.node.ts";
import { createReferenceDevice, type Device, Random } from "../compute/index.ts";
import { uniformSource } from "../frontier/index.ts";
import { type ChatFormat, Decoder, LoraAdapter, parseConfig } from "../model/index.ts";
import { createLocalPolicy, type Policy } from "../policy/index.ts";
import { createEmbeddedSandboxes } from "../sandbox/index.node.ts";
import { SandboxError, type SandboxFactory } from "../sandbox/index.ts";
import { createMemoryStorage, readJsonLines, type Storage } from "../storage/index.ts";
import type { Task } from "../tasks/index.ts";
import { CheckpointError } from "./checkpoint.ts";
import { evaluate } from "./evaluate.ts";
import { RolloutError, runRollouts } from "./rollout.ts";
import type { Attempt } from "./score.ts";
import { Trainer, type TrainerConfig } from "./trainer.ts";

const call = (command: string) => `<tool_call><function=Bash><parameter=command>${command}</parameter></function></tool_call>`;
const TEXTS = ["<end>", "<prompt>", "<tool>", call("echo 'export const a = () => 1;' > src/a.js"), call("echo 'export const a = () => 3;' > src/a.js"), "well ", "so ", "hm "];
const [END, PROMPT, TOOL, FIX] = [0, 1, 2, 3];

/** A chat format over these eight tokens; a task's statement becomes three filler tokens, so that prompts differ. */
const CHAT: ChatFormat = {
  callFormat: "xml",
  prompt: (messages) => [PROMPT, ...[0, 1, 2].map((i) => 5 + (messages[1].content.charCodeAt(i) % 3))],
  toolResponses: (contents, sampledEnd) => [...(sampledEnd ? [] : [END]), ...contents.map(() => TOOL), PROMPT],
  assistantTurn: () => [END],
  stopTokens: [END],
  encode: () => [],
  decode: (ids) => ids.map((id) => TEXTS[id]).join(""),
};
const CONFIG = parseConfig(JSON.stringify({
  architectures: ["Qwen3ForCausalLM"], vocab_size: TEXTS.length, hidden_size: 16, intermediate_size: 24, num_hidden_layers: 2,
  num_attention_heads: 2, num_key_value_heads: 1, head_dim: 8, rms_norm_eps: 1e-6, rope_theta: 10000, max_position_embeddings: 64, tie_word_embeddings: true,
}));
const CAPS: Caps = { turns: 3, tokens: 48, turnTokens: 8, thinkTokens: 0, readChars: 500, outputChars: 500, commandSeconds: 5, seconds: 60 };
const SETTINGS: TrainerConfig = {
  seed: 7, groupSize: 4, lr: 0.02, optimizer: { beta1: 0.9, beta2: 0.98, eps: 1e-8, weightDecay: 0, clipNorm: 1, decay: "all" }, microBatchRows: 64, cutOffReward: 1, dropThreshold: 0.2,
};

const BUGGY = { "package.json": '{"type":"module"}', "src/a.js": "export const a = () => 2;\n", "test/b.test.js": 'import test from "node:test";\ntest("stays", () => {});\n' };
const TESTS = {
  "package.json": BUGGY["package.json"],
  "test/b.test.js": BUGGY["test/b.test.js"],
  "test/a.test.js": 'import test from "node:test";\nimport assert from "node:assert";\nimport { a } from "../src/a.js";\ntest("is one", () => assert.equal(a(), 1));\n',
};
const TASKS: Task[] = ["abc", "bca", "cab", "acb"].map((statement, i) => ({
  id: `task${i}`, version: 1, env: "toy", split: "train", use: "rl", operators: [], statement, level: 0,
  files: BUGGY, gold: { "src/a.js": "export const a = () => 1;\n" }, tests: TESTS, failToPass: ["test/a.test.js > is one"], passToPass: ["test/b.test.js > stays"],
}));

let sandboxes: SandboxFactory;
beforeAll(async () => {
  sandboxes = createEmbeddedSandboxes();
});
afterAll(() => sandboxes.close());

const mean = (xs: number[]) => xs.reduce((a, b) => a + b) / xs.length;
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0).toReversed()) close();
});

async function setUp(settings: Partial<TrainerConfig> = {}, factory = sandboxes, device: Device = createReferenceDevice()) {
  const decoder = Decoder.initialise(device, CONFIG, Random.stream("toy"));
  for (const name of decoder.parameters.names) {
    if (name.includes("norm")) continue;
    const weight = decoder.parameters.get(name);
    device.write(weight, ((await device.read(weight)) as Float32Array).map((w) => w * 8));
  }
  const adapter = LoraAdapter.initialise(device, CONFIG, { rank: 4, alpha: 8 }, Random.stream("toy adapter"));
  decoder.adapter = adapter;
  const policy = createLocalPolicy({ decoder, chat: CHAT, identity: { model: "toy", modelHash: "toy", adapterHash: await adapter.hash() }, contextLength: 64, cacheTokens: 64 * 64 });
  const setup = { policy, sandboxes: factory, caps: CAPS, concurrency: 8 };
  const trainer = new Trainer({ decoder, adapter, ...setup }, { ...SETTINGS, ...settings });
  closing.push(() => {
    policy.close();
    device.destroy();
  });
  return { adapter, setup, trainer, decoder };
}

async function trainFor(updates: number, { adapter, trainer }: Awaited<ReturnType<typeof setUp>>, storage: Storage) {
  const source = uniformSource(TASKS, 7);
  const resumed = await trainer.resume(storage);
  if (resumed) source.restore(resumed.cursor);
  const rewards: number[] = [];
  for (let i = 0; i < updates; i++) {
    const { metrics } = await trainer.update(await source.next(3));
    rewards.push(metrics.reward.mean);
    await trainer.save(storage, source.state());
  }
  return { hash: await adapter.hash(), rewards, checkpoint: (await storage.read("checkpoint.safetensors"))! };
}

describe("Trainer", () => {
  it("learns to solve the tasks", async () => {
    const parts = await setUp({ groupSize: 6, lr: 0.04 });
    const { rewards } = await trainFor(8, parts, createMemoryStorage());
    expect(mean(rewards.slice(-3))).toBeGreaterThan(mean(rewards.slice(0, 3)) + 0.15);
  });

  // Fewer on a GPU, which may be one in software.
  const devices: { name: string; half: number; createDevice: () => Promise<Device>; runs: boolean }[] = [
    { name: "reference", half: 2, createDevice: async () => createReferenceDevice(), runs: true },
    { name: "wasm", half: 2, createDevice: () => createWasmDevice({ threads: 2 }), runs: true },
    { name: "webgpu", half: 1, createDevice: createWebGpuDevice, runs: hasWebGpu },
  ];

  it.each(devices.filter(({ runs }) => runs))("resumes bit-identically on the $name device: $half + $half updates are twice as many", { timeout: 300_000 }, async ({ half, createDevice }) => {
    const fresh = async () => setUp({}, sandboxes, await createDevice());
    const whole = await trainFor(2 * half, await fresh(), createMemoryStorage());
    const storage = createMemoryStorage();
    const first = await trainFor(half, await fresh(), storage);
    const second = await trainFor(half, await fresh(), storage);
    expect([...first.rewards, ...second.rewards]).toEqual(whole.rewards);
    expect(second.hash).toBe(whole.hash);
    expect(Buffer.compare(second.checkpoint, whole.checkpoint)).toBe(0);
    expect(first.hash).not.toBe(second.hash);
  });

  it("does not depend on how many episodes run at once", async () => {
    const hashes = [];
    for (const concurrency of [1, 64]) {
      const parts = await setUp();
      const trainer = new Trainer({ decoder: parts.decoder, adapter: parts.adapter, ...parts.setup, concurrency }, SETTINGS);
      await trainer.update(TASKS.slice(0, 3));
      hashes.push(await parts.adapter.hash());
    }
    expect(hashes[0]).toBe(hashes[1]);
  });

  it("counts what happened", async () => {
    const { trainer } = await setUp();
    const { metrics, groups } = await trainer.update(TASKS);
    expect(groups.map((g) => g.rollouts.length)).toEqual([4, 4, 4, 4]);
    const { none, partial, all, total } = metrics.groups;
    expect([none + partial + all, total, metrics.rollouts]).toEqual([4, 4, { graded: 16, lost: 0 }]);
    const rewards = groups.flatMap((g) => g.rollouts.map((r) => r.reward!));
    expect(metrics.reward.mean).toBeCloseTo(rewards.reduce((a, b) => a + b) / 16, 12);
    expect(metrics.gap!.max).toBeLessThan(1e-5);
    expect([metrics.validCalls, metrics.formatMisses]).toEqual([1, 0]);
    expect(metrics.tokens.decode).toBe(metrics.tokens.assistant);
    // Grading is sandbox time too.
    const tools = groups.flatMap((g) => g.rollouts.flatMap((r) => r.steps.map((step) => step.seconds.tools)));
    expect(metrics.seconds.sandbox).toBeGreaterThan(tools.reduce((a, b) => a + b, 0));
    expect(Object.values(metrics.stops).reduce((a, b) => a + b)).toBe(16);
  });

  it("stops on an abort and is as it was before", async () => {
    const { trainer, adapter } = await setUp();
    const hash = await adapter.hash();
    const abort = new AbortController();
    const update = trainer.update(TASKS, { signal: abort.signal, onRollout: () => abort.abort(new Error("stop now")) });
    await expect(update).rejects.toThrow("stop now");
    expect([trainer.updates, await adapter.hash()]).toEqual([0, hash]);
    expect((await trainer.update(TASKS)).metrics.update).toBe(1);
  });
});

describe("checkpoint", () => {
  it("is refused with a reason when it is damaged, of another version, or of other settings", async () => {
    const storage = createMemoryStorage();
    const { checkpoint } = await trainFor(1, await setUp(), storage);
    await expect((await setUp({ lr: 0.5 })).trainer.resume(storage)).rejects.toThrow(/other settings \(lr was 0.02\)/);

    await storage.write("checkpoint.safetensors", checkpoint.slice(0, checkpoint.length - 10));
    await expect((await setUp()).trainer.resume(storage)).rejects.toThrow(CheckpointError);
    await expect((await setUp()).trainer.resume(storage)).rejects.toThrow(/damaged/);

    // The last bytes are those of an AdamW moment; the adapter alone would look sound.
    const flipped = checkpoint.slice();
    flipped[flipped.length - 2] ^= 1;
    await storage.write("checkpoint.safetensors", flipped);
    await expect((await setUp()).trainer.resume(storage)).rejects.toThrow(/damaged \(its tensors do not have the hash/);

    const torn = Buffer.from(checkpoint).toString("latin1").replace('"state":"{', '"state":"[');
    await storage.write("checkpoint.safetensors", Buffer.from(torn, "latin1"));
    await expect((await setUp()).trainer.resume(storage)).rejects.toThrow(/damaged \(its state is not JSON/);

    const text = Buffer.from(checkpoint).toString("latin1").replace('"frogpond_checkpoint":"2"', '"frogpond_checkpoint":"9"');
    await storage.write("checkpoint.safetensors", Buffer.from(text, "latin1"));
    await expect((await setUp()).trainer.resume(storage)).rejects.toThrow(/format version 9 .* reads version 2/);
  });

  it("is null where there is none", async () => {
    expect(await (await setUp()).trainer.resume(createMemoryStorage())).toBeNull();
  });
});

/** The real sandboxes, but creating the nth one fails as it would if its worker had died. */
function failing(fails: (n: number) => boolean): SandboxFactory {
  let n = 0;
  return {
    ...sandboxes,
    name: sandboxes.name,
    create: (files, limits) => (fails(n++) ? Promise.reject(new SandboxError("the worker died")) : sandboxes.create(files, limits)),
    close: async () => {},
  };
}

describe("runRollouts", () => {
  const jobs = TASKS.map((task) => ({ task, key: { seed: 1, update: 0, task: task.id, attempt: 0 }, sampling: { temperature: 1, topK: 0, topP: 1 } }));

  it("drops a rollout that the sandbox lost, and keeps the others", async () => {
    const { setup } = await setUp({}, failing((n) => n === 1));
    const results = await runRollouts({ ...setup, concurrency: 1 }, jobs);
    expect(results.map((t) => t === null).filter(Boolean)).toHaveLength(1);
    expect(results.find((t) => t !== null)!.grade).toBeDefined();
  });

  it("drops one that the wall clock ended", async () => {
    const { setup } = await setUp();
    const slow: Policy = {
      ...setup.policy,
      open: (...args) => {
        const session = setup.policy.open(...args);
        return { close: () => session.close(), generate: async (...turn) => (await new Promise((resolve) => setTimeout(resolve, 50)), session.generate(...turn)) };
      },
    };
    await expect(runRollouts({ ...setup, policy: slow, caps: { ...CAPS, seconds: 0.01 } }, jobs)).rejects.toThrow(/all 4 rollouts were lost; the last one because it took more than/);
  });

  it("drops one whose statement leaves no room in the context, and keeps the others", async () => {
    const { setup } = await setUp();
    const [first, ...rest] = jobs;
    const long: Policy = { ...setup.policy, chat: { ...CHAT, prompt: (messages) => (messages[1].content === "long" ? Array(CAPS.tokens).fill(PROMPT) : CHAT.prompt(messages, [])) } };
    const results = await runRollouts({ ...setup, policy: long }, [{ ...first, task: { ...first.task, statement: "long" } }, ...rest]);
    expect(results.map((t) => t === null)).toEqual([true, false, false, false]);
  });

  it("says so when every rollout is lost", async () => {
    const { setup } = await setUp({}, failing(() => true));
    await expect(runRollouts(setup, jobs)).rejects.toThrow(RolloutError);
    await expect(runRollouts(setup, jobs)).rejects.toThrow("the worker died");
  });
});

describe("evaluate", () => {
  const options = { tasks: TASKS, attempts: 3, sampling: { temperature: 1, topK: 0, topP: 1 }, seed: 5 };

  it("gives every attempt, the same ones after an interruption", async () => {
    const { setup } = await setUp();
    const whole = await evaluate(setup, options);
    expect(whole.map((a) => `${a.task} ${a.attempt}`)).toEqual(TASKS.flatMap((t) => [0, 1, 2].map((i) => `${t.id} ${i}`)));
    expect(new Set(whole.map((a) => a.solved)).size).toBe(2);

    const storage = createMemoryStorage();
    const record = { storage, key: "attempts.jsonl" };
    const abort = new AbortController();
    let seen = 0;
    const kept: Trajectory[] = [];
    const onTrajectory = (t: Trajectory) => void (kept.push(t), ++seen === 5 && abort.abort(new Error("interrupted")));
    await expect(evaluate({ ...setup, concurrency: 2 }, { ...options, record, signal: abort.signal, onTrajectory })).rejects.toThrow("interrupted");
    const before = await readJsonLines<Attempt>(storage, "attempts.jsonl");
    expect(before.length).toBeGreaterThanOrEqual(5);
    expect(before.length).toBeLessThan(12);

    await storage.append("attempts.jsonl", '{"task":"torn');
    const made: string[] = [];
    const resumed = await evaluate(setup, { ...options, record, onTrajectory: (t) => void made.push(t.taskId) });
    expect(resumed).toEqual(whole);
    expect(made).toHaveLength(12 - before.length);
    expect(await readJsonLines(storage, "attempts.jsonl")).toHaveLength(12);
  });

  it("scores the policy that decodes FIX first", async () => {
    const { setup } = await setUp();
    const solved: boolean[] = [];
    await evaluate(setup, { ...options, onTrajectory: (t) => void solved.push(t.ledger.ids.includes(FIX) || !t.grade!.solved) });
    expect(solved.every(Boolean)).toBe(true);
  });
});
