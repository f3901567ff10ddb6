/** Entry of a sandbox worker in a browser. */
import quickjsUrl from "quickjs-wasi/quickjs.wasm?url";
import encodingUrl from "quickjs-wasi/encoding.so?url";
import structuredCloneUrl from "quickjs-wasi/structured-clone.so?url";
import urlUrl from "quickjs-wasi/url.so?url";
import guest from "../build/sandbox/guest.js?raw";
import { serve } from "../src/sandbox/embedded/worker/main.ts";

const compile = async (url: string) => WebAssembly.compile(await (await fetch(url)).arrayBuffer());
const scope = self as unknown as DedicatedWorkerGlobalScope;

await serve(
  { post: (message) => scope.postMessage(message), listen: (handler) => (scope.onmessage = (event) => handler(event.data)) },
  {
    quickjs: await compile(quickjsUrl),
    extensions: [
      { name: "encoding", wasm: await compile(encodingUrl) },
      { name: "structured-clone", wasm: await compile(structuredCloneUrl) },
      { name: "url", wasm: await compile(urlUrl) },
    ],
    guest,
  },
);
