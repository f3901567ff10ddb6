/** The `process` object. */
import { virtualNow } from "./clock.ts";
import { EventEmitter } from "./events.ts";
import type { GuestJob } from "../guest-protocol.ts";
import { host } from "./host.ts";
import * as path from "./path.ts";

/** Thrown by process.exit(); the worker stops the VM even when the code catches it. */
export class ExitSignal extends Error {}

export const process: any = new EventEmitter();

function hrtime(previous?: [number, number]): [number, number] {
  const ns = virtualNow() * 1e6;
  const s = Math.floor(ns / 1e9);
  const n = Math.floor(ns % 1e9);
  if (!previous) return [s, n];
  const borrow = n < previous[1] ? 1 : 0;
  return [s - previous[0] - borrow, n - previous[1] + borrow * 1e9];
}
hrtime.bigint = () => BigInt(Math.floor(virtualNow() * 1e6));
const stream = (fd: number) => ({
  fd, isTTY: false, columns: 80, writable: true,
  write(text: unknown, ...rest: unknown[]): boolean {
    host.out(fd, typeof text === "string" ? text : new TextDecoder().decode(text as Uint8Array));
    const done = rest.find((r) => typeof r === "function") as (() => void) | undefined;
    if (done) queueMicrotask(done);
    return true;
  },
  end() {},
  on() {
    return this;
  },
  once() {
    return this;
  },
});

/** `onExit` hears of process.exit() before the program ends. */
export function installProcess(job: GuestJob, onExit: (status: number) => void): void {
  let cwd = job.cwd;
  Object.assign(process, {
    argv: ["/usr/local/bin/node", ...job.argv],
    argv0: "node",
    execPath: "/usr/local/bin/node",
    execArgv: [],
    env: job.env,
    cwd: () => cwd,
    chdir: (dir: string) => {
      cwd = path.resolve(dir);
    },
    exit: (code?: number) => {
      if (code !== undefined) process.exitCode = code;
      const status = Number(process.exitCode ?? 0);
      process.emit("exit", status);
      onExit(status);
      host.exit(status);
      throw new ExitSignal("process.exit");
    },
    exitCode: undefined,
    abort: () => host.exit(134),
    nextTick: (fn: (...args: unknown[]) => void, ...args: unknown[]) => queueMicrotask(() => fn(...args)),
    hrtime,
    uptime: () => virtualNow() / 1000,
    memoryUsage: Object.assign(() => ({ rss: 5e7, heapTotal: 2e7, heapUsed: 1e7, external: 1e6, arrayBuffers: 1e4 }), { rss: () => 5e7 }),
    cpuUsage: () => ({ user: 0, system: 0 }),
    emitWarning: (warning: unknown) => host.out(2, `(node:1) Warning: ${warning instanceof Error ? warning.message : String(warning)}\n`),
    kill: () => true,
    stdout: stream(1),
    stderr: stream(2),
    stdin: { fd: 0, isTTY: false, on() { return this; }, resume() { return this; }, setEncoding() { return this; } },
    platform: "linux",
    arch: "x64",
    pid: 1,
    ppid: 0,
    title: "node",
    version: "v20.20.2",
    versions: { node: "20.20.2" },
    release: { name: "node" },
    features: {},
    config: {},
    umask: () => 0o22,
  });
}
