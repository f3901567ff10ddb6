/**
 * Reads the tool calls in an assistant's turn. Two forms: XML (`<function=Name><parameter=key>value</parameter>…`)
 * and JSON (`{"name": …, "arguments": {…}}`), both inside `<tool_call>`. Whatever can be understood is run; every
 * departure from the model's own form is counted as a format miss. It never throws.
 */
import type { ToolSchema } from "../model/index.ts";
import type { ToolCall } from "./trajectory.ts";

export interface ParsedTurn {
  calls: ToolCall[];
  /** Calls that were bare, unclosed, in the other form, unreadable or wrongly filled in. */
  misses: number;
}

/**
 * An XML value that starts with a newline loses it, and then one newline at its end if there is one; any other value
 * is taken as it is. Indentation is always kept.
 */
export function parseCalls(text: string, format: "xml" | "json", tools: readonly ToolSchema[]): ParsedTurn {
  const body = withoutThinking(text);
  let found = taggedCalls(body, format);
  if (found.length === 0) found = bareCalls(body, tools);
  const parsed: ParsedTurn = { calls: [], misses: 0 };
  for (const { call, clean } of found) {
    const checked = call.error === undefined ? checkArguments(call, tools) : call;
    parsed.calls.push(checked);
    if (!clean || checked.error !== undefined) parsed.misses++;
  }
  return parsed;
}

interface Found {
  call: ToolCall;
  /** Written exactly in the model's own form. */
  clean: boolean;
}

const CALL_START = /<tool_call>|<function=/g;

/** Everything after the thinking block. The template may have opened the block, so its start need not be here. */
function withoutThinking(text: string): string {
  const end = text.indexOf("</think>");
  if (end < 0) return text;
  const before = text.slice(0, end);
  return before.trimStart().startsWith("<think>") || before.search(CALL_START) < 0 ? text.slice(end + "</think>".length) : text;
}

function taggedCalls(body: string, format: "xml" | "json"): Found[] {
  const found: Found[] = [];
  let at = 0;
  for (;;) {
    CALL_START.lastIndex = at;
    const start = CALL_START.exec(body);
    if (start === null) return found;
    const wrapped = start[0] === "<tool_call>";
    let inner = wrapped ? skipSpace(body, CALL_START.lastIndex) : start.index;
    const before = found.length;
    if (body.startsWith("{", inner)) {
      const { value, end } = readJson(body, inner);
      found.push({ call: callFromJson(value), clean: format === "json" && wrapped });
      inner = end;
    } else if (body.startsWith("<function=", inner)) {
      // Several functions may share one <tool_call>.
      while (body.startsWith("<function=", inner)) {
        const { call, end, closed } = readFunction(body, inner);
        found.push({ call, clean: format === "xml" && wrapped && closed });
        inner = skipSpace(body, end);
      }
    } else {
      found.push({ call: broken("", "The tool call is neither <function=Name> nor a JSON object."), clean: false });
    }
    inner = skipSpace(body, inner);
    if (wrapped && body.startsWith("</tool_call>", inner)) inner += "</tool_call>".length;
    else if (wrapped) for (let i = before; i < found.length; i++) found[i].clean = false;
    at = inner;
  }
}

function skipSpace(text: string, from: number): number {
  while (from < text.length && /\s/.test(text[from])) from++;
  return from;
}

/** Reads `<function=Name>…</function>` at `from`. Missing closing tags are taken as given where the next tag starts. */
function readFunction(text: string, from: number): { call: ToolCall; end: number; closed: boolean } {
  const open = /<function=([^<>\n]*)>/y;
  open.lastIndex = from;
  const head = open.exec(text);
  if (head === null) return { call: broken("", "<function= is not followed by a name and >."), end: from + "<function=".length, closed: false };
  const args: [string, unknown][] = [];
  const name = head[1].trim();
  const parameter = /<parameter=([^<>\n]*)>/y;
  let at = skipSpace(text, open.lastIndex);
  let closed = true;
  for (;;) {
    parameter.lastIndex = at;
    const key = parameter.exec(text);
    if (key === null) break;
    const start = parameter.lastIndex;
    let end = text.indexOf("</parameter>", start);
    if (end >= 0) at = end + "</parameter>".length;
    else {
      closed = false;
      const rest = text.slice(start).search(/<parameter=|<\/function>|<\/tool_call>|<\|im_end\|>|<\|endoftext\|>/);
      end = at = rest < 0 ? text.length : start + rest;
    }
    const value = text.slice(start, end);
    args.push([key[1].trim(), value.startsWith("\n") ? value.slice(1).replace(/\n$/, "") : value]);
    at = skipSpace(text, at);
  }
  if (text.startsWith("</function>", at)) at += "</function>".length;
  else closed = false;
  return { call: { name, arguments: Object.fromEntries(args) }, end: at, closed };
}

