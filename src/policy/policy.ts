/** What an agent talks to: sampled tokens in, sampled tokens out. Local, web-llm and scripted policies implement it. */
import type { ChatFormat, GenerateOptions, Sampling, Turn } from "../model/index.ts";

export type { Sampling, Turn };

/** Names an episode's random stream: numbers never depend on scheduling. */
export interface EpisodeKey {
  seed: number;
  update: number;
  task: string;
  attempt: number;
}

export interface PolicySession {
  /**
   * Appends `prompt` ids (the first prompt, later tool responses) to the context and samples until a stop token.
   * Rejects with the signal's reason on abort. Sessions of one policy decode together.
   */
  generate(prompt: readonly number[], options: GenerateOptions): Promise<Turn>;
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
