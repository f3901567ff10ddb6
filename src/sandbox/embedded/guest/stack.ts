/** Error stacks and the engine's own error messages in V8's form, which tests, people and models know. */
import { host } from "./host.ts";

interface CallSite {
  getFunctionName(): string | null;
  getFileName(): string | null;
  getLineNumber(): number;
  getColumnNumber(): number;
  isNative(): boolean;
}

/** Called by the engine whenever an error is made; `stack` becomes what it returns. */
export function prepareStackTrace(error: any, sites: CallSite[]): string {
  const own = sites.filter((s) => !s.isNative() && s.getFileName() && !s.getFileName()!.startsWith("node:"));
  let head = "Error";
  try {
    if (error instanceof Error) {
      const message = translate(error.message, own[0]);
      if (message !== error.message) error.message = message;
    }
    head = Error.prototype.toString.call(error);
  } catch {
    // An exotic error keeps the plain head.
  }
  const frames = own.map((s) => {
    const place = `${s.getFileName()}:${s.getLineNumber()}:${s.getColumnNumber()}`;
    return `\n    at ${s.getFunctionName() || "<anonymous>"} (${place})`;
  });
  return head + frames.join("");
}

const FIXED: Record<string, string> = {
  "invalid array length": "Invalid array length",
  "invalid array index": "Invalid typed array length",
  "invalid repeat count": "Invalid count value",
  "invalid number of digits": "toFixed() digits argument must be between 0 and 100",
  "cannot convert BigInt to number": "Cannot mix BigInt and other types, use explicit conversions",
  "cannot convert symbol to string": "Cannot convert a Symbol value to a string",
  "Date value is NaN": "Invalid time value",
  "empty array": "Reduce of empty array with no initial value",
  "circular reference": "Converting circular structure to JSON",
  "invalid code point": "Invalid code point",
  "expecting hex digit": "URI malformed",
  "class constructors must be invoked with 'new'": "Class constructor cannot be invoked without 'new'",
  "this is not initialized": "Must call super constructor in derived class before accessing 'this' or returning from derived constructor",
};

const PATTERNS: [RegExp, (m: RegExpExecArray, site: CallSite | undefined) => string][] = [
  [/^cannot read property 'Symbol\.iterator' of (null|undefined)$/, (m) => `${m[1]} is not iterable`],
  [/^cannot read property '([^]*)' of (null|undefined)$/, (m) => `Cannot read properties of ${m[2]} (reading '${m[1]}')`],
  [/^cannot set property '([^]*)' of (null|undefined)$/, (m) => `Cannot set properties of ${m[2]} (setting '${m[1]}')`],
  [/^(\S+) is not initialized$/, (m) => `Cannot access '${m[1]}' before initialization`],
  [/^unexpected token in expression: '([^]*)'$/, (m) => `Unexpected token '${m[1]}'`],
  [/^'(\S+)' is read-only$/, (m, site) => readOnly(m[1], site)],
  [/^not a function$/, (_m, site) => notAFunction(site)],
];

function translate(message: string, site: CallSite | undefined): string {
  if (Object.hasOwn(FIXED, message)) return FIXED[message];
  for (const [pattern, form] of PATTERNS) {
    const m = pattern.exec(message);
    if (m) return form(m, site);
  }
  return message;
}

/** Source from the call site's line on, and the offset of its column in it. */
function sourceAt(site: CallSite | undefined): { text: string; at: number } | undefined {
  if (!site) return undefined;
  const text = JSON.parse(host.fs("read", site.getFileName()!, "")).ok as string | undefined;
  if (text === undefined) return undefined;
  let start = 0;
  for (let line = 1; line < site.getLineNumber(); line++) start = text.indexOf("\n", start) + 1;
  return { text, at: start + site.getColumnNumber() - 1 };
}

function readOnly(name: string, site: CallSite | undefined): string {
  const source = sourceAt(site);
  const isVariable = source !== undefined && source.text.startsWith(name, source.at) && !/[.\]]\s*$/.test(source.text.slice(0, source.at));
  return isVariable ? "Assignment to constant variable." : `Cannot assign to read only property '${name}' of object`;
}

/** The engine does not say what is no function; the source does, unless calls are nested in each other. */
function notAFunction(site: CallSite | undefined): string {
  const plain = "not a function";
  const source = sourceAt(site);
  if (!source) return plain;
  const { text, at } = source;
  const name = /^[\w$]+/.exec(text.slice(at, at + 100))?.[0];
  let end: number;
  if (name !== undefined && /^\s*(?:\?\.)?\s*[(`]/.test(text.slice(at + name.length, at + name.length + 20))) {
    if (/[\w$)\]]\s*\([^()]*$/.test(statementBefore(text, at).replace(/\b(?:if|while|for|switch|return|await)\s*\(/g, "("))) return plain;
    end = at + name.length;
  } else {
    const open = text.lastIndexOf("(", at);
    if (open < 0 || text.slice(open + 1, at).trim() !== "") return plain;
    end = open;
  }
  const callee = calleeBefore(text, end);
  if (callee === "") return plain;
  if (text[end - callee.length - 1] === ".") return `(intermediate value).${callee} is not a function`;
  return /\bnew\s+$/.test(text.slice(0, end - callee.length)) ? `${callee} is not a constructor` : `${callee} is not a function`;
}

const statementBefore = (text: string, at: number): string => text.slice(Math.max(0, at - 200), at).split(/[;{}\n]|=>/).pop()!;

/** `a.b[0].c` that ends at `end`; empty when it is anything else. */
function calleeBefore(text: string, end: number): string {
  return /(?:[A-Za-z_$][\w$]*(?:\[[\w$'"]*\])*(?:\?\.|\.))*[A-Za-z_$][\w$]*(?:\[[\w$'"]*\])*$/.exec(text.slice(Math.max(0, end - 100), end))?.[0] ?? "";
}
