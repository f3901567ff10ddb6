/** `env check`: does a folder's test suite give the same results in the embedded sandbox as in Node? */
import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { createEmbeddedSandboxes, createNodeSandboxes } from "../sandbox/index.node.ts";
import { type Files, isTestFile, type SandboxFactory, type TestCase, type TestRun } from "../sandbox/index.ts";
import { readFolder } from "../tasks/index.node.ts";
import { type CommandContext, CommandError, type Outcome } from "./command.ts";

type Status = TestCase["status"] | "missing";

export interface EnvCheck {
  env: string;
  /** Every test has the same status on both sides. */
  agree: boolean;
  /** Every test passes in Node (skipped ones aside), there is at least one, and Node got to the end. */
  passes: boolean;
  cases: { name: string; embedded: Status; node: Status }[];
  failures: { embedded: TestRun["failure"]; node: TestRun["failure"] };
}

const LIMITS = { timeMs: 60_000, memoryBytes: 256 << 20 };

async function readRepository(folder: string): Promise<Files> {
  const info = await stat(folder).catch(() => undefined);
  if (info === undefined) throw new CommandError(`there is no folder ${folder}`);
  if (!info.isDirectory()) throw new CommandError(`${folder} is a file; give the folder that holds package.json`);
  const files = await readFolder(folder);
  if (!Object.hasOwn(files, "package.json")) throw new CommandError(`${folder} has no package.json; add one`);
  let manifest: unknown;
  try {
    manifest = JSON.parse(files["package.json"].replace(/^\ufeff/, ""));
  } catch (error) {
    throw new CommandError(`${folder}/package.json is not valid JSON: ${(error as Error).message}`);
  }
  if (manifest === null || typeof manifest !== "object" || Array.isArray(manifest)) throw new CommandError(`${folder}/package.json must hold an object`);
  if (!Object.keys(files).some(isTestFile)) throw new CommandError(`${folder} has no test files; name them like test/NAME.test.js`);
  return files;
}

async function runIn(factory: SandboxFactory, files: Files, signal: AbortSignal): Promise<TestRun> {
  try {
    const sandbox = await factory.create(files, LIMITS);
    return await sandbox.test(undefined, { signal });
  } finally {
    await factory.close();
  }
}

const byName = (run: TestRun): Map<string, TestCase> => new Map(run.cases.map((c) => [c.name, c]));

/** Throws `CommandError` when the folder is no repository with node tests. */
export async function envCheck(context: Pick<CommandContext, "print" | "signal">, dir: string): Promise<Outcome & { result: EnvCheck }> {
  const folder = resolve(dir);
  const files = await readRepository(folder);
  const embedded = await runIn(createEmbeddedSandboxes({ workers: 1 }), files, context.signal);
  const node = await runIn(createNodeSandboxes(), files, context.signal);
  const ours = byName(embedded);
  const theirs = byName(node);
  const cases = [...new Set([...theirs.keys(), ...ours.keys()])].map((name) => ({
    name,
    embedded: ours.get(name)?.status ?? ("missing" as const),
    node: theirs.get(name)?.status ?? ("missing" as const),
  }));
  const different = cases.filter((c) => c.embedded !== c.node);
  const failing = node.cases.filter((c) => c.status === "fail");
  const agree = different.length === 0 && embedded.failure?.kind === node.failure?.kind;
  const passed = node.cases.filter((c) => c.status === "pass").length;
  const passes = failing.length === 0 && passed > 0 && node.failure === null;
  for (const c of cases) {
    context.print(c.embedded === c.node ? `${c.name}: ${c.node} in both` : `${c.name}: ${c.embedded} in the sandbox, ${c.node} in Node`);
    if (c.embedded === c.node) continue;
    for (const [side, found] of [["sandbox", ours.get(c.name)], ["Node", theirs.get(c.name)]] as const) {
      if (found?.error) context.print(`  ${side}: ${found.error.replaceAll("\n", "\n  ")}`);
    }
  }
  for (const [side, run] of [["sandbox", embedded], ["Node", node]] as const) {
    if (run.failure) context.print(`${side}: ${run.failure.kind}: ${run.failure.message}`);
  }
  context.print(
    agree
      ? `${cases.length} tests agree between the embedded sandbox and Node`
      : `${different.length} of ${cases.length} tests differ between the embedded sandbox and Node`,
  );
  if (failing.length > 0) {
    context.print(`the suite itself fails, so no tasks can be made from it: ${failing.length} of ${node.cases.length} tests fail in Node, first ${failing[0].name}`);
  }
  if (failing.length === 0 && passed === 0) context.print("no test passes, so no tasks can be made from it: its test files hold no tests, or skip them all");
  const result: EnvCheck = { env: basename(folder), agree, passes, cases, failures: { embedded: embedded.failure, node: node.failure } };
  return { ok: agree && passes, result };
}
