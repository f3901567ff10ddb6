/** Entry of the worker in Node; the build bundles it to build/sandbox/worker.mjs beside the files it reads. */
import { readFile } from "node:fs/promises";
import v8 from "node:v8";
import { parentPort } from "node:worker_threads";
import { serve } from "./main.ts";

// Node 20 has the instructions that url.so needs behind this flag.
v8.setFlagsFromString("--experimental-wasm-extended-const");
const read = (name: string) => readFile(new URL(name, import.meta.url));
const compile = async (name: string) => WebAssembly.compile(await read(name));
const port = parentPort!;
await serve(
  { post: (message) => port.postMessage(message, []), listen: (handler) => port.on("message", handler) },
  {
    quickjs: await compile("quickjs.wasm"),
    extensions: [
      { name: "encoding", wasm: await compile("encoding.so") },
      { name: "structured-clone", wasm: await compile("structured-clone.so") },
      { name: "url", wasm: await compile("url.so") },
    ],
    guest: await readFile(new URL("guest.txt", import.meta.url), "utf8"),
  },
);
