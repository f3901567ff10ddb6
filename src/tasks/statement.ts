/** Problem statements, written from test titles, the README and observed differences; never from the gold patch. */
import type { Random } from "../compute/index.ts";
import { type Files, isTestFile, type TestCase } from "../sandbox/index.ts";
import { type FailingCall, failingCall } from "./failing-call.ts";
import { type File, parseModule, walk } from "./syntax.ts";
import { callsOf, testCalls } from "./test-source.ts";
import type { Environment, StatementLevel, Task } from "./types.ts";

/** What a statement may tell about one bug. */
export interface Symptom {
  file: string;
  function: string;
  failures: readonly TestCase[];
  /** A call that goes wrong, where one is known already. */
  observed?: FailingCall | null;
}

/** A failing call, and the test file it is written in. */
export interface TestedCall extends FailingCall {
  test: string;
}

const MAX_WORDS = 60;
const MAX_CHARACTERS = 600;

/**
 * Writes a statement: L0 the symptom, L1 the contract that no longer holds, L2 also function and file, L3 also a failing
 * input and output: of the function itself where such a call was observed, else of a test. Where there is neither, L3 falls
 * back to L2; the level returned is the one written.
 */
export function writeStatement(
  env: Environment,
  symptoms: readonly Symptom[],
  level: StatementLevel,
  random: Random,
): { statement: string; level: StatementLevel } {
  const examples = level === 3 ? symptoms.map((one) => one.observed ?? findExample(env.files, one)) : [];
  const written: StatementLevel = level === 3 && examples.includes(null) ? 2 : level;
  const style = random.int(0, 2);
  const parts = symptoms.map((one, i) => {
    switch (written) {
      case 0:
        return symptom(one, style);
      case 1:
        return contract(one, env.files, style);
      case 2:
        return located(one, `"${titles(one, 1)[0]}" fails`, style);
      case 3:
        return located(one, exampleText(examples[i]!), style);
    }
  });
  if (parts.length === 1) return { statement: parts[0], level: written };
  return { statement: parts.map((part, i) => `${i + 1}. ${part}`).join("\n"), level: written };
}

function symptom(one: Symptom, style: number): string {
  const [title] = titles(one, 1).map((text) => withoutFunction(text, one.function));
  return [`This no longer works: ${title}.`, `Something is broken: ${title}.`, `Users report a bug. It should hold, but does not: ${title}.`][style];
}

function contract(one: Symptom, files: Files, style: number): string {
  const shown = titles(one, 2).join("; ");
  const stated = readmeLine(files, one);
  const rule = stated !== null && words(stated) + words(shown) < MAX_WORDS ? ` The README says: ${stated}` : "";
  return [`Make this hold again: ${shown}.`, `This should hold but fails: ${shown}.`, `Expected behaviour that fails: ${shown}.`][style] + rule;
}

export function located(one: Symptom, what: string, style: number): string {
  const name = one.function === "default" ? "The default export" : one.function;
  return [`${name} in ${one.file} is wrong: ${what}.`, `Fix ${name} in ${one.file}: ${what}.`, `Bug in ${name} (${one.file}): ${what}.`][style];
}

export function exampleText({ call, actual, expected }: FailingCall): string {
  const given = actual.startsWith("throws ") ? actual : `gives ${actual}`;
  const wanted = expected.startsWith("throws ") ? expected.replace(/^throws/, "throwing") : actual.startsWith("throws ") ? `giving ${expected}` : expected;
  return `${call} ${given} instead of ${wanted}`;
}

/** The shortest call of a failed test, one that names the function first. */
export function findExample(files: Files, one: Symptom): TestedCall | null {
  const found = one.failures.flatMap((failed) => {
    const example = failingCall(files, failed);
    return example === null ? [] : [{ ...example, test: failed.name.split(" > ", 1)[0] }];
  });
  const direct = found.filter((example) => mentions(example.call, one.function.split(".").pop()!));
  const chosen = direct.length > 0 ? direct : found;
  return chosen.toSorted((a, b) => exampleText(a).length - exampleText(b).length)[0] ?? null;
}

/** The shortest titles of the failed tests, those that name the function first; suites' titles only where a test's own says little. */
function titles(one: Symptom, count: number): string[] {
  const own = one.failures.map(({ name }) => {
    const path = name.split(" > ").slice(1);
    const last = path[path.length - 1] ?? name;
    return words(last) < 3 && path.length > 1 ? path.slice(-2).join(" ") : last;
  });
  const name = one.function.split(".").pop()!;
  return [...new Set(own.map((title) => title.replace(/[.\s]+$/, "")))]
    .toSorted((a, b) => Number(mentions(b, name)) - Number(mentions(a, name)) || a.length - b.length)
    .slice(0, count);
}

