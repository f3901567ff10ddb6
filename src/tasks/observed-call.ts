/**
 * A direct call that a bug makes go wrong, such as `rangeOf(1, 3)`. What the tests pass to the function is recorded on
 * the clean repository; then the clean and the buggy version are called with it.
 */
import type { Files, SandboxFactory, SandboxLimits, TestCase } from "../sandbox/index.ts";
import { type FailingCall, isShort } from "./failing-call.ts";
import { SUITE_STEPS } from "./grade.ts";
import { parseModule } from "./syntax.ts";

export interface ObservedBug {
  file: string;
  /** Only functions exported by their own name can be called from outside. */
  function: string;
  failures: readonly TestCase[];
}

const LIMITS: Partial<SandboxLimits> = { timeMs: 5_000, steps: SUITE_STEPS };
const MARK = "\u0001call ";
const MAX_RECORDED = 200;
const MAX_TRIED = 40;

/** Writes plain data as source text on one line; null for anything else. Runs in the sandbox. */
const WRITER = `function frogpondLiteral(value) {
  if (typeof value === 'string') return /^[^'\\\\\\n\\r]*$/.test(value) ? "'" + value + "'" : JSON.stringify(value);
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (value === null || value === undefined || typeof value === 'boolean') return String(value);
  if (typeof value !== 'object') return null;
  const plain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  const parts = !plain ? [null] : Array.isArray(value) ? Array.from(value, frogpondLiteral) : Object.entries(value).map(([key, one]) => {
    const text = frogpondLiteral(one);
    return text && (/^[A-Za-z_$][\\w$]*$/.test(key) ? key : JSON.stringify(key)) + ': ' + text;
  });
  if (parts.includes(null)) return null;
  return Array.isArray(value) ? '[' + parts.join(', ') + ']' : parts.length > 0 ? '{ ' + parts.join(', ') + ' }' : '{}';
}`;

/** Finds observed calls in one environment; what the tests pass is recorded once for each function. */
export class CallObserver {
  private readonly recorded = new Map<string, Promise<string[]>>();

  constructor(private readonly clean: Files, private readonly factory: SandboxFactory) {}

  /** The shortest call that tells the versions apart; null where none can be written. */
  async find({ file, function: name, failures }: ObservedBug, buggy: Files, signal?: AbortSignal): Promise<FailingCall | null> {
    const body = exportedBody(this.clean[file], file, name);
    if (body === null) return null;
    const tests = [...new Set(failures.map((failed) => failed.name.split(" > ", 1)[0]))].filter((path) => path in this.clean).toSorted();
    const key = JSON.stringify([file, name, tests]);
    let calls = this.recorded.get(key);
    if (calls === undefined) this.recorded.set(key, (calls = this.record(file, name, body, tests, signal)));
    const tried = await calls;
    if (tried.length === 0) return null;
    const [clean, dirty] = await Promise.all([this.clean, buggy].map((files) => this.call(files, file, name, tried, signal)));
    const telling = tried.flatMap((call, i): FailingCall[] => {
      const [expected, actual] = [clean[i], dirty[i]];
      if (expected === undefined || actual === undefined || expected === actual) return [];
      const found = { call, actual, expected };
      return isShort(found) ? [found] : [];
    });
    return telling.toSorted((a, b) => length(a) - length(b))[0] ?? null;
  }

  /** Calls as source text, shortest first. */
  private async record(file: string, name: string, body: number, tests: string[], signal?: AbortSignal): Promise<string[]> {
    const source = this.clean[file];
    const recorder = `if ((globalThis.frogpondCalls = (globalThis.frogpondCalls ?? 0) + 1) <= ${MAX_RECORDED}) console.log(${JSON.stringify(MARK)} + (frogpondLiteral([...arguments]) ?? '')); `;
    const files = { ...this.clean, [file]: `${source.slice(0, body)} ${recorder}${source.slice(body)}\n${WRITER}\n` };
    const calls = new Set<string>();
    for (const test of tests) {
      for (const line of await this.output(files, `node '${test.replaceAll("'", "'\\''")}'`, signal)) {
        const at = line.indexOf(MARK);
        const list = at < 0 ? "" : line.slice(at + MARK.length).trimEnd();
        if (list !== "") calls.add(`${name}(${list.slice(1, -1)})`);
      }
    }
    return [...calls].toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1)).slice(0, MAX_TRIED);
  }

  /** What each call gives; undefined for what cannot be written, and from the first that does not end on. */
  private async call(files: Files, file: string, name: string, calls: readonly string[], signal?: AbortSignal): Promise<(string | undefined)[]> {
    const script = `import { ${name} } from ${JSON.stringify(`./${file}`)};
${WRITER}
for (const call of [${calls.map((call) => `() => ${call}`).join(",\n")}]) {
  let text;
  try { text = frogpondLiteral(call()); } catch (error) { text = error instanceof Error ? 'throws ' + error.name + ': ' + error.message.split('\\n')[0] : null; }
  console.log(${JSON.stringify(MARK)} + (text ?? ''));
}
`;
    const path = "frogpond-observe.mjs";
    const lines = await this.output({ ...files, [path]: script }, `node ${path}`, signal);
    return lines.filter((line) => line.startsWith(MARK)).map((line) => line.slice(MARK.length).trimEnd()).map((text) => (text === "" ? undefined : text));
  }

  private async output(files: Files, command: string, signal?: AbortSignal): Promise<string[]> {
    const sandbox = await this.factory.create(files, LIMITS);
    try {
      const { stdout } = await sandbox.exec(command, { signal });
      signal?.throwIfAborted();
      return stdout.split("\n");
    } finally {
      await sandbox.dispose();
    }
  }
}

const length = ({ call, actual, expected }: FailingCall): number => call.length + actual.length + expected.length;

/** Where the body of an exported function begins, after its brace; null where there is no such function. */
function exportedBody(source: string | undefined, file: string, name: string): number | null {
  if (source === undefined) return null;
  for (const node of parseModule(source, file).program.body) {
    if (node.type !== "ExportNamedDeclaration" || node.declaration?.type !== "FunctionDeclaration") continue;
    const { id, async, generator, body } = node.declaration;
    if (id?.name === name && !async && !generator) return body.start! + 1;
  }
  return null;
}
