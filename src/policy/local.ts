/** A policy whose model runs on a device of ours: its episodes decode together, and it can be trained in place. */
import { Random } from "../compute/index.ts";
import { type ChatFormat, type Decoder, Generator, type GeneratorStatistics } from "../model/index.ts";
import type { EpisodeKey, Policy } from "./policy.ts";

export interface LocalPolicyOptions {
  /** Stays the caller's: the policy neither changes nor frees it. */
  decoder: Decoder;
  chat: ChatFormat;
  identity: Policy["identity"];
  /** Longest episode in tokens. */
  contextLength: number;
  /** Key/value cache in tokens, for all episodes together; at least `contextLength`. */
  cacheTokens: number;
}

export interface LocalPolicy extends Policy {
  /** Totals since the policy was made; take differences for one update. */
  readonly statistics: Readonly<GeneratorStatistics>;
  /** Must be called after the decoder's weights or adapter changed: cached keys and values belong to the old ones. */
  weightsChanged(adapterHash: string | null): void;
  /** Frees the cache; turns under way reject. */
  close(): void;
}

/** Throws a RangeError when the cache cannot hold one whole context. */
export function createLocalPolicy({ decoder, chat, identity, contextLength, cacheTokens }: LocalPolicyOptions): LocalPolicy {
  const generator = new Generator(decoder, { stopTokens: chat.stopTokens, contextLength, cacheTokens });
  let current = identity;
  return {
    get identity() {
      return current;
    },
    chat,
    contextLength,
    open: (key, sampling) => generator.open(episodeStream(key), sampling),
    get statistics() {
      return generator.statistics;
    },
    weightsChanged(adapterHash) {
      current = { ...current, adapterHash };
      generator.invalidate();
    },
    close: () => generator.close(),
  };
}

function episodeStream({ seed, update, task, attempt }: EpisodeKey): Random {
  return Random.stream(seed, "sampling", update, task, attempt);
}
