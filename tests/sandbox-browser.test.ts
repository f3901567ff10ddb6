/** The embedded sandbox in a real browser gives what it gives in Node, and what Node itself gives. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer, type ViteDevServer } from "vite";
import { createEmbeddedSandboxes, createNodeSandboxes } from "../src/sandbox/index.node.ts";
import type { Files, SandboxFactory, SandboxLimits, TestRun } from "../src/sandbox/index.ts";
import { readFolder } from "../src/tasks/index.node.ts";

const CHROMIUM = "/usr/bin/chromium";
const FLAGS = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const root = fileURLToPath(new URL("..", import.meta.url));

async function inNode(factory: SandboxFactory, files: Files): Promise<TestRun> {
  try {
    return await (await factory.create(files, { timeMs: 60_000, memoryBytes: 256 << 20 })).test();
  } finally {
    await factory.close();
  }
}

const installed = existsSync(CHROMIUM);
if (!installed) console.warn(`${CHROMIUM} is not installed: the sandbox is not tested in a browser. Install it with "apt-get install chromium".`);

describe.skipIf(!installed)("embedded sandbox in Chromium", () => {
  let server: ViteDevServer;
  let browser: Browser;
  let page: Page;
  const problems: string[] = [];
  /** Requests that left the page after it had loaded its own files. */
  const requests: string[] = [];

  beforeAll(async () => {
    server = await createServer({ root, configFile: false, logLevel: "error", server: { port: 0, host: "127.0.0.1", hmr: false, watch: null } });
    await server.listen();
    browser = await chromium.launch({ executablePath: CHROMIUM, headless: true, args: FLAGS });
    page = await browser.newPage();
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(`${server.resolvedUrls!.local[0]}tests/sandbox-browser/index.html`);
    await page.waitForFunction("typeof episode === 'function'");
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  interface Episode {
    results: { stdout: string; stderr: string; exitCode: number; timedOut: boolean }[];
    run: TestRun;
    after: Files;
  }
  const inPage = (files: Files, commands: string[] = [], limits: Partial<SandboxLimits> = {}): Promise<Episode> =>
    page.evaluate(([f, c, l]) => (globalThis as any).episode(f, c, l), [files, commands, { timeMs: 20_000, ...limits }] as const);
  test("runs a repository's suite with the results that Node gives", async () => {
    const files = await readFolder(`${root}environments/formula`);
    const { run } = await inPage(files);
    const embedded = await inNode(createEmbeddedSandboxes({ workers: 1 }), files);
    const node = await inNode(createNodeSandboxes(), files);
    expect(run.failure).toBeNull();
    expect(run.cases).toEqual(embedded.cases);
    expect(run.cases.map((c) => [c.name, c.status])).toEqual(node.cases.map((c) => [c.name, c.status]));
    expect(run.cases.length).toBeGreaterThan(14);
    expect(problems).toEqual([]);
  });

  test("runs the shell, and ends what never ends or eats memory", async () => {
    const files: Files = {
      "package.json": '{"type":"module"}',
      "test/a.test.js": 'import test from "node:test";\ntest("loops", () => { for (;;); });\n',
      "bomb.js": "const a = []; for (;;) a.push(new Array(1000).fill(1));\n",
    };
    const before = requests.length;
    const { results, run, after } = await inPage(
      files,
      ["echo ä | tr a-z A-Z > out.txt; wc -c < out.txt", "node bomb.js", "node -e 'console.log(typeof fetch, typeof self, typeof postMessage)'"],
      { timeMs: 1500 },
    );
    expect(results[0]).toMatchObject({ stdout: "3\n", exitCode: 0 });
    expect(results[1].stderr).toContain("out of memory");
    expect(results[2].stdout).toBe("undefined undefined undefined\n");
    expect(after["out.txt"]).toBe("ä\n");
    expect(run.failure).toMatchObject({ kind: "timeout" });
    expect(requests.slice(before)).toEqual([]);
    expect(problems).toEqual([]);
  });
});
