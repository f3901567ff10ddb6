/** Limits of an episode. They depend on the model's context; nothing else in the harness does. */
export interface Caps {
  /** Assistant turns. */
  turns: number;
  /** Tokens of the whole episode: prompt, sampled, tool output. */
  tokens: number;
  /** Sampled tokens of one turn. */
  turnTokens: number;
  /** Sampled tokens of one turn's thinking; then the block is closed by force. */
  thinkTokens: number;
  /** Characters of a Read. */
  readChars: number;
  /** Characters of any other tool output. */
  outputChars: number;
  /** Seconds of a Bash command when the call names no timeout, and the most that it may name. */
  commandSeconds: number;
  /** Wall clock of the episode. */
  seconds: number;
}

export const CAPS = {
  /** The embedded model: 1,024 tokens of context. */
  tadpole: { turns: 10, tokens: 1024, turnTokens: 200, thinkTokens: 0, readChars: 1600, outputChars: 1600, commandSeconds: 10, seconds: 120 },
  /** Output limits of the Leaf harness. */
  default: { turns: 60, tokens: 32_768, turnTokens: 8192, thinkTokens: 4096, readChars: 20_000, outputChars: 30_000, commandSeconds: 120, seconds: 1800 },
} satisfies Record<string, Caps>;
