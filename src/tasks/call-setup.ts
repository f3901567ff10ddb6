/** What a call taken from a test file needs around it to run by itself. */
import { isPropertyName, type Node, parseModule, walk } from "./syntax.ts";

/** A script's line that takes a name from a file of the repository. */
export const importLine = (name: string, file: string): string => `import { ${name} } from './${file}';`;

/**
 * The imports and declarations of the test file that the call needs, as source for a script in the repository's root, in
 * the file's order. Null where one of them loads modules as it runs: those paths are the test file's.
 */
export function callSetup(source: string, file: string, call: string): string[] | null {
  const statements = parseModule(source, file).program.body;
  const providers = new Map<string, number>();
  statements.forEach((node, i) => declaredNames(node).forEach((name) => providers.set(name, i)));
  const needed = new Map<number, Set<string>>();
  const need = (node: Node): void => {
    for (const name of names(node)) {
      const at = providers.get(name);
      if (at === undefined) continue;
      const provider = statements[at];
      const lines = needed.get(at) ?? new Set();
      const isNew = !needed.has(at);
      needed.set(at, lines.add(provider.type === "ImportDeclaration" ? importOf(provider, name, file) : source.slice(provider.start!, provider.end!)));
      if (isNew && provider.type !== "ImportDeclaration") need(provider);
    }
  };
  need(parseModule(call, "the call"));
  const lines = [...needed].toSorted(([a], [b]) => a - b).flatMap(([, texts]) => [...texts].toSorted());
  return lines.some((text) => /\brequire\b|\bimport\s*[(.]/.test(text)) ? null : lines;
}

/** Names that a statement at the top of a module declares. */
function declaredNames(node: Node): string[] {
  switch (node.type) {
    case "ImportDeclaration":
      return node.specifiers.map(({ local }) => local.name);
    case "FunctionDeclaration":
    case "ClassDeclaration":
      return node.id ? [node.id.name] : [];
    case "VariableDeclaration":
      return node.declarations.flatMap(({ id }) => names(id));
    default:
      return [];
  }
}

/** Names that stand for values somewhere in a node; those of its own parameters and variables among them. */
function names(root: Node): string[] {
  const found = new Set<string>();
  walk(root, (node, ancestors) => void (node.type === "Identifier" && !isPropertyName(node, ancestors.at(-1) ?? null) && found.add(node.name)));
  return [...found];
}

function importOf(node: Extract<Node, { type: "ImportDeclaration" }>, name: string, file: string): string {
  const from = node.source.value;
  const place = from.startsWith(".") ? `./${resolvePath(file, from)}` : from;
  const specifier = node.specifiers.find(({ local }) => local.name === name)!;
  const wanted = specifier.type === "ImportNamespaceSpecifier" ? `* as ${name}` : specifier.type === "ImportDefaultSpecifier" ? name : namedImport(specifier.imported, name);
  return `import ${wanted} from '${place}';`;
}

function namedImport(imported: Node, name: string): string {
  const original = imported.type === "Identifier" ? imported.name : JSON.stringify((imported as { value: string }).value);
  return original === name ? `{ ${name} }` : `{ ${original} as ${name} }`;
}

function resolvePath(file: string, relative: string): string {
  const parts = file.split("/").slice(0, -1);
  for (const part of relative.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}
