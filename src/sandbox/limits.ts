import type { SandboxLimits } from "./sandbox.ts";

/** What an episode may use unless its creator says otherwise. */
export const DEFAULT_LIMITS: SandboxLimits = { timeMs: 5000, memoryBytes: 64 << 20, outputChars: 30_000 };
