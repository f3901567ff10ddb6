/**
 * Builds what the embedded sandbox's workers load, into build/sandbox/: the guest bundle (runs inside the VM), the
 * workers for Node and for browsers, the reporter of the Node back end, and copies of the engine's WebAssembly files.
 */
import { copyFile, mkdir, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = `${root}build/sandbox`;
/** Built beside the old one, so that what runs meanwhile finds it whole. */
const out = `${target}-${process.pid}`;
const require = createRequire(import.meta.url);

await mkdir(out, { recursive: true });

const shared = { root, configFile: false, logLevel: "warn" };
await build({
  ...shared,
  build: {
    outDir: out, emptyOutDir: false, target: "es2023", minify: false,
    lib: { entry: "src/sandbox/embedded/guest/main.ts", formats: ["iife"], name: "guest", fileName: () => "guest.txt" },
  },
});
for (const [name, entry, platform] of [
  ["worker.mjs", "src/sandbox/embedded/worker/entry-node.ts", "node"],
  ["worker-web.mjs", "workers/sandbox.worker.ts", "webworker"],
  ["node-reporter.mjs", "src/sandbox/node/reporter.ts", "node"],
]) {
  await build({
    ...shared,
    ssr: { noExternal: true, target: platform },
    resolve: { alias: { "node:zlib": `${root}src/sandbox/embedded/worker/no-zlib.ts` } },
    build: {
      outDir: out, emptyOutDir: false, target: "es2023", minify: false, ssr: entry,
      rollupOptions: { output: { entryFileNames: name, codeSplitting: false } },
    },
  });
}
for (const name of ["quickjs.wasm", "url.so", "encoding.so", "structured-clone.so"]) {
  await copyFile(require.resolve(`quickjs-wasi/${name}`), `${out}/${name}`);
}
await rm(target, { recursive: true, force: true });
await rename(out, target);
