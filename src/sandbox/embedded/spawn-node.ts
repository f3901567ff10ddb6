/** Sandbox workers as Node threads. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { SandboxError } from "../sandbox.ts";
import type { SpawnWorker } from "./pool.ts";
import type { FromWorker } from "./protocol.ts";

const ENTRY = new URL("../../../build/sandbox/worker.mjs", import.meta.url);
/** Room for the shell's own work; the guest's memory lies outside the V8 heap. */
const HEAP_MB = 512;

export const spawnNodeWorker: SpawnWorker = (events) => {
  if (!existsSync(fileURLToPath(ENTRY))) throw new SandboxError('the sandbox is not built: run "npm run build:sandbox"');
  const worker = new Worker(ENTRY, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MB }, env: {}, stdin: false, execArgv: [] });
  let cause = "";
  let memory = false;
  worker.on("message", (message: FromWorker) => {
    // An idle worker does not keep the process alive; one that starts or works does.
    worker.unref();
    events.message(message);
  });
  worker.on("error", (error: Error & { code?: string }) => {
    cause = error.message;
    memory = error.code === "ERR_WORKER_OUT_OF_MEMORY";
  });
  worker.on("exit", (code) => events.died(cause || `exit code ${code}`, memory));
  return {
    post: (message) => {
      worker.ref();
      worker.postMessage(message, []);
    },
    terminate: () => void worker.terminate(),
  };
};
