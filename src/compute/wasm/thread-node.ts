/** A compute thread in Node. */
import { parentPort, workerData } from "node:worker_threads";
import { runThread, type ThreadSetup } from "./thread.ts";

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port has no origin
runThread(workerData as ThreadSetup, () => parentPort?.postMessage("ready"));
