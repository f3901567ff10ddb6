import { describe, expect, it } from "vitest";
import { createReferenceDevice, Random } from "../compute/index.ts";
import { type ChatFormat, ContextLengthError, createChatFormat, Decoder, parseConfig, Tokenizer, trainBpe } from "../model/index.ts";
import { createLocalPolicy, createScriptedPolicy, type EpisodeKey, type ScriptedTurn } from "./index.ts";

const VOCABULARY = 300;
const TEMPLATE = `{% for m in messages %}{% if m.role == "tool" %}<|start|>user
<tool_response>
{{ m.content }}
</tool_response><|end|>
{% else %}<|start|>{{ m.role }}
{{ m.content }}{% for c in m.tool_calls or [] %}<tool_call>
<function={{ c.function.name }}>
{% for k, v in c.function.arguments | items %}<parameter={{ k }}>
{{ v }}
</parameter>
{% endfor %}</function>
</tool_call>{% endfor %}<|end|>
{% endif %}{% endfor %}{% if add_generation_prompt %}<|start|>assistant
{% endif %}`;

function makeChat(): ChatFormat {
  const specialTokens = ["<|start|>", "<|end|>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"];
  const json = trainBpe(["const a = b + c;\n", "read the file again\n"], { vocabSize: VOCABULARY, specialTokens });
  return createChatFormat(new Tokenizer({
    tokenizer: JSON.stringify(json),
    config: JSON.stringify({ tokenizer_class: "PreTrainedTokenizer", eos_token: "<|end|>", chat_template: TEMPLATE }),
  }));
}

const chat = makeChat();
const opening = chat.prompt([{ role: "user", content: "Fix it." }], []);
const key: EpisodeKey = { seed: 1, update: 2, task: "t", attempt: 3 };
const sampling = { temperature: 1, topK: 0, topP: 1 };
const identity = { model: "random", modelHash: "h", adapterHash: null };

function makeLocal() {
  const device = createReferenceDevice();
  const decoder = Decoder.initialise(device, parseConfig(JSON.stringify({
    architectures: ["Qwen3ForCausalLM"], vocab_size: VOCABULARY, hidden_size: 16, intermediate_size: 24, num_hidden_layers: 2,
    num_attention_heads: 2, num_key_value_heads: 1, head_dim: 8, rms_norm_eps: 1e-6, rope_theta: 10000,
    max_position_embeddings: 256, tie_word_embeddings: true,
  })), Random.stream("policy test"));
  return { decoder, policy: createLocalPolicy({ decoder, chat, identity, contextLength: 256, cacheTokens: 1024 }) };
}

describe("local policy", () => {
  it("names an episode's numbers by its key alone", async () => {
    const { policy } = makeLocal();
    const run = (k: EpisodeKey) => policy.open(k, sampling).generate(opening, { maxTokens: 10 });
    const first = await run(key);
    const others = [{ ...key, seed: 2 }, { ...key, update: 3 }, { ...key, task: "u" }, { ...key, attempt: 4 }];
    const [again, ...different] = await Promise.all([key, ...others].map(run));
    expect(again).toEqual(first);
    for (const other of different) expect(other.ids).not.toEqual(first.ids);
    expect(policy.statistics.decodeTokens).toBeGreaterThan(10);
    policy.close();
  });

  it("drops what it cached, and changes its identity, when the adapter changes", async () => {
    const { policy } = makeLocal();
    const session = policy.open(key, sampling);
    await session.generate(opening, { maxTokens: 2 });
    session.close();
    policy.weightsChanged("adapter 1");
    expect(policy.identity).toEqual({ ...identity, adapterHash: "adapter 1" });
    await policy.open(key, sampling).generate(opening, { maxTokens: 2 });
    expect(policy.statistics.cachedTokens).toBe(0);
    expect(policy.statistics.prefillTokens).toBe(2 * opening.length);
    policy.close();
  });
});

describe("scripted policy", () => {
  it("says what the script says, as the model's own template writes it", async () => {
    const seen: ScriptedTurn[] = [];
    const policy = createScriptedPolicy({
      chat,
      contextLength: 500,
      script(turn) {
        seen.push(turn);
        return turn.turn === 0 ? { content: "", calls: [{ name: "Read", arguments: { file_path: "a.js" } }] } : "It is fixed.";
      },
    });
    const session = policy.open(key, sampling);
    const streamed: number[] = [];
    const one = await session.generate(opening, { maxTokens: 200, onToken: (id) => streamed.push(id) });
    expect(chat.decode(one.ids)).toBe("<tool_call>\n<function=Read>\n<parameter=file_path>\na.js\n</parameter>\n</function>\n</tool_call><|end|>");
    expect(one.stop).toBe("end");
    expect(streamed).toEqual(one.ids);
    expect(one.logprobs).toEqual(one.ids.map(() => 0));
    const two = await session.generate(chat.toolResponses(["1 const a"], true), { maxTokens: 200 });
    expect(chat.decode(two.ids)).toBe("It is fixed.<|end|>");
    expect(seen.map(({ turn }) => turn)).toEqual([0, 1]);
    expect(seen[1].context).toBe(chat.decode(opening) + chat.decode(one.ids) + "\n<|start|>user\n<tool_response>\n1 const a\n</tool_response><|end|>\n<|start|>assistant\n");
    expect(seen[1].key).toEqual(key);
  });

  it("ends a text at its own end of turn, and is cut by the caps", async () => {
    const policy = (contextLength: number) => createScriptedPolicy({ chat, contextLength, script: () => "abc<|end|>def" }).open(key, sampling);
    const whole = await policy(100).generate(opening, { maxTokens: 50 });
    expect(chat.decode(whole.ids)).toBe("abc<|end|>");
    const length = await policy(100).generate(opening, { maxTokens: 2 });
    expect(length).toEqual({ ids: whole.ids.slice(0, 2), logprobs: [0, 0], stop: "length" });
    const context = await policy(opening.length + 1).generate(opening, { maxTokens: 50 });
    expect(context).toEqual({ ids: whole.ids.slice(0, 1), logprobs: [0], stop: "context" });
    const full = policy(opening.length + 2);
    await full.generate(opening, { maxTokens: 1 });
    expect(await full.generate(opening, { maxTokens: 1 })).toEqual({ ids: [], logprobs: [], stop: "context" });
    await expect(policy(opening.length).generate(opening, { maxTokens: 50 })).rejects.toThrow(ContextLengthError);
    await expect(policy(100).generate(opening, { maxTokens: 2, signal: AbortSignal.abort(new Error("stopped")) })).rejects.toThrow("stopped");
  });
});
