/** The five tools over a sandbox. Whatever goes wrong inside a call is told to the model as text, never thrown. */
import { type Sandbox, SandboxFileError } from "../sandbox/index.ts";
import type { Caps } from "./caps.ts";
import { applyEdit, EditError, lineEnd, unixEnds } from "./edit.ts";
import { findElision } from "./elision.ts";
import { globPattern } from "./glob.ts";
import { summariseTests } from "./test-summary.ts";
import { capLines, capText } from "./tool-output.ts";
import type { ToolCall } from "./trajectory.ts";

const GLOB_PATHS = 1000;
/** Shorter files may be replaced by anything. */
const SHRINK_GUARD_CHARS = 200;

/** A refusal, worded for the model. */
class ToolError extends Error {}

export interface ToolResult {
  name: string;
  content: string;
  ok: boolean;
}

/** One episode's tools: they remember which files were read and where edits failed. */
export class Toolbox {
  private readonly seen = new Set<string>();
  private readonly failedEdits = new Map<string, number>();

  constructor(private readonly sandbox: Sandbox, private readonly caps: Pick<Caps, "readChars" | "outputChars" | "commandSeconds">) {}

  /** The arguments are those that `parseCalls` checked. Rejects only when the sandbox itself fails or the signal aborts. */
  async run(call: ToolCall, signal?: AbortSignal): Promise<ToolResult> {
    try {
      if (call.error !== undefined) throw new ToolError(call.error);
      return { name: call.name, content: await this.dispatch(call, signal), ok: true };
    } catch (error) {
      if (!(error instanceof ToolError || error instanceof SandboxFileError)) throw error;
      return { name: call.name, content: capText(`Error: ${error.message}`, this.caps.outputChars), ok: false };
    }
  }

  private async dispatch({ name, arguments: args }: ToolCall, signal?: AbortSignal): Promise<string> {
    switch (name) {
      case "Read": return this.read(repoPath(args.file_path as string), args.offset as number | undefined, args.limit as number | undefined);
      case "Write": return this.write(repoPath(args.file_path as string), args.content as string);
      case "Edit": return this.edit(repoPath(args.file_path as string), args.old_string as string, args.new_string as string, args.replace_all === true);
      case "Glob": return this.glob(args.pattern as string, args.path as string | undefined);
      case "Bash": return this.bash(args.command as string, args.timeout as number | undefined, signal);
      default: throw new ToolError(`There is no tool "${name}".`);
    }
  }

  private async read(path: string, offset = 1, limit?: number): Promise<string> {
    const source = await this.existing(path);
    this.seen.add(path);
    const lines = unixEnds(source.replace(/^\ufeff/, "")).split("\n");
    if (lines.at(-1) === "") lines.pop();
    if (lines.length === 0) return `${path}\n(empty)`;
    if (offset < 1 || offset > lines.length) throw new ToolError(`${path} has lines 1 to ${lines.length}; offset ${offset} is outside.`);
    if (limit !== undefined && limit < 1) throw new ToolError("limit must be 1 or more.");
    const shown = lines.slice(offset - 1, limit === undefined ? undefined : offset - 1 + limit).map((line, i) => `${offset + i}\t${line}`);
    const room = Math.max(0, this.caps.readChars - path.length - 1);
    return `${path}\n${capLines(shown, room, (first, last) => `[lines ${offset + first} to ${offset + last} left out: use offset and limit]`)}`;
  }

  private async write(path: string, content: string): Promise<string> {
    const old = await this.find(path);
    let text = content;
    if (old !== undefined) {
      if (!this.seen.has(path)) throw new ToolError(`${path} exists and has not been read. Read it before replacing it.`);
      this.refuseElision(path, content, old);
      if (old.trim().length >= SHRINK_GUARD_CHARS && content.trim().length * 2 < old.trim().length) {
        throw new ToolError(`This would shrink ${path} from ${old.length} to ${content.length} characters. Write the whole file; to remove code, use Edit.`);
      }
      // The model cannot see line ends or a byte-order mark: the file keeps its own.
      text = (old.startsWith("\ufeff") ? "\ufeff" : "") + unixEnds(content.replace(/^\ufeff/, "")).replaceAll("\n", lineEnd(old));
      if (text === old) throw new ToolError(`${path} already has this content: nothing would change.`);
    } else this.refuseElision(path, content, "");
    await this.sandbox.writeFile(path, text);
    this.seen.add(path);
    this.failedEdits.delete(path);
    return `Wrote ${path}.`;
  }

