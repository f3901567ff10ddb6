/** Sandboxes, as a browser sees them. `index.node.ts` adds what needs Node. */
import { createFactory, type EmbeddedOptions } from "./embedded/factory.ts";
import { spawnWebWorker } from "./embedded/spawn-web.ts";
import type { SandboxFactory } from "./sandbox.ts";

export * from "./sandbox.ts";
export { isTestFile } from "./names.ts";

/** The embedded back end with Web Workers; nothing of an episode leaves the page. */
export const createEmbeddedSandboxes = (options: EmbeddedOptions = {}): SandboxFactory => createFactory(spawnWebWorker, options);