/** Reads the JSON object at `from`; `value` is undefined when it is none, and `end` then leaves no call unread. */
function readJson(text: string, from: number): { value: unknown; end: number } {
  let depth = 0;
  let inString = false;
  let end = -1;
  for (let i = from; i < text.length && end < 0; i++) {
    const c = text[i];
    if (inString) {
      if (c === "\\") i++;
      else if (c === '"') inString = false;
    } else if (c === '"') inString = true;
    else if (c === "{" || c === "[") depth++;
    else if ((c === "}" || c === "]") && --depth === 0) end = i + 1;
  }
  if (end < 0) {
    const close = text.indexOf("</tool_call>", from);
    return { value: undefined, end: close < 0 ? text.length : close };
  }
  const source = text.slice(from, end);
  for (const candidate of [source, escapeControls(source)]) {
    try {
      return { value: JSON.parse(candidate), end };
    } catch {
      // Tried again with newlines inside strings escaped: the usual slip of a small model.
    }
  }
  return { value: undefined, end };
}

function escapeControls(json: string): string {
  return json.replace(/"(?:[^"\\]|\\[\s\S])*"/g, (text) => text.replace(/\n/g, "\\n").replace(/\r/g, "\\r").replace(/\t/g, "\\t"));
}

function callFromJson(value: unknown): ToolCall {
  if (value === undefined) return broken("", "The tool call is not valid JSON.");
  const record = value as Record<string, unknown>;
  if (typeof record.name !== "string") return broken("", 'The tool call has no "name".');
  let args: unknown = record.arguments ?? record.parameters ?? {};
  if (typeof args === "string") {
    try {
      args = JSON.parse(args);
    } catch {
      return broken(record.name, "The arguments are not valid JSON.");
    }
  }
  if (args === null || typeof args !== "object" || Array.isArray(args)) return broken(record.name, "The arguments are not a JSON object.");
  return { name: record.name, arguments: args as Record<string, unknown> };
}

/** JSON calls of known tools without `<tool_call>`, alone or in a code fence. */
function bareCalls(body: string, tools: readonly ToolSchema[]): Found[] {
  const found: Found[] = [];
  const start = /\{\s*"name"\s*:/g;
  for (let match = start.exec(body); match !== null; match = start.exec(body)) {
    const { value, end } = readJson(body, match.index);
    const call = callFromJson(value);
    if (!tools.some((tool) => tool.function.name === call.name)) continue;
    found.push({ call, clean: false });
    start.lastIndex = end;
  }
  return found;
}

function broken(name: string, error: string): ToolCall {
  return { name, arguments: {}, error };
}

/** Every required argument is there and of its type; text that spells a number or a boolean becomes one. */
function checkArguments(call: ToolCall, tools: readonly ToolSchema[]): ToolCall {
  const schema = tools.find((tool) => tool.function.name === call.name)?.function;
  if (schema === undefined) return { ...call, error: `There is no tool "${call.name}". Tools: ${tools.map((tool) => tool.function.name).join(", ")}.` };
  const { properties, required } = schema.parameters;
  const args: Record<string, unknown> = { ...call.arguments };
  for (const [key, { type }] of Object.entries(properties)) {
    if (!Object.hasOwn(args, key)) continue;
    const value = convert(args[key], type);
    if (value === null) delete args[key];
    else if (value === undefined) return { ...call, error: `${call.name}: ${key} must be ${TYPE_NAMES[type]}.` };
    else args[key] = value;
  }
  const missing = required.filter((key) => !Object.hasOwn(args, key));
  if (missing.length > 0) return { ...call, error: `${call.name} needs ${missing.join(" and ")}.` };
  return { name: call.name, arguments: args };
}

const TYPE_NAMES: Record<string, string> = { string: "text", integer: "a whole number", boolean: "true or false" };

/** null: not given; undefined: of another type. */
function convert(value: unknown, type: string): unknown {
  if (type === "string") return value === null || typeof value === "string" ? value : undefined;
  const plain = typeof value === "string" ? value.trim().toLowerCase() : value;
  if (plain === null || plain === "") return null;
  if (type === "boolean") return plain === true || plain === "true" ? true : plain === false || plain === "false" ? false : undefined;
  const number = typeof plain === "string" ? Number(plain) : plain;
  return Number.isSafeInteger(number) ? number : undefined;
}
