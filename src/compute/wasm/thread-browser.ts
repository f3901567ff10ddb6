/** A compute thread in a browser. */
import { runThread, type ThreadSetup } from "./thread.ts";

addEventListener("message", (event: MessageEvent<ThreadSetup>) => runThread(event.data, () => postMessage("ready")), { once: true });