/** "wrapText keeps words" without the name of the function that holds the bug. */
function withoutFunction(title: string, name: string): string {
  const last = name.split(".").pop()!;
  const rest = title.replace(new RegExp(`^${last.replace(/[^\w]/g, "\\$&")}(\\([^)]*\\))?:?\\s+`), "");
  return rest === "" ? title : rest;
}

/** The first README line that describes the function, as plain text. */
function readmeLine(files: Files, one: Symptom): string | null {
  const readme = files["README.md"] ?? files["readme.md"];
  const name = one.function.split(".").pop()!;
  const line = readme?.split("\n").find((text) => /^\s*[-*] /.test(text) && mentions(text, name));
  return line?.replace(/^\s*[-*] /, "").replaceAll("`", "").trim() ?? null;
}

/**
 * Why a task's statement is not good enough, or null: it is empty or long, quotes a line of the gold patch, speaks of
 * hidden tests, does not name the place it should (from L2 on), or leaves a behaviour that neither it nor the README nor
 * a visible test mentions.
 */
export function statementProblem(task: Task): string | null {
  const { statement } = task;
  if (statement.trim() === "") return "the statement is empty";
  if (statement.length > MAX_CHARACTERS * Object.keys(task.gold).length) return `the statement is longer than ${MAX_CHARACTERS} characters`;
  if (/\b(hidden|withheld|secret) tests?\b|fail[- ]to[- ]pass/i.test(statement)) return "the statement speaks of hidden tests";
  const quoted = goldLines(task).find((line) => squeeze(statement).includes(line));
  if (quoted !== undefined) return `the statement quotes a line of the gold patch: ${quoted}`;
  const unnamed = task.level >= 2 ? Object.keys(task.gold).find((file) => !statement.includes(file)) : undefined;
  if (unnamed !== undefined) return `the statement is of level ${task.level} but does not name ${unnamed}`;
  const untold = task.failToPass.find((name) => !isTold(task, name));
  return untold === undefined ? null : `neither the statement nor the repository tells what "${untold}" asserts`;
}

/** Lines that are in the pristine files and not in the buggy ones, without layout and closing punctuation. */
function goldLines(task: Task): string[] {
  return Object.entries(task.gold).flatMap(([file, text]) => {
    const kept = new Set((task.files[file] ?? "").split("\n").map(squeeze));
    const lines = text.split("\n").map(squeeze);
    return lines.filter((line) => !kept.has(line)).map((line) => line.replace(/[;,{}\s]+$/, "")).filter((line) => line.length > 3);
  });
}

/** The case's title is in the statement, or something it uses from the repository is named in what the agent can read. */
function isTold(task: Task, name: string): boolean {
  const [file] = name.split(" > ", 1);
  const title = name.slice(file.length + 3);
  if (task.statement.includes(title)) return true;
  const source = task.tests[file];
  if (source === undefined) return false;
  const readable = [task.statement, ...Object.entries(task.files).filter(([path]) => /\.md$/i.test(path) || isTestFile(path)).map(([, text]) => text)];
  const ast = parseModule(source, file);
  const imported = localImports(ast);
  const used = new Set<string>();
  for (const call of callsOf(testCalls(ast), title)) {
    for (const part of [call.body, call.node]) {
      if (part) walk(part, (node) => void (node.type === "Identifier" && imported.has(node.name) && used.add(node.name)));
    }
  }
  // A test that reaches the code only through its file's hooks uses what the file imports.
  return [...(used.size > 0 ? used : imported)].some((one) => readable.some((text) => mentions(text, one)));
}

/** Names a test file takes from the repository. */
function localImports(ast: File): Set<string> {
  const names = new Set<string>();
  walk(ast.program, (node) => {
    if (node.type === "ImportDeclaration" && node.source.value.startsWith(".")) {
      for (const { local } of node.specifiers) names.add(local.name);
    }
    if (node.type === "VariableDeclarator" && node.init?.type === "CallExpression" && node.init.callee.type === "Identifier" && node.init.callee.name === "require") {
      const [request] = node.init.arguments;
      if (request?.type !== "StringLiteral" || !request.value.startsWith(".")) return;
      walk(node.id, (part) => void (part.type === "Identifier" && names.add(part.name)));
    }
  });
  return names;
}

/** True where the text holds the name as a word of its own. */
function mentions(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const around = [text[at - 1], text[at + name.length]];
    if (!around.some((character) => character !== undefined && /[\w$]/.test(character))) return true;
  }
  return false;
}

function words(text: string): number {
  return text.split(/\s+/).filter(Boolean).length;
}

function squeeze(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}
