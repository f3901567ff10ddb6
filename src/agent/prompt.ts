/** What every model is told: three sentences, and the five tools of the Leaf harness. */
import type { ToolSchema } from "../model/index.ts";

export const SYSTEM_PROMPT = "You fix code in this repository with tools. Check each change by running it. A reply without a tool call ends the task.";

export const TOOLS: readonly ToolSchema[] = [
  tool("Read", "Print a file with line numbers.", ["file_path"], {
    file_path: ["string", "Path from the repository root."],
    offset: ["integer", "First line, from 1."],
    limit: ["integer", "Number of lines."],
  }),
  tool("Write", "Create a file, or replace one that has been read.", ["file_path", "content"], {
    file_path: ["string", "Path from the repository root."],
    content: ["string", "The whole new content."],
  }),
  tool("Edit", "Replace text in a file.", ["file_path", "old_string", "new_string"], {
    file_path: ["string", "Path from the repository root."],
    old_string: ["string", "Text to replace, exactly as in the file; it must occur once."],
    new_string: ["string", "Text to put there."],
    replace_all: ["boolean", "Replace every occurrence."],
  }),
  tool("Glob", "List files whose path matches a pattern.", ["pattern"], {
    pattern: ["string", "For example src/**/*.js; without a slash it matches file names anywhere."],
    path: ["string", "Folder to search in."],
  }),
  tool("Bash", "Run a shell command in the repository root.", ["command"], {
    command: ["string", "For example node --test."],
    description: ["string", "What it is for."],
    timeout: ["integer", "Seconds."],
  }),
];

function tool(name: string, description: string, required: string[], properties: Record<string, [type: "string" | "integer" | "boolean", description: string]>): ToolSchema {
  const described = Object.entries(properties).map(([key, [type, text]]) => [key, { type, description: text }]);
  return { type: "function", function: { name, description, parameters: { type: "object", properties: Object.fromEntries(described), required } } };
}
