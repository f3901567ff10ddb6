/**
 * Runs one program (a test file or a script) in a fresh quickjs VM that is restored from a snapshot. The snapshot
 * already holds the guest bundle, so a VM is ready in about a millisecond. The guest has no ambient API at all: what
 * it can reach is the handful of host functions below.
 */
import { EvalFlags, type ExtensionDescriptor, JSException, type JSValueHandle, QuickJS, type Snapshot } from "quickjs-wasi";
import type { SandboxLimits } from "../../sandbox.ts";
import { type CaseEvent, type GuestJob, OUT_OF_MEMORY } from "../guest-protocol.ts";
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
  limits: SandboxLimits;
  /** Milliseconds of wall clock that are left of the limit. */
  leftMs: number;
}

export interface ProgramResult {
  exitCode: number;
  /** Set when the VM was stopped from outside. */
  failure: null | { kind: "timeout" | "memory" | "crash"; message: string; byClock?: true };
}

export interface ProgramSink {
  out(fd: number, text: string): void;
  event(event: CaseEvent): void;
}

/**
 * The engine polls about every 10,000 calls and loop rounds, after the same steps in every run. A program may take as
 * many polls as its limit has milliseconds, which ordinary code does not need that long for; so an endless loop ends
 * sooner than by the clock, and at the same step on a busy machine. The clock is the second line.
 */
const POLLS_PER_MS = 1;
const STEPS_PER_POLL = 10_000;
/** What a timer or immediate counts, in polls. */
const TIMER_POLLS = 0.02;

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

/** The heap grows to this before the snapshot is taken, so that ordinary programs fit without growing it. */
const HEADROOM_BYTES = 3 << 20;
/** The engine looks for cycles only after this much was allocated: most programs end before. */
const GC_THRESHOLD_BYTES = 4 << 20;

export class Engine {
  readonly #assets: EngineAssets;
  readonly #snapshot: Snapshot;
  /** Export names of each built-in module. */
  readonly builtins: Record<string, string[]>;
  /** A machine that is back in its first state. */
  #idle: Machine | undefined;

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
      vm.evalCode(`void new ArrayBuffer(${HEADROOM_BYTES})`).dispose();
      vm.runGC();
      vm.gcThreshold = GC_THRESHOLD_BYTES;
      return new Engine(assets, vm.snapshot(), builtins);
    } finally {
      vm.dispose();
    }
  }

  async run(program: Program, sink: ProgramSink): Promise<ProgramResult> {
    const machine = this.#idle ?? (await Machine.create(this.#assets, this.#snapshot));
    this.#idle = undefined;
    const result = machine.run(program, sink, new Modules(program.files, this.builtins));
    if (result.failure === null && machine.reset()) this.#idle = machine;
    else machine.dispose();
    return result;
  }
}

/** The guest bundle's own functions. */
type EntryPoints = Record<(typeof ENTRY_POINTS)[number], JSValueHandle>;
const ENTRY_POINTS = ["start", "step", "idle", "uncaught", "moduleError"] as const;
/** The library keeps a handle for each exception it has passed on; a machine is replaced before they add up. */
const MAX_USES = 500;

/** What the host functions of a machine work for at the moment. */
interface Running {
  program: Program;
  sink: ProgramSink;
  modules: Modules;
  deadline: number;
  polls: number;
  exitCode: number | undefined;
  timedOut: boolean;
  /** Rejected promises that nobody has handled yet, with their reasons. */
  rejections: Map<number, { reason: JSValueHandle; promise: JSValueHandle }>;
}

/**
 * One VM. Instantiating its WebAssembly costs more than most test files, so after a program the machine gets back the
 * memory it began with, byte for byte, and serves the next one; nothing of a program can survive that.
 */
class Machine {
  readonly #vm: QuickJS;
  #running: Running | undefined;
  readonly #entry: EntryPoints;
  #uses = 0;
  /** Linear memory as it was before any program ran. */
  readonly #memory: Uint8Array;
  readonly #stackPointer: number;

  private constructor(vm: QuickJS, entry: EntryPoints, image: Snapshot) {
    this.#vm = vm;
    this.#entry = entry;
    this.#memory = image.memory;
    this.#stackPointer = image.stackPointer;
  }

