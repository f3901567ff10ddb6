/**
 * Compiles the WASM kernels (four builds: with and without relaxed SIMD, with and without shared memory) and the
 * thread script that Node's workers run, into build/compute/.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";
import ts from "typescript";

const root = new URL("../", import.meta.url);
const out = new URL("build/compute/", root);
const source = new URL("src/compute/wasm/", root);

async function compileKernels(relaxed, shared) {
  const name = `kernels-${relaxed ? "relaxed" : "simd"}${shared ? "-shared" : ""}.wasm`;
  const { error, stderr } = await asc.main([
    fileURLToPath(new URL("assembly/index.ts", source)),
    "--outFile", fileURLToPath(new URL(name, out)),
    "-O3", "--noAssert", "--runtime", "stub",
    "--importMemory", "--noExportMemory", "--maximumMemory", "65536",
    "--enable", "simd",
    ...(relaxed ? ["--enable", "relaxed-simd"] : []),
    ...(shared ? ["--enable", "threads", "--sharedMemory"] : []),
  ]);
  if (error) throw new Error(`${name} did not compile\n${stderr.toString()}`);
}

async function compileThread(name) {
  const code = await readFile(new URL(`${name}.ts`, source), "utf8");
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { target: "ES2022", module: "ESNext", rewriteRelativeImportExtensions: true },
  });
  await writeFile(new URL(`${name}.js`, out), outputText);
}

await mkdir(out, { recursive: true });
await writeFile(new URL("package.json", out), '{ "type": "module" }\n');
await Promise.all([
  ...[true, false].flatMap((relaxed) => [true, false].map((shared) => compileKernels(relaxed, shared))),
  compileThread("thread"),
  compileThread("thread-node"),
]);