  private async edit(path: string, oldString: string, newString: string, replaceAll: boolean): Promise<string> {
    const source = await this.existing(path);
    this.refuseElision(path, newString, source);
    try {
      const { text, lines } = applyEdit(source, oldString, newString, replaceAll);
      await this.sandbox.writeFile(path, text);
      this.failedEdits.delete(path);
      return `Edited ${path}, line${lines.length > 1 ? "s" : ""} ${lines.slice(0, 20).join(", ")}.`;
    } catch (error) {
      if (!(error instanceof EditError)) throw error;
      const failures = (this.failedEdits.get(path) ?? 0) + 1;
      this.failedEdits.set(path, failures);
      const advice = failures < 2 ? "" : `\nEdit has failed ${failures} times on ${path}: ${this.seen.has(path) ? "" : "read it and "}rewrite it with Write.`;
      throw new ToolError(`${path}: ${error.message}${advice}`);
    }
  }

  private async glob(pattern: string, folder?: string): Promise<string> {
    let matcher: RegExp;
    const plain = pattern.replace(/^(?:\/repo\/|\.\/)+/, "");
    try {
      matcher = globPattern(plain);
    } catch {
      throw new ToolError(`The pattern ${pattern} cannot be read.`);
    }
    const root = folder === undefined || /^(?:\.?\/?|\/repo\/?)$/.test(folder.trim()) ? "" : `${repoPath(folder)}/`;
    const found = (await this.sandbox.list()).filter((path) => path.startsWith(root) && matcher.test(path.slice(root.length)));
    if (found.length === 0) return `No file matches ${pattern}.`;
    const shown = found.slice(0, GLOB_PATHS);
    if (found.length > shown.length) shown.push(`[${found.length - shown.length} more]`);
    return capLines(shown, this.caps.outputChars, (first, last) => `[${last - first + 1} paths left out]`);
  }

  private async bash(command: string, timeout: number | undefined, signal?: AbortSignal): Promise<string> {
    if (command.trim() === "") throw new ToolError("command is empty.");
    const seconds = Math.min(this.caps.commandSeconds, Math.max(1, timeout ?? this.caps.commandSeconds));
    const { stdout, stderr, exitCode, timedOut } = await this.sandbox.exec(command, { timeMs: seconds * 1000, signal });
    const output = summariseTests(stdout) ?? stdout.trimEnd();
    const errors = stderr.trim() === "" ? "" : `stderr:\n${stderr.trimEnd()}`;
    const head = timedOut ? `timed out after ${seconds} s` : `exit code ${exitCode}`;
    const half = Math.floor((this.caps.outputChars - head.length) / 2);
    // Each stream may use what the other leaves of the cap.
    const outputRoom = Math.max(half, 2 * half - errors.length - 2);
    const cappedOutput = capText(output, outputRoom);
    return [head, cappedOutput, capText(errors, 2 * half - cappedOutput.length - 2)].filter((part) => part !== "").join("\n");
  }

  private refuseElision(path: string, text: string, before: string): void {
    const line = findElision(text, before);
    if (line !== undefined) throw new ToolError(`"${line}" stands for code that is not there and would be lost from ${path}. Write all the code.`);
  }

  private async find(path: string): Promise<string | undefined> {
    return (await this.sandbox.list()).includes(path) ? this.sandbox.readFile(path) : undefined;
  }

  private async existing(path: string): Promise<string> {
    const text = await this.find(path);
    if (text !== undefined) return text;
    const paths = await this.sandbox.list();
    const name = path.split("/").at(-1);
    const similar = paths.filter((other) => other.split("/").at(-1) === name).slice(0, 3);
    const folder = paths.some((other) => other.startsWith(`${path}/`)) ? `${path} is a folder.` : `There is no file ${path}.`;
    throw new ToolError(similar.length > 0 ? `${folder} Did you mean ${similar.join(" or ")}?` : `${folder} Use Glob to list files.`);
  }
}

/** "./src/a.js" and "/repo/src/a.js" are "src/a.js". Throws `ToolError` for a path outside the repository. */
function repoPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.trim().replace(/^\/repo(?=\/|$)/, "").split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      if (parts.pop() === undefined) throw new ToolError(`${path} is outside the repository.`);
    } else parts.push(part);
  }
  if (parts.length === 0) throw new ToolError("file_path is empty: give a path from the repository root.");
  return parts.join("/");
}
