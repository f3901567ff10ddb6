/**
 * Runs one program (a test file or a script) in a fresh quickjs VM that is restored from a snapshot. The snapshot
 * already holds the guest bundle, so a VM is ready in about a millisecond. The guest has no ambient API at all: what
 * it can reach is the handful of host functions below.
 */
import { EvalFlags, type ExtensionDescriptor, type JSValueHandle, QuickJS, type Snapshot } from "quickjs-wasi";
import type { CaseEvent, GuestJob } from "../guest/host.ts";
import type { EpisodeFiles } from "./files.ts";
import { ModuleError, Modules } from "./modules.ts";

/** Compiled engine parts and the text of the guest bundle. */
export interface EngineAssets {
  quickjs: WebAssembly.Module;
  extensions: { name: string; wasm: WebAssembly.Module }[];
  guest: string;
}

export interface Program {
  job: GuestJob;
  files: EpisodeFiles;
  /** Milliseconds of wall clock that are left. */
  timeMs: number;
  memoryBytes: number;
}

export interface ProgramResult {
  exitCode: number;
  /** Set when the VM was stopped from outside. */
  failure: null | { kind: "timeout" | "memory" | "crash"; message: string };
}

export interface ProgramSink {
  out(fd: number, text: string): void;
  event(event: CaseEvent): void;
}

/** About 800 guest frames; deeper recursion is a RangeError in the guest. */
const STACK_BYTES = 192 << 10;
const EPOCH_NS = BigInt(Date.UTC(2024, 0, 1)) * 1_000_000n;

/** The engine's clock stands still and its entropy is fixed; the guest bundle replaces Date and Math.random anyway. */
const wasi = (memory: WebAssembly.Memory) => ({
  clock_time_get(_id: number, _precision: bigint, pointer: number): number {
    new DataView(memory.buffer).setBigUint64(pointer, EPOCH_NS, true);
    return 0;
  },
  random_get(pointer: number, length: number): number {
    new Uint8Array(memory.buffer, pointer, length).fill(7);
    return 0;
  },
});

const HOST_FUNCTIONS = ["out", "event", "fs", "load", "evaluate", "requireModule", "exit"] as const;

export class Engine {
  readonly #assets: EngineAssets;
  readonly #snapshot: Snapshot;
  /** Export names of each built-in module. */
  readonly builtins: Record<string, string[]>;

  private constructor(assets: EngineAssets, snapshot: Snapshot, builtins: Record<string, string[]>) {
    this.#assets = assets;
    this.#snapshot = snapshot;
    this.builtins = builtins;
  }

  static async create(assets: EngineAssets): Promise<Engine> {
    const vm = await QuickJS.create({ wasm: assets.quickjs, wasi, timezoneOffset: 0, extensions: assets.extensions as ExtensionDescriptor[] });
    try {
      const table = vm.newObject();
      for (const name of HOST_FUNCTIONS) vm.newFunction(name, () => vm.undefined).consume((fn) => table.setProp(name, fn));
      vm.setProp(vm.global, "__host", table);
      table.dispose();
      vm.evalCode(assets.guest, "node:internal").dispose();
      vm.executePendingJobs();
      const builtins = vm.evalCode("__guest.names()").consume((h) => JSON.parse(h.toString()));
      return new Engine(assets, vm.snapshot(), builtins);
    } finally {
      vm.dispose();
    }
  }

