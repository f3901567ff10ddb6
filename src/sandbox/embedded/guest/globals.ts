/** Puts Node's globals in place. Imported first, since other modules take timers from the global object. */
import { Buffer } from "./buffer.ts";
import { clockGlobals, random } from "./clock.ts";
import { makeConsole } from "./console.ts";
import { process } from "./process.ts";
import { URLSearchParams } from "./search-params.ts";
import { prepareStackTrace } from "./stack.ts";
import { AbortController, AbortSignal, CustomEvent, Event, EventTarget } from "./web.ts";

Math.random = random;
(Error as any).prepareStackTrace = prepareStackTrace;
const globals = { ...clockGlobals, AbortController, AbortSignal, CustomEvent, Event, EventTarget, URLSearchParams, Buffer, process, console: makeConsole(), global: globalThis };
for (const [name, value] of Object.entries(globals)) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
}
