/** The worker's functions, taken at start-up and removed from the global object before any other code runs. */
import type { GuestHost } from "../guest-protocol.ts";

const g = globalThis as Record<string, any>;
export const host: GuestHost = g.__host;
delete g.__host;