  static async create(assets: EngineAssets, snapshot: Snapshot): Promise<Machine> {
    // The callbacks need the machine, which needs the VM.
    const box: { machine?: Machine } = {};
    const running = () => box.machine!.#running!;
    /** A module that cannot be had is an error of the guest's realm, with Node's code. */
    const inGuest = <T>(f: () => T): T => {
      try {
        return f();
      } catch (error) {
        if (!(error instanceof ModuleError)) throw error;
        const text = vm.newString(JSON.stringify({ message: error.message, code: error.code }));
        throw new JSException(vm.callFunction(box.machine!.#entry.moduleError, vm.undefined, text));
      }
    };
    const vm = await QuickJS.restore(snapshot, {
      wasm: assets.quickjs,
      wasi,
      timezoneOffset: 0,
      extensions: assets.extensions as ExtensionDescriptor[],
      maxStackSize: STACK_BYTES,
      interruptHandler: () => {
        const r = running();
        return r.exitCode !== undefined || isOver(r, 1);
      },
      moduleLoader: {
        normalize: (base, specifier) => inGuest(() => {
          if (base === "node:internal" || base === "node:require") return specifier;
          const { modules } = running();
          const builtin = modules.builtinName(specifier);
          return builtin === undefined ? modules.resolve(specifier, base, "import") : `node:${builtin}`;
        }),
        load: (name) => inGuest(() => running().modules.moduleSource(name)),
      },
      onUnhandledRejection: (promise, reason, isHandled) => {
        const { rejections } = running();
        const id = promise.identity;
        const known = rejections.get(id);
        if (!isHandled) rejections.set(id, { reason: reason.dup(), promise: promise.dup() });
        else if (known) {
          rejections.delete(id);
          known.reason.dispose();
          known.promise.dispose();
        }
      },
    });
    const functions: Record<(typeof HOST_FUNCTIONS)[number], (...args: JSValueHandle[]) => JSValueHandle> = {
      out: (fd, text) => {
        const r = running();
        if (isLive(r)) r.sink.out(fd.toNumber(), text.toString());
        return vm.undefined;
      },
      event: (json) => {
        const r = running();
        if (isLive(r)) r.sink.event(JSON.parse(json.toString()));
        return vm.undefined;
      },
      fs: (op, path, data) => vm.newString(JSON.stringify(running().program.files.operate(op.toString(), path.toString(), data.toString()))),
      load: (from, specifier) => vm.newString(JSON.stringify(loadCommonJs(running().modules, from.toString(), specifier.toString()))),
      evaluate: (code, filename) => vm.evalCode(code.toString(), filename.toString()),
      requireModule: (path) => requireModule(vm, path.toString()),
      exit: (code) => {
        const r = running();
        if (isLive(r)) r.exitCode = code.toNumber();
        return vm.undefined;
      },
    };
    for (const name of HOST_FUNCTIONS) vm.registerHostCallback(name, functions[name]);
    const guest = vm.global.getProp("__guest");
    const entry = Object.fromEntries(ENTRY_POINTS.map((name) => [name, guest.getProp(name)])) as EntryPoints;
    guest.dispose();
    vm.evalCode("delete globalThis.__guest").dispose();
    // Handles that the library makes on first use must lie in the image too.
    void vm.undefined;
    const machine = new Machine(vm, entry, vm.snapshot());
    box.machine = machine;
    return machine;
  }

  run(program: Program, sink: ProgramSink, modules: Modules): ProgramResult {
    const r: Running = {
      program, sink, modules, deadline: performance.now() + program.leftMs, polls: 0, exitCode: undefined, timedOut: false, rejections: new Map(),
    };
    this.#running = r;
    const vm = this.#vm;
    const { start, step, idle, uncaught } = this.#entry;
    const text = (fn: JSValueHandle) => vm.callFunction(fn, vm.undefined).consume((h) => h.toString());
    vm._getExports().qjs_set_memory_limit(program.limits.memoryBytes);
    try {
      vm.newString(JSON.stringify(program.job)).consume((json) => vm.callFunction(start, vm.undefined, json).dispose());
      for (let state = ""; state !== "done" && isLive(r); ) {
        vm.executePendingJobs();
        const first = r.rejections.entries().next();
        if (!first.done) {
          const [id, { reason }] = first.value;
          r.rejections.delete(id);
          vm.callFunction(uncaught, vm.undefined, reason).dispose();
          continue;
        }
        state = text(step);
        if (state === "idle") state = text(idle);
        isOver(r, TIMER_POLLS);
      }
    } catch (error) {
      if (isLive(r)) return { exitCode: 134, failure: stopReason(error, program) };
    }
    if (r.exitCode === OUT_OF_MEMORY) return { exitCode: 134, failure: memoryFailure(program) };
    if (r.timedOut) {
      return { exitCode: 124, failure: { kind: "timeout", message: `did not end within its limit of ${limitText(r)}: an endless loop or endless timers`, ...(hasUsedUp(r) ? {} : { byClock: true }) } };
    }
    return { exitCode: r.exitCode ?? 0, failure: null };
  }

  /** Puts the first state back. False when the memory has grown: then only a new machine is like the first. */
  reset(): boolean {
    const exports = this.#vm._getExports();
    const memory = new Uint8Array(exports.memory.buffer);
    if (memory.length !== this.#memory.length || ++this.#uses === MAX_USES) return false;
    memory.set(this.#memory);
    exports.__stack_pointer.value = this.#stackPointer;
    this.#running = undefined;
    return true;
  }

  dispose(): void {
    this.#vm.dispose();
  }
}

/** After its end a program may run on for a moment; nobody listens. */
const isLive = (r: Running): boolean => r.exitCode === undefined && !r.timedOut;

function isOver(r: Running, polls: number): boolean {
  r.polls += polls;
  return (r.timedOut ||= hasUsedUp(r) || performance.now() > r.deadline);
}

const limitText = (r: Running): string => (hasUsedUp(r) && r.program.limits.steps !== undefined ? `${r.program.limits.steps} steps` : `${r.program.limits.timeMs} ms`);

function hasUsedUp({ polls, program: { limits } }: Running): boolean {
  return polls > (limits.steps === undefined ? limits.timeMs * POLLS_PER_MS : limits.steps / STEPS_PER_POLL);
}

const memoryFailure = (program: Program): ProgramResult["failure"] => ({
  kind: "memory", message: `out of memory: the limit is ${program.limits.memoryBytes >> 20} MiB`,
});

function stopReason(error: unknown, program: Program): ProgramResult["failure"] {
  const message = error instanceof Error ? error.message : String(error);
  if (/out of memory/i.test(message)) return memoryFailure(program);
  if (error instanceof RangeError || /stack|unreachable|memory access/.test(message)) {
    return { kind: "crash", message: `the program broke the engine: ${message}` };
  }
  return { kind: "crash", message };
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
