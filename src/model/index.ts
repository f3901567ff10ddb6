export * from "./chat.ts";
export { Tokenizer, TokenizerError, type TokenizerFiles } from "./tokenizer.ts";
export { createChatFormat } from "./chat-format.ts";
export { trainBpe } from "./bpe.ts";
