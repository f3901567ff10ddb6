/** Chat template and tokenizer of one model, as the agent sees them. Implemented in chat-format.ts. */
export interface ChatMessage {
  role: "system" | "user" | "assistant" | "tool";
  content: string;
  tool_calls?: { function: { name: string; arguments: Record<string, unknown> } }[];
}

/** JSON-schema description of a tool, in the form chat templates expect. */
export interface ToolSchema {
  type: "function";
  function: { name: string; description: string; parameters: { type: "object"; properties: Record<string, { type: string; description: string }>; required: string[] } };
}

export interface ChatFormat {
  /** How the template writes tool calls: XML (Qwen3.5, tadpole) or JSON (Qwen3, Qwen2.5). */
  readonly callFormat: "xml" | "json";
  /** Ids of the opening prompt: system, tools, user message, and the start of the assistant's turn. */
  prompt(messages: ChatMessage[], tools: ToolSchema[]): number[];
  /**
   * Ids that continue the ledger after a sampled assistant turn: the rest of its end-of-turn (only what was not
   * sampled), the tool responses as the template writes them, and the start of the next assistant turn.
   */
  toolResponses(contents: string[], sampledEnd: boolean): number[];
  /**
   * Ids of a finished assistant turn as the template writes it, end-of-turn included, start of turn (which `prompt`
   * and `toolResponses` end with) excluded: for demonstrations and scripted policies.
   */
  assistantTurn(content: string, calls: { name: string; arguments: Record<string, unknown> }[]): number[];
  readonly stopTokens: readonly number[];
  encode(text: string): number[];
  /** Special tokens are kept as text. */
  decode(ids: readonly number[]): string;
}
