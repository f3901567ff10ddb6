import { DeviceLostError } from "../kernels.ts";
import { ARGUMENT_BASE, CONTROL, CONTROL_BYTES, instantiate, type Kernel, SHUT } from "./thread.ts";

/** What ends a thread, and how to hear of its death. */
export interface ThreadHandle {
  terminate(): void;
}

/** Looks at the gate before the host goes to sleep: some tens of microseconds. */
const SPINS = 3000;
const PATIENCE_MS = 60_000;

/** Runs kernels on the calling thread and on the threads that serve the same memory. */
export class Pool {
  lost: string | null = null;
  private readonly kernels: Kernel[];
  private readonly index: Map<string, number>;
  private readonly mayWait: boolean;

  constructor(
    module: WebAssembly.Module,
    private readonly memory: WebAssembly.Memory,
    private readonly threads: ThreadHandle[],
    private readonly shareFrom: number,
  ) {
    const { names, kernels } = instantiate(module, memory);
    this.kernels = kernels;
    this.index = new Map(names.map((name, i) => [name, i]));
    this.mayWait = threads.length > 0 && canWait(this.control());
    if (threads.length > 0) Atomics.store(this.control(), CONTROL.GATE, SHUT);
  }

  get size(): number {
    return 1 + this.threads.length;
  }

  /**
   * Runs a kernel to its end. `nanoseconds` estimates its time on one thread; `scratch` and `stride` say where the
   * threads' scratch memories lie. Throws `DeviceLostError` when a thread died.
   */
  run(name: string, nanoseconds: number, scratch: number, stride: number, parameters: number[]): void {
    this.check();
    const kernel = this.index.get(name);
    if (kernel === undefined) throw new Error(`no kernel ${name} in this build: run npm run build:compute`);
    const control = this.control();
    control[CONTROL.UNIT] = 0;
    const shared = this.threads.length > 0 && nanoseconds >= this.shareFrom;
    if (shared) this.open(control, kernel, scratch, stride, parameters);
    try {
      this.kernels[kernel](scratch, ...parameters);
    } finally {
      if (shared) this.close(control);
    }
    if (shared && Atomics.load(control, CONTROL.FAILED) !== 0) this.fail(`a compute thread failed in ${name}`);
  }

  check(): void {
    if (this.lost !== null) throw new DeviceLostError(this.lost);
  }

  end(): void {
    this.lost ??= "the device was destroyed";
    for (const thread of this.threads) thread.terminate();
  }

  private control(): Int32Array {
    return new Int32Array(this.memory.buffer, 0, CONTROL_BYTES / 4);
  }

  private open(control: Int32Array, kernel: number, scratch: number, stride: number, parameters: number[]): void {
    control[CONTROL.KERNEL] = kernel;
    control[CONTROL.ARGUMENTS] = parameters.length;
    control[CONTROL.SCRATCH] = scratch;
    control[CONTROL.SCRATCH_STRIDE] = stride;
    new Float64Array(this.memory.buffer, 0, CONTROL_BYTES / 8).set(parameters, ARGUMENT_BASE);
    Atomics.store(control, CONTROL.GATE, 0);
    Atomics.add(control, CONTROL.SEQUENCE, 1);
    Atomics.notify(control, CONTROL.SEQUENCE);
  }

  private close(control: Int32Array): void {
    Atomics.or(control, CONTROL.GATE, SHUT);
    for (let i = 0; i < SPINS && Atomics.load(control, CONTROL.GATE) !== SHUT; i++);
    const since = performance.now();
    for (let state = Atomics.load(control, CONTROL.GATE); state !== SHUT; state = Atomics.load(control, CONTROL.GATE)) {
      if (this.mayWait) Atomics.wait(control, CONTROL.GATE, state, 1000);
      if (performance.now() - since > PATIENCE_MS) this.fail(`a compute thread did not answer for ${PATIENCE_MS / 1000} s`);
    }
  }

  private fail(reason: string): never {
    this.lost = reason;
    throw new DeviceLostError(reason);
  }
}

/** Browsers do not let a page's main thread wait; it has to spin. */
function canWait(control: Int32Array): boolean {
  try {
    Atomics.wait(control, CONTROL.GATE, -1, 0);
    return true;
  } catch {
    return false;
  }
}
