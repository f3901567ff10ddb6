/** A model's own chat template behind the `ChatFormat` interface. Nothing here knows any particular model. */
import { Template } from "@huggingface/jinja";
import type { ChatFormat, ChatMessage, ToolSchema } from "./chat.ts";
import { type Tokenizer, TokenizerError } from "./tokenizer.ts";

/** Stands for sampled text when the template is rendered only to see what it writes around it. */
const MARK = "FROGPONDMARK";
const USER: ChatMessage = { role: "user", content: MARK };
const PROBE_CALL = { function: { name: "Probe", arguments: { alpha: "beta" } } };

/** Throws `TokenizerError` when the template does not parse, or writes tool calls in no form that we can read back. */
export function createChatFormat(tokenizer: Tokenizer): ChatFormat {
  let template: Template;
  try {
    template = new Template(tokenizer.chatTemplate);
  } catch (error) {
    throw new TokenizerError(`The chat template does not parse: ${(error as Error).message}.`);
  }
  const stopTexts = tokenizer.stopTokens.map((id) => tokenizer.decode([id])).filter((text) => text !== "");

  const render = (messages: ChatMessage[], tools: ToolSchema[], generationPrompt: boolean): string => {
    try {
      return template.render({
        messages: messages.map((message) => harmless(message, tokenizer.specialTokens)),
        tools: tools.length > 0 ? tools : null,
        add_generation_prompt: generationPrompt,
        bos_token: tokenizer.bosToken,
        eos_token: tokenizer.eosToken,
      });
    } catch (error) {
      throw new TokenizerError(`The chat template fails on a dialogue with tools: ${(error as Error).message}.`);
    }
  };

  /** The first end-of-turn token at or after `from`: [start, end) in `text`. */
  const endOfTurn = (text: string, from: number): [number, number] => {
    let found: [number, number] | undefined;
    for (const stop of stopTexts) {
      const at = text.indexOf(stop, from);
      if (at >= 0 && (found === undefined || at < found[0])) found = [at, at + stop.length];
    }
    if (found === undefined) throw new TokenizerError(`The chat template does not end an assistant turn with a stop token (${stopTexts.join(", ")}). Check eos_token.`);
    return found;
  };

  const assistantTurn: ChatFormat["assistantTurn"] = (content, calls) => {
    const opening = render([USER], [], true);
    const message: ChatMessage = { role: "assistant", content };
    if (calls.length > 0) message.tool_calls = calls.map(({ name, arguments: args }) => ({ function: { name, arguments: args } }));
    const whole = render([USER, message], [], false);
    if (!whole.startsWith(opening)) throw new TokenizerError("The chat template opens a generated turn in another way than it renders a finished one.");
    return tokenizer.encode(whole.slice(opening.length, endOfTurn(whole, opening.length)[1]));
  };

  // The rest of a turn depends only on the template, never on what was sampled: history is not rendered again.
  const toolResponses: ChatFormat["toolResponses"] = (contents, sampledEnd) => {
    const assistant: ChatMessage = { role: "assistant", content: MARK, tool_calls: contents.map(() => PROBE_CALL) };
    const text = render([{ role: "user", content: "?" }, assistant, ...contents.map((content): ChatMessage => ({ role: "tool", content }))], [], true);
    const [start, end] = endOfTurn(text, text.indexOf(MARK));
    return tokenizer.encode(text.slice(sampledEnd ? end : start));
  };

  return {
    callFormat: detectCallFormat(render([USER, { role: "assistant", content: "", tool_calls: [PROBE_CALL] }], [], false)),
    prompt: (messages, tools) => tokenizer.encode(render(messages, tools, true)),
    toolResponses,
    assistantTurn,
    stopTokens: tokenizer.stopTokens,
    encode: (text) => tokenizer.encode(text),
    decode: (ids) => tokenizer.decode(ids),
  };
}

function detectCallFormat(rendered: string): "xml" | "json" {
  if (/<function=Probe>\s*<parameter=alpha>\s*beta\s*<\/parameter>/.test(rendered)) return "xml";
  if (/<tool_call>\s*\{\s*"name":\s*"Probe",\s*"arguments":\s*\{\s*"alpha":\s*"beta"/.test(rendered)) return "json";
  throw new TokenizerError("The chat template writes tool calls neither as <function=…> nor as JSON inside <tool_call>. This model cannot act as an agent here.");
}

/** A file or a statement that spells a control token must not end the turn: a zero-width space breaks the spelling. */
function harmless(message: ChatMessage, specialTokens: readonly string[]): ChatMessage {
  const clean = (text: string): string => {
    for (const token of specialTokens) if (text.includes(token)) text = text.replaceAll(token, `${token[0]}\u200b${token.slice(1)}`);
    return text;
  };
  const copy: ChatMessage = { ...message, content: clean(message.content) };
  if (message.tool_calls !== undefined) {
    copy.tool_calls = message.tool_calls.map(({ function: call }) => ({
      function: { name: call.name, arguments: Object.fromEntries(Object.entries(call.arguments).map(([key, value]) => [key, typeof value === "string" ? clean(value) : value])) },
    }));
  }
  return copy;
}
