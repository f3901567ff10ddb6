/**
 * The embedded sandbox: milliseconds of a fresh episode with a suite of 15 tests, whole episodes a second with one and
 * two workers, and memory over 2,000 episodes in one process. Alone: `npx tsx bench/sandbox.ts`.
 */
import { fileURLToPath, pathToFileURL } from "node:url";
import type { CommandContext, Outcome } from "../src/cli/command.ts";
import { createEmbeddedSandboxes } from "../src/sandbox/index.node.ts";
import type { Files, SandboxFactory } from "../src/sandbox/index.ts";
import { readFolder } from "../src/tasks/index.node.ts";

/** A repository of eight modules; this one test file of it holds 15 tests. */
const REPOSITORY = fileURLToPath(new URL("../environments/intervals", import.meta.url));
const TEST_FILE = "test/range.test.js";
const WARM_UP = 60;
const REPEATS = 100;
const EPISODES = 200;
const MEMORY_EPISODES = 2000;

interface Spread {
  median: number;
  low: number;
  high: number;
}
interface SandboxSpeed {
  tests: number;
  /** Wall and CPU milliseconds of a fresh episode that runs the suite once. */
  freshMs: Spread;
  freshCpuMs: Spread;
  /** Whole episodes: three commands, an edit, the tests, grading in another fresh sandbox. */
  episodesPerSecond: { workers: number; median: number; low: number; high: number; cpuMs: number }[];
  /** Resident MiB after every 500 episodes. */
  memoryMiB: number[];
}

/** Median with the 10th and 90th percentile. */
function spread(values: number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (q: number) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
  return { median: at(0.5), low: at(0.1), high: at(0.9) };
}
const show = ({ median, low, high }: Spread) => `${median.toFixed(1)} (${low.toFixed(1)} to ${high.toFixed(1)})`;
/** User and system milliseconds of this process, its worker threads included. */
const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

async function freshSuite(factory: SandboxFactory, files: Files): Promise<number> {
  const sandbox = await factory.create(files);
  const { cases, failure } = await sandbox.test([TEST_FILE]);
  await sandbox.dispose();
  if (failure) throw new Error(failure.message);
  return cases.length;
}

/** What an agent does in a short episode; every repetition is the same. */
async function episode(factory: SandboxFactory, files: Files): Promise<void> {
  const sandbox = await factory.create(files);
  await sandbox.exec("ls -R src test && cat package.json");
  await sandbox.exec("grep -rn 'return' src | head -20");
  const source = await sandbox.readFile("src/range.js");
  await sandbox.writeFile("src/range.js", source + "\n");
  await sandbox.exec(`node --test ${TEST_FILE}`);
  const work = await sandbox.snapshot();
  await sandbox.dispose();
  await freshSuite(factory, work);
}

async function measureEpisodes(files: Files, workers: number, signal: AbortSignal) {
  const factory = createEmbeddedSandboxes({ workers });
  try {
    const batch = 4 * workers;
    const rates: number[] = [];
    let cpu = 0;
    for (let done = -batch * 5; done < EPISODES; done += batch) {
      signal.throwIfAborted();
      const begin = performance.now();
      const cpuBegin = cpuMs();
      await Promise.all(Array.from({ length: batch }, () => episode(factory, files)));
      if (done < 0) continue;
      rates.push(batch / ((performance.now() - begin) / 1000));
      cpu += cpuMs() - cpuBegin;
    }
    return { workers, ...spread(rates), cpuMs: cpu / (rates.length * batch) };
  } finally {
    await factory.close();
  }
}

export async function bench({ print, signal }: Pick<CommandContext, "print" | "signal">): Promise<Outcome & { result: SandboxSpeed }> {
  const files = await readFolder(REPOSITORY);
  const factory = createEmbeddedSandboxes({ workers: 1 });
  const wall: number[] = [];
  const cpu: number[] = [];
  let tests = 0;
  try {
    for (let i = -WARM_UP; i < REPEATS; i++) {
      signal.throwIfAborted();
      const begin = performance.now();
      const cpuBegin = cpuMs();
      tests = await freshSuite(factory, files);
      if (i < 0) continue;
      wall.push(performance.now() - begin);
      cpu.push(cpuMs() - cpuBegin);
    }
  } finally {
    await factory.close();
  }
  print("medians (10th to 90th percentile)");
  print(`fresh episode and ${tests} tests   ${show(spread(wall))} ms, of CPU ${show(spread(cpu))} ms`);
  const episodesPerSecond = [];
  for (const workers of [1, 2]) {
    const rate = await measureEpisodes(files, workers, signal);
    episodesPerSecond.push(rate);
    print(`episodes, ${workers} worker${workers > 1 ? "s" : " "}          ${show(rate)} a second, ${rate.cpuMs.toFixed(1)} ms of CPU each`);
  }
  const memoryMiB = await measureMemory(files, signal);
  print(`memory over ${MEMORY_EPISODES} episodes   ${memoryMiB.map((m) => m.toFixed(0)).join(", ")} MiB`);
  return { ok: true, result: { tests, freshMs: spread(wall), freshCpuMs: spread(cpu), episodesPerSecond, memoryMiB } };
}

async function measureMemory(files: Files, signal: AbortSignal): Promise<number[]> {
  const factory = createEmbeddedSandboxes({ workers: 2 });
  const memory: number[] = [];
  try {
    for (let done = 0; done < MEMORY_EPISODES; done += 10) {
      signal.throwIfAborted();
      await Promise.all(Array.from({ length: 10 }, () => episode(factory, files)));
      if (done % 500 === 490) memory.push(process.memoryUsage.rss() / 2 ** 20);
    }
  } finally {
    await factory.close();
  }
  return memory;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await bench({ print: (line) => console.log(line), signal: new AbortController().signal });
}
