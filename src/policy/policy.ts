/** What an agent talks to: sampled tokens in, sampled tokens out. Local, web-llm and scripted policies implement it. */
import type { ChatFormat } from "../model/index.ts";

/** Names an episode's random stream: numbers never depend on scheduling. */
export interface EpisodeKey {
  seed: number;
  update: number;
  task: string;
  attempt: number;
}

export interface Sampling {
  temperature: number;
  topK: number;
  topP: number;
}

export interface Turn {
  /** Sampled ids, the end-of-turn token included when it was sampled. */
  ids: number[];
  /** Log-probability of each sampled id under the distribution it was drawn from. */
  logprobs: number[];
  /** end: an end-of-turn token; length: maxTokens reached; context: the window is full; repetition: the loop stop fired. */
  stop: "end" | "length" | "context" | "repetition";
}

export interface PolicySession {
  /**
   * Appends `prompt` ids (the first prompt, later tool responses) to the context and samples until a stop token.
   * Rejects with the signal's reason on abort. Sessions of one policy decode together.
   */
  generate(prompt: readonly number[], options: { maxTokens: number; signal?: AbortSignal; onToken?: (id: number) => void }): Promise<Turn>;
  /** Gives the cache back. */
  close(): void;
}

export interface Policy {
  /** For records: model name and hash, adapter hash or null. */
  readonly identity: { model: string; modelHash: string; adapterHash: string | null };
  readonly chat: ChatFormat;
  /** Longest context in tokens. */
  readonly contextLength: number;
  open(key: EpisodeKey, sampling: Sampling): PolicySession;
}
