/**
 * Entry of a sandbox worker in a browser. `npm run build:sandbox` bundles it to build/sandbox/worker-web.mjs, beside the
 * files that it fetches.
 */
import { serve } from "../src/sandbox/embedded/worker/main.ts";

const bytes = async (url: URL) => (await fetch(url)).arrayBuffer();
const compile = async (url: URL) => WebAssembly.compile(await bytes(url));
const scope = self as unknown as DedicatedWorkerGlobalScope;

async function main(): Promise<void> {
  const [quickjs, encoding, structuredClone, url, guest] = await Promise.all([
    compile(new URL("./quickjs.wasm", import.meta.url)),
    compile(new URL("./encoding.so", import.meta.url)),
    compile(new URL("./structured-clone.so", import.meta.url)),
    compile(new URL("./url.so", import.meta.url)),
    bytes(new URL("./guest.txt", import.meta.url)),
  ]);
  await serve(
    { post: (message) => scope.postMessage(message, []), listen: (handler) => scope.addEventListener("message", (event) => handler(event.data)) },
    {
      quickjs,
      extensions: [
        { name: "encoding", wasm: encoding },
        { name: "structured-clone", wasm: structuredClone },
        { name: "url", wasm: url },
      ],
      guest: new TextDecoder().decode(guest),
    },
  );
}
// An error here reaches the page's onerror: the pool reports that the worker did not start.
main().catch((error) => setTimeout(() => { throw error; }));
