/** Reporter for `node --test`: one JSON line for each finished test. The build bundles it to build/sandbox/. */
import { describeFailure } from "../failure.ts";

export interface NodeEvent {
  /** Absolute path of the test file. */
  file: string;
  /** Nested titles; empty for the file itself. */
  path: string[];
  status: "pass" | "fail" | "skip";
  suite?: boolean;
  failureType?: string;
  error?: string;
  actual?: string;
  expected?: string;
}
export type NodeLine = NodeEvent | { file: string; output: string };

interface ReporterEvent {
  type: string;
  data: {
    name: string;
    nesting: number;
    file?: string;
    message?: string;
    skip?: unknown;
    todo?: unknown;
    details?: { type?: string; error?: Error & { failureType?: string; cause?: unknown } };
  };
}

export default async function* report(source: AsyncIterable<ReporterEvent>): AsyncGenerator<string> {
  const titles: string[] = [];
  for await (const { type, data } of source) {
    const file = data.file ?? "";
    if (type === "test:start") {
      titles.length = data.nesting;
      titles.push(data.name);
    } else if (type === "test:stdout" || type === "test:stderr") {
      yield line({ file, output: data.message ?? "" });
    } else if (type === "test:pass" || type === "test:fail") {
      const isFile = data.nesting === 0 && (data.name === file || data.details?.type === undefined && data.name.startsWith("/"));
      const event: NodeEvent = { file: isFile ? data.name : file, path: isFile ? [] : [...titles.slice(0, data.nesting), data.name], status: "pass" };
      if (data.details?.type === "suite") event.suite = true;
      if (data.skip !== undefined || data.todo !== undefined) event.status = "skip";
      else if (type === "test:fail") {
        const error = data.details?.error;
        event.status = "fail";
        event.failureType = error?.failureType;
        Object.assign(event, describeFailure(error?.cause instanceof Error ? error.cause : plain(error)));
      }
      yield line(event);
    }
  }
}

const line = (value: NodeLine): string => JSON.stringify(value) + "\n";

/** Some values do not survive the way between Node's processes; then only the message is left. */
function plain(error: (Error & { cause?: unknown }) | undefined): Error {
  return Object.assign(new Error(error?.message ?? String(error?.cause ?? "failed")), { code: "ERR_TEST_FAILURE" });
}
