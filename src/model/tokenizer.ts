/** A model's tokenizer and the facts of its chat format, read from the files a model folder holds. */
import { Tokenizer as HubTokenizer } from "@huggingface/tokenizers";

/** The tokenizer's files are missing something, do not parse, or the chat template cannot be used. */
export class TokenizerError extends Error {
  override name = "TokenizerError";
}

/** Contents of the files, as text. */
export interface TokenizerFiles {
  /** tokenizer.json */
  tokenizer: string;
  /** tokenizer_config.json */
  config: string;
  /** chat_template.jinja; models that have it need no `chat_template` in their config. */
  chatTemplate?: string;
  /** generation_config.json: its `eos_token_id` are stop tokens too. */
  generationConfig?: string;
}

export class Tokenizer {
  private readonly hub: HubTokenizer;
  /** Added tokens that control the dialogue (`special` in tokenizer.json), as text. */
  readonly specialTokens: readonly string[];
  /** Number of ids, added tokens included. A model may have more rows than this, never fewer. */
  readonly vocabSize: number;
  readonly chatTemplate: string;
  /** End-of-turn ids, at least one. */
  readonly stopTokens: readonly number[];
  readonly bosToken: string;
  readonly eosToken: string;

  /** Throws `TokenizerError` when a file does not parse, no chat template is given or no end-of-turn token is known. */
  constructor(files: TokenizerFiles) {
    const json = parseObject(files.tokenizer, "tokenizer.json");
    const config = parseObject(files.config, "tokenizer_config.json");
    const generation = files.generationConfig === undefined ? {} : parseObject(files.generationConfig, "generation_config.json");
    try {
      this.hub = new HubTokenizer(json, config);
    } catch (error) {
      throw new TokenizerError(`tokenizer.json cannot be used: ${(error as Error).message}. Fetch the model's tokenizer.json again.`);
    }
    const added = [...this.hub.get_added_tokens_decoder().values()];
    this.specialTokens = added.filter((token) => token.special).map((token) => token.content);
    let last = -1;
    for (const id of this.hub.get_vocab().values()) last = Math.max(last, id);
    this.vocabSize = last + 1;
    this.chatTemplate = files.chatTemplate ?? templateOf(config);
    this.bosToken = tokenText(config.bos_token);
    this.eosToken = tokenText(config.eos_token);

    const stops = new Set<number>();
    const eos = this.eosToken === "" ? undefined : this.hub.token_to_id(this.eosToken);
    if (eos !== undefined) stops.add(eos);
    for (const id of [generation.eos_token_id].flat()) if (typeof id === "number") stops.add(id);
    if (stops.size === 0) {
      throw new TokenizerError("tokenizer_config.json names no eos_token that tokenizer.json holds, so a turn could never end. Add eos_token.");
    }
    this.stopTokens = [...stops];
    if (this.decode(this.encode("a 1")).trim() !== "a 1") throw new TokenizerError("tokenizer.json cannot write plain text: its vocabulary is empty or incomplete. Fetch the model's tokenizer.json again.");
  }

  /** Special tokens inside the text become their ids. */
  encode(text: string): number[] {
    return this.hub.encode(text, { add_special_tokens: false }).ids;
  }

  /** Special tokens are kept as text; bytes that are no UTF-8 become U+FFFD, ids outside the vocabulary nothing. */
  decode(ids: readonly number[]): string {
    if (ids.length === 0) return "";
    return this.hub.decode(ids as number[], { skip_special_tokens: false, clean_up_tokenization_spaces: false });
  }
}

function parseObject(text: string, file: string): Record<string, any> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new TokenizerError(`${file} is not JSON: ${(error as Error).message}. Fetch it again.`);
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw new TokenizerError(`${file} holds no JSON object. Fetch it again.`);
  return value as Record<string, any>;
}

/** `chat_template` is one template, or a list of named ones of which "tool_use" then "default" serve an agent. */
function templateOf(config: Record<string, any>): string {
  const template = config.chat_template;
  if (typeof template === "string" && template.trim() !== "") return template;
  if (Array.isArray(template)) {
    const named = template.find((entry) => entry?.name === "tool_use") ?? template.find((entry) => entry?.name === "default");
    if (typeof named?.template === "string") return named.template;
  }
  throw new TokenizerError("The tokenizer has no chat template: give chat_template in tokenizer_config.json or a chat_template.jinja file. A base model without one cannot act as an agent.");
}

/** A token in tokenizer_config.json is text, or an object with `content`. */
function tokenText(token: unknown): string {
  if (typeof token === "string") return token;
  const content = (token as { content?: unknown } | null | undefined)?.content;
  return typeof content === "string" ? content : "";
}
