/** Which test files can see a change of which module. */
import { type Files, isTestFile } from "../sandbox/index.ts";
import { parseModule, walk } from "./syntax.ts";

/**
 * For each test file the modules it loads, directly or not; null where that cannot be told from the source (a computed
 * import, an import by package name), so that the test file must be run for any change.
 */
export function testDependencies(files: Files): Map<string, ReadonlySet<string> | null> {
  const direct = new Map<string, string[] | null>();
  const importsOf = (file: string): string[] | null => {
    if (!direct.has(file)) direct.set(file, directImports(file, files));
    return direct.get(file)!;
  };
  const result = new Map<string, ReadonlySet<string> | null>();
  for (const test of Object.keys(files).filter(isTestFile)) {
    const seen = new Set([test]);
    let known = true;
    for (const file of seen) {
      const imports = importsOf(file);
      if (imports === null) known = false;
      else for (const next of imports) seen.add(next);
    }
    result.set(test, known ? seen : null);
  }
  return result;
}

function directImports(file: string, files: Files): string[] | null {
  if (!/\.[cm]?[jt]s$/.test(file)) return [];
  const found: string[] = [];
  let known = true;
  const add = (request: string) => {
    if (/^(node:|(assert|test|fs|path|util|events|os|url|buffer)(\/|$))/.test(request)) return;
    const target = request.startsWith(".") ? resolve(file, request, files) : null;
    if (target === null) known = false;
    else found.push(target);
  };
  walk(parseModule(files[file], file).program, (node) => {
    switch (node.type) {
      case "ImportDeclaration":
      case "ExportAllDeclaration":
        return add(node.source.value);
      case "ExportNamedDeclaration":
        return node.source ? add(node.source.value) : undefined;
      case "CallExpression": {
        const loads = node.callee.type === "Import" || (node.callee.type === "Identifier" && node.callee.name === "require");
        if (!loads) return;
        const [request] = node.arguments;
        if (request?.type === "StringLiteral") add(request.value);
        else known = false;
      }
    }
  });
  return known ? found : null;
}

function resolve(from: string, request: string, files: Files): string | null {
  const parts = from.split("/").slice(0, -1);
  for (const part of request.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  const path = parts.join("/");
  const candidates = [path, ...[".js", ".mjs", ".ts", ".json", "/index.js", "/index.ts"].map((end) => path + end), path.replace(/\.js$/, ".ts")];
  return candidates.find((candidate) => candidate in files) ?? null;
}
