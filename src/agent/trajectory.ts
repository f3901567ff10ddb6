/** One episode as it is stored (JSONL, one a line). Documented in docs/trajectory.md; bump `version` on any change. */
export type StopReason = "done" | "length" | "turns" | "tokens" | "repetition" | "time" | "cancelled";

export interface ToolCall {
  name: string;
  arguments: Record<string, unknown>;
  /** Set when the call could not be parsed or its arguments were wrong: the model sees this as a tool error. */
  error?: string;
}

export interface Step {
  /** Text of the assistant's turn, special tokens kept. */
  text: string;
  calls: ToolCall[];
  results: { name: string; content: string; ok: boolean }[];
  seconds: { model: number; tools: number };
}

/** Append-only token record of an episode: what was in context, what was sampled, with which probability. */
export interface Ledger {
  ids: number[];
  /** 1 where the token was sampled by the policy, 0 for prompt and tool output. */
  sampled: number[];
  /** Sampler log-probability where sampled, 0 elsewhere. */
  logprobs: number[];
}

export interface Trajectory {
  version: 1;
  taskId: string;
  env: string;
  key: { seed: number; update: number; task: string; attempt: number };
  policy: { model: string; modelHash: string; adapterHash: string | null };
  sampling: { temperature: number; topK: number; topP: number };
  steps: Step[];
  ledger: Ledger;
  stop: StopReason;
  /** Unified diff of the agent's changes. */
  patch: string;
  formatMisses: number;
  /** Filled by grading. */
  grade?: { solved: boolean; failed: string[]; touchedTests: string[] };
  reward?: number;
}
