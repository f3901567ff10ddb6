/** A policy that says what a function tells it to: for tests of what surrounds a policy, and to write demonstrations. */
import { type ChatFormat, ContextLengthError } from "../model/index.ts";
import type { EpisodeKey, Policy, PolicySession, Turn } from "./policy.ts";

export interface ScriptedTurn {
  /** The whole context so far, special tokens kept. */
  context: string;
  /** 0 for the first assistant turn. */
  turn: number;
  key: EpisodeKey;
}

/** Raw text, to which an end-of-turn token is added unless it holds one; or a turn for the chat template to write. */
export type ScriptedAnswer = string | { content: string; calls: { name: string; arguments: Record<string, unknown> }[] };

export interface ScriptedPolicyOptions {
  chat: ChatFormat;
  contextLength: number;
  script: (turn: ScriptedTurn) => ScriptedAnswer | Promise<ScriptedAnswer>;
}

/** Its log-probabilities are 0 (it is certain), and the caps of `generate` cut it as they would cut a model. */
export function createScriptedPolicy({ chat, contextLength, script }: ScriptedPolicyOptions): Policy {
  return {
    identity: { model: "scripted", modelHash: "scripted", adapterHash: null },
    chat,
    contextLength,
    open(key): PolicySession {
      const context: number[] = [];
      let turns = 0;
      return {
        async generate(prompt, { maxTokens, signal, onToken }): Promise<Turn> {
          signal?.throwIfAborted();
          if (context.length + prompt.length >= contextLength) {
            if (context.length === 0) throw new ContextLengthError(prompt.length, contextLength);
            return { ids: [], logprobs: [], stop: "context" };
          }
          for (const id of prompt) context.push(id);
          const answer = await script({ context: chat.decode(context), turn: turns++, key });
          signal?.throwIfAborted();
          const room = contextLength - context.length;
          let ids = encodeAnswer(chat, answer);
          let stop: Turn["stop"] = "end";
          if (ids.length > Math.min(maxTokens, room)) {
            stop = room <= maxTokens ? "context" : "length";
            ids = ids.slice(0, Math.min(maxTokens, room));
          }
          for (const id of ids) {
            context.push(id);
            onToken?.(id);
          }
          return { ids, logprobs: ids.map(() => 0), stop };
        },
        close() {},
      };
    },
  };
}

/** Ids up to the first end-of-turn token, which is added where there is none. */
function encodeAnswer(chat: ChatFormat, answer: ScriptedAnswer): number[] {
  const ids = typeof answer === "string" ? chat.encode(answer) : chat.assistantTurn(answer.content, answer.calls);
  const end = ids.findIndex((id) => chat.stopTokens.includes(id));
  return end < 0 ? [...ids, chat.stopTokens[0]] : ids.slice(0, end + 1);
}
