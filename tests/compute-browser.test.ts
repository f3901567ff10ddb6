/**
 * The devices in a real browser: WASM, with threads and without, gives the bits that it gives in Node; WebGPU gives them
 * up to rounding.
 */
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer } from "vite";
import { createWasmDevice } from "../src/compute/index.node.ts";
import { computeSample } from "./compute-browser/sample.ts";

const CHROMIUM = "/usr/bin/chromium";
const FLAGS = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
/** WebGPU in software. */
const GPU_FLAGS = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader", "--enable-features=Vulkan"];
const ISOLATED = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };
const root = fileURLToPath(new URL("..", import.meta.url));

const installed = existsSync(CHROMIUM);
if (!installed) console.warn(`${CHROMIUM} is not installed: the kernels are not tested in a browser. Install it with "apt-get install chromium".`);

describe.skipIf(!installed)("devices in Chromium", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, headless: true, args: [...FLAGS, ...GPU_FLAGS] });
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
  });

  /** The sample on a device of the page, and in Node on WASM. */
  async function inBoth(name: "wasm" | "webgpu", headers: Record<string, string>) {
    const server = await createServer({ root, configFile: false, logLevel: "error", server: { port: 0, host: "127.0.0.1", hmr: false, watch: null, headers } });
    await server.listen();
    const page = await browser.newPage();
    try {
      const problems: string[] = [];
      page.on("pageerror", (error) => problems.push(error.message));
      await page.goto(`${server.resolvedUrls!.local[0]}tests/compute-browser/index.html`);
      await page.waitForFunction("typeof compute === 'function'");
      const inPage = await page.evaluate((device) => (globalThis as any).compute(device), name);
      const device = await createWasmDevice();
      const inNode = await computeSample(device);
      device.destroy();
      expect(problems).toEqual([]);
      return { inPage, inNode };
    } finally {
      await page.close();
      await server.close();
    }
  }

  test.each([
    { page: "cross-origin isolated", headers: ISOLATED, threads: availableParallelism() > 1 ? /[2-4] threads/ : /1 thread\b/ },
    { page: "ordinary", headers: {}, threads: /1 thread\b/ },
  ])("WASM in a $page page", { timeout: 120_000 }, async ({ headers, threads }) => {
    const { inPage, inNode } = await inBoth("wasm", headers);
    expect(inPage.description).toMatch(threads);
    expect(inPage.description).toContain("relaxed SIMD");
    expect(inPage.values).toEqual(inNode.values);
  });

  test("WebGPU", { timeout: 120_000 }, async () => {
    const { inPage, inNode } = await inBoth("webgpu", {});
    expect(inPage.description).toMatch(/^WebGPU on /);
    const error = Math.hypot(...inNode.values.map((x: number, i: number) => inPage.values[i] - x)) / Math.hypot(...inNode.values);
    expect(error).toBeLessThan(1e-5);
  });
});
