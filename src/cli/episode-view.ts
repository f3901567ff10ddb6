/** An episode as readable text: what was asked, what the model said and did, what came back, and how it ended. */
import type { Step, Trajectory } from "../agent/index.ts";
import type { Grade } from "../tasks/index.ts";

const MAX_RESULT_LINES = 14;

export function statementText(env: string, statement: string): string {
  return `task in ${env}\n${indent(statement)}`;
}

export function stepText(step: Step, number: number): string {
  const parts: string[] = [];
  const said = prose(step.text);
  if (said) parts.push(indent(said));
  step.calls.forEach((call, i) => {
    parts.push(indent(`> ${callText(call.name, call.arguments)}${call.error ? `  (bad call: ${call.error})` : ""}`));
    const result = step.results[i];
    if (result) parts.push(indent(shorten(result.content), "    | "));
  });
  if (parts.length === 0) parts.push(indent("(says nothing)"));
  return `turn ${number}, ${(step.seconds.model + step.seconds.tools).toFixed(1)} s\n${parts.join("\n")}`;
}

/** `contextLength` is the most tokens that the episode might have taken. */
export function endText(trajectory: Trajectory, grade: Grade | null, contextLength: number): string {
  const tokens = trajectory.ledger.sampled.reduce((sum, s) => sum + s, 0);
  const lines = [`ended: ${trajectory.stop}, after ${trajectory.steps.length} turns; ${trajectory.ledger.ids.length} of ${contextLength} tokens of context used, ${tokens} of them sampled`, trajectory.patch ? `diff\n${indent(trajectory.patch.trimEnd())}` : "no change to the files"];
  if (grade) {
    lines.push(grade.solved ? "hidden tests: all pass, solved" : `hidden tests: ${grade.failed.length} fail, not solved\n${indent(grade.failed.slice(0, 5).join("\n"))}`);
    if (grade.touchedTests.length > 0) lines.push(`changed test or config files (restored before grading): ${grade.touchedTests.join(", ")}`);
  }
  return lines.join("\n");
}

/** The text around the calls, without control tokens. */
function prose(text: string): string {
  return text
    .replace(/<tool_call>[\s\S]*?(<\/tool_call>|$)/g, "")
    .replace(/<\|[a-z_]+\|>/g, "")
    .trim();
}

function callText(name: string, args: Record<string, unknown>): string {
  const entries = Object.entries(args).map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)] as const);
  if (entries.every(([, value]) => !value.includes("\n")) && entries.length === 1) return `${name} ${entries[0][1]}`;
  return `${name}\n${entries.map(([key, value]) => indent(value.includes("\n") ? `${key}:\n${indent(value)}` : `${key}: ${value}`)).join("\n")}`;
}

function shorten(text: string): string {
  const lines = text.trimEnd().split("\n");
  if (lines.length <= MAX_RESULT_LINES) return lines.join("\n");
  const half = MAX_RESULT_LINES / 2;
  return [...lines.slice(0, half), `… ${lines.length - 2 * half} lines …`, ...lines.slice(-half)].join("\n");
}

function indent(text: string, prefix = "  "): string {
  return text.split("\n").map((line) => (prefix + line).trimEnd()).join("\n");
}
