/** Sandboxes in Node. */
import { createFactory, type EmbeddedOptions } from "./embedded/factory.ts";
import { spawnNodeWorker } from "./embedded/spawn-node.ts";
import type { SandboxFactory } from "./sandbox.ts";

export { createNodeSandboxes } from "./node/factory.ts";

/** The embedded back end with worker threads. */
export const createEmbeddedSandboxes = (options: EmbeddedOptions = {}): SandboxFactory => createFactory(spawnNodeWorker, options);
