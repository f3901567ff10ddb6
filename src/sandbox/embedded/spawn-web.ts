/** Sandbox workers as Web Workers. */
import type { FromWorker } from "./protocol.ts";
import type { SpawnWorker } from "./pool.ts";

export const spawnWebWorker: SpawnWorker = (events) => {
  const worker = new Worker(new URL("../../../build/sandbox/worker-web.mjs", import.meta.url), { type: "module" });
  worker.addEventListener("message", (event: MessageEvent<FromWorker>) => events.message(event.data));
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    events.died(event.message || "the worker script failed to load", /memory/i.test(event.message ?? ""));
  });
  return { post: (message) => worker.postMessage(message, []), terminate: () => worker.terminate() };
};