  async run(program: Program, sink: ProgramSink): Promise<ProgramResult> {
    const modules = new Modules(program.files, this.builtins);
    const deadline = performance.now() + program.timeMs;
    let exitCode: number | undefined;
    let timedOut = false;
    const vm = await QuickJS.restore(this.#snapshot, {
      wasm: this.#assets.quickjs,
      wasi,
      timezoneOffset: 0,
      extensions: this.#assets.extensions as ExtensionDescriptor[],
      memoryLimit: program.memoryBytes,
      maxStackSize: STACK_BYTES,
      interruptHandler: () => exitCode !== undefined || (timedOut ||= performance.now() > deadline),
      moduleLoader: {
        normalize: (base, specifier) => guestError(() => {
          if (base === "node:internal" || base === "node:require") return specifier;
          const builtin = modules.builtinName(specifier);
          return builtin === undefined ? modules.resolve(specifier, base, "import") : `node:${builtin}`;
        }),
        load: (name) => guestError(() => modules.moduleSource(name)),
      },
      onUnhandledRejection: (promise, reason, isHandled) => {
        const id = promise.identity;
        if (isHandled) {
          rejections.get(id)?.forEach((h) => h.dispose());
          rejections.delete(id);
        } else rejections.set(id, [reason.dup(), promise.dup()]);
      },
    });
    const rejections = new Map<number, JSValueHandle[]>();
    const implementations: Record<(typeof HOST_FUNCTIONS)[number], (...args: JSValueHandle[]) => JSValueHandle> = {
      out: (fd, text) => {
        if (exitCode === undefined) sink.out(fd.toNumber(), text.toString());
        return vm.undefined;
      },
      event: (json) => {
        if (exitCode === undefined) sink.event(JSON.parse(json.toString()));
        return vm.undefined;
      },
      fs: (op, path, data) => vm.newString(JSON.stringify(program.files.operate(op.toString(), path.toString(), data.toString()))),
      load: (from, specifier) => vm.newString(JSON.stringify(loadCommonJs(modules, from.toString(), specifier.toString()))),
      evaluate: (code, filename) => vm.evalCode(code.toString(), filename.toString()),
      requireModule: (path) => requireModule(vm, path.toString()),
      exit: (code) => {
        exitCode ??= code.toNumber();
        return vm.undefined;
      },
    };
    for (const name of HOST_FUNCTIONS) vm.registerHostCallback(name, implementations[name]);
    try {
      const guest = vm.global.getProp("__guest");
      const [start, step, idle, uncaught] = ["start", "step", "idle", "uncaught"].map((n) => guest.getProp(n));
      guest.dispose();
      vm.evalCode("delete globalThis.__guest").dispose();
      vm.newString(JSON.stringify(program.job)).consume((json) => vm.callFunction(start, vm.undefined, json).dispose());
      const text = (fn: JSValueHandle) => vm.callFunction(fn, vm.undefined).consume((h) => h.toString());
      for (let state = ""; state !== "done" && exitCode === undefined; ) {
        vm.executePendingJobs();
        if (rejections.size > 0) {
          const [[id, handles]] = rejections;
          rejections.delete(id);
          vm.callFunction(uncaught, vm.undefined, handles[0]).dispose();
          for (const h of handles) h.dispose();
          continue;
        }
        state = text(step);
        if (state === "idle") state = text(idle);
        if (performance.now() > deadline) timedOut = true;
        if (timedOut) break;
      }
    } catch (error) {
      if (exitCode === undefined && !timedOut) return { exitCode: 134, failure: stopReason(error, program) };
    } finally {
      try {
        vm.dispose();
      } catch {
        // A VM that ran out of memory or stack may not unwind; its memory goes with the instance.
      }
    }
    if (timedOut) return { exitCode: 124, failure: { kind: "timeout", message: `still running after ${Math.round(program.timeMs)} ms: an endless loop or endless timers` } };
    return { exitCode: exitCode ?? 0, failure: null };
  }
}

function stopReason(error: unknown, program: Program): ProgramResult["failure"] {
  const message = error instanceof Error ? error.message : String(error);
  if (/out of memory/i.test(message)) return { kind: "memory", message: `out of memory: the limit is ${program.memoryBytes >> 20} MiB` };
  if (error instanceof RangeError || /stack|unreachable|memory access/.test(message)) {
    return { kind: "crash", message: `the program broke the engine: ${message}` };
  }
  return { kind: "crash", message };
}

/** Errors of the worker's own realm must not show its stack to the guest. */
function guestError<T>(f: () => T): T {
  try {
    return f();
  } catch (error) {
    if (error instanceof ModuleError) error.stack = "";
    throw error;
  }
}

function loadCommonJs(modules: Modules, from: string, specifier: string): object {
  try {
    const builtin = modules.builtinName(specifier);
    if (builtin !== undefined) return { path: builtin, kind: "builtin", source: "" };
    const path = modules.resolve(specifier, from, "require");
    const kind = modules.kindOf(path);
    return { path, kind, source: kind === "esm" ? "" : modules.commonJsSource(path) };
  } catch (error) {
    if (error instanceof ModuleError) return { error: error.message, code: error.code };
    throw error;
  }
}

/** An ES module without top-level await evaluates at once, so its namespace can be returned to `require()`. */
function requireModule(vm: QuickJS, path: string): JSValueHandle {
  const slot = "__frogpondRequired";
  const code = `import * as ns from ${JSON.stringify(path)}; Object.defineProperty(globalThis, "${slot}", { value: ns, configurable: true });`;
  vm.evalCode(code, "node:require", EvalFlags.TYPE_MODULE).dispose();
  const ns = vm.global.getProp(slot);
  vm.evalCode(`delete globalThis.${slot}`).dispose();
  return ns;
}
