/** Takes test cases out of test files, so that the agent never sees the cases it is graded by. */
import { type Files, isTestFile } from "../sandbox/index.ts";
import { type Node, parseModule, walk } from "./syntax.ts";
import { callsOf, type TestCall, testCalls } from "./test-source.ts";

/**
 * The files without the named cases (full names, as in TestCase.name). A call in a loop goes as a whole, and with it its
 * other cases; suites, loops and tables left without a test go too; a file left without a test is dropped, and so is a
 * file in which a named case cannot be found.
 */
export function withholdTests(files: Files, names: readonly string[]): Files {
  const result = { ...files };
  for (const file of Object.keys(files).filter(isTestFile)) {
    const titles = names.filter((name) => name === file || name.startsWith(`${file} > `)).map((name) => name.slice(file.length + 3));
    if (titles.length === 0) continue;
    const text = withoutCases(files[file], file, titles);
    if (text === null) delete result[file];
    else result[file] = text;
  }
  return result;
}

/** Null when nothing is left to run. */
function withoutCases(source: string, file: string, titles: readonly string[]): string | null {
  const ast = parseModule(source, file);
  const calls = testCalls(ast);
  const gone = new Set<TestCall>();
  for (const title of titles) {
    const matching = callsOf(calls, title);
    if (matching.length === 0) return null;
    for (const call of matching) gone.add(call);
  }
  // A call can be listed once for each title its helper makes, and a subtest goes with the test around it.
  const goneNodes = [...gone].map((call) => call.node);
  const isGone = (call: TestCall) => goneNodes.some((node) => node === call.node || call.ancestors.includes(node));
  if (calls.every(isGone)) return null;

  const ranges: Node[] = [];
  for (const call of gone) {
    const path = [...call.ancestors, call.node];
    // The outermost statement that holds no other case: the call's own, or the suite or loop around it.
    const target = path.find((node, i) => {
      if (!isBlockItem(path, i)) return false;
      return calls.every((other) => !within(other.node, node) || isGone(other));
    });
    if (target === undefined) return null;
    ranges.push(target);
  }
  return dropUnusedTables(cut(source, ranges), source, file);
}

function within(node: Node, outer: Node): boolean {
  return outer.start! <= node.start! && node.end! <= outer.end!;
}

/** True for a statement that stands in a block or in the file itself, so that removing it leaves valid code. */
function isBlockItem(path: readonly Node[], index: number): boolean {
  const parent = path[index - 1];
  return parent !== undefined && (parent.type === "BlockStatement" || parent.type === "Program");
}

/** Removes whole lines where a node has its lines to itself, with the comment lines right above and one blank line. */
function cut(source: string, nodes: readonly Node[]): string {
  const spans = nodes.map((node) => {
    let start = node.start!;
    let end = node.end!;
    for (const comment of (node.leadingComments ?? []).toReversed()) {
      const between = source.slice(comment.end, start);
      if (/^[ \t]*\r?\n?[ \t]*$/.test(between)) start = comment.start!;
      else break;
    }
    const before = /(^|\n)[ \t]*$/.exec(source.slice(0, start));
    const after = /^[ \t]*(\r?\n|$)/.exec(source.slice(end));
    if (before && after) {
      start = before.index + before[1].length;
      end += after[0].length;
      const blank = /^[ \t]*\r?\n/.exec(source.slice(end));
      if (blank && /(^|\n|\{)[ \t]*\r?\n$/.test(source.slice(0, start))) end += blank[0].length;
    }
    return { start, end };
  });
  let result = source;
  let floor = Infinity;
  for (const { start, end } of spans.toSorted((a, b) => b.start - a.start || b.end - a.end)) {
    // The same statement can be named by several cases.
    if (end > floor) continue;
    result = result.slice(0, start) + result.slice(end);
    floor = start;
  }
  return result;
}

/** A table of inputs and results would tell the withheld cases: drops declarations that lost all their readers. */
function dropUnusedTables(text: string, original: string, file: string): string {
  const before = countNames(original, file);
  for (;;) {
    const now = countNames(text, file);
    const unused: Node[] = [];
    walk(parseModule(text, file).program, (node, ancestors) => {
      const parent = ancestors[ancestors.length - 1];
      if (parent?.type !== "Program" && parent?.type !== "BlockStatement") return;
      const name =
        node.type === "VariableDeclaration" && node.declarations.length === 1 && node.declarations[0].id.type === "Identifier"
          ? node.declarations[0].id.name
          : node.type === "FunctionDeclaration" ? node.id?.name : undefined;
      if (name !== undefined && now.get(name) === 1 && before.get(name)! > 1) unused.push(node);
    });
    if (unused.length === 0) return text;
    text = cut(text, unused);
  }
}

function countNames(source: string, file: string): Map<string, number> {
  const counts = new Map<string, number>();
  walk(parseModule(source, file).program, (node) => {
    if (node.type === "Identifier") counts.set(node.name, (counts.get(node.name) ?? 0) + 1);
  });
  return counts;
}
