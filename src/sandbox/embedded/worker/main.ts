/** The worker's message loop; the entries for Node and for browsers bring a port and the engine's parts. */
import { resetRandom } from "./frozen-globals.ts";
import { ROOT } from "../../names.ts";
import type { FromWorker, Outcome, ToWorker } from "../protocol.ts";
import { EpisodeFiles } from "./files.ts";
import { findTestFiles, runTests } from "./run-tests.ts";
import { execShell } from "./shell.ts";
import { Engine, type EngineAssets } from "./vm.ts";

export interface Port {
  post(message: FromWorker): void;
  listen(handler: (message: ToWorker) => void): void;
}

export async function serve(port: Port, assets: EngineAssets): Promise<void> {
  const engine = await Engine.create(assets);
  port.listen(({ id, job }) => {
    handle(engine, job).then(
      (outcome) => port.post({ id, outcome }),
      (error) => port.post({ id, fault: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  port.post({ ready: true });
}

async function handle(engine: Engine, job: ToWorker["job"]): Promise<Outcome> {
  resetRandom();
  const files = new EpisodeFiles(job);
  if (job.kind === "exec") return { kind: "exec", result: await execShell(engine, files, job) };
  const paths = job.paths ?? findTestFiles(files);
  return { kind: "test", result: await runTests(engine, files, paths, job.limits, job.limits.timeMs, ROOT, {}) };
}
