export * from "./chat.ts";
export { Tokenizer, TokenizerError, type TokenizerFiles } from "./tokenizer.ts";
export { createChatFormat } from "./chat-format.ts";
export { trainBpe } from "./bpe.ts";
export { ContextLengthError, Generator, NonFiniteLogitsError, type GenerateOptions, type GeneratorStatistics, type Sampling, type Turn } from "./generator.ts";
