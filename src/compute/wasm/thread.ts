/**
 * The part of a compute thread that is the same in Node and in browsers. The host (pool.ts) writes an operation into
 * the control block, opens the gate and wakes the threads. A thread that comes in time joins through the gate, works
 * on the operation's units and leaves; the host does the same, then shuts the gate and waits for those inside only. So
 * a thread that the system has not scheduled costs nothing but its help.
 */

/** Indices of i32 words in the control block at the start of the memory; words that are waited on have their own cache line. */
export const CONTROL = {
  /** Counts operations; threads sleep on it. */
  SEQUENCE: 16,
  /** Threads inside, plus SHUT while nobody may enter. */
  GATE: 32,
  /** The next unit (see assembly/units.ts). */
  UNIT: 48,
  /** 1 after a kernel trapped. */
  FAILED: 64,
  KERNEL: 65,
  ARGUMENTS: 66,
  SCRATCH: 67,
  SCRATCH_STRIDE: 68,
} as const;
/** Index of the first argument, as f64. */
export const ARGUMENT_BASE = 64;
/** Bytes that the control block takes. */
export const CONTROL_BYTES = 4096;
export const SHUT = 1 << 30;

/** Looks before a thread goes to sleep: some tens of microseconds. */
const SPINS = 4000;

export type Kernel = (...parameters: number[]) => void;

export interface ThreadSetup {
  memory: WebAssembly.Memory;
  module: WebAssembly.Module;
  /** 1 for the first thread besides the host. */
  index: number;
}

export function instantiate(module: WebAssembly.Module, memory: WebAssembly.Memory): { names: string[]; kernels: Kernel[] } {
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const names = Object.keys(exports).toSorted();
  return { names, kernels: names.map((name) => exports[name] as Kernel) };
}

/** Calls the kernel of the operation in the control block as thread `index`. */
function work(kernels: Kernel[], control: Int32Array, values: Float64Array, index: number): void {
  const count = control[CONTROL.ARGUMENTS];
  const scratch = (control[CONTROL.SCRATCH] >>> 0) + index * control[CONTROL.SCRATCH_STRIDE];
  kernels[control[CONTROL.KERNEL]](scratch, ...values.subarray(ARGUMENT_BASE, ARGUMENT_BASE + count));
}

/** Serves operations until the worker is terminated. Calls `ready` once the kernels are there. */
export function runThread({ memory, module, index }: ThreadSetup, ready: () => void): never {
  const { kernels } = instantiate(module, memory);
  const control = new Int32Array(memory.buffer, 0, CONTROL_BYTES / 4);
  const values = new Float64Array(memory.buffer, 0, CONTROL_BYTES / 8);
  let seen = Atomics.load(control, CONTROL.SEQUENCE);
  ready();
  for (;;) {
    for (let i = 0; i < SPINS && Atomics.load(control, CONTROL.SEQUENCE) === seen; i++);
    while (Atomics.load(control, CONTROL.SEQUENCE) === seen) Atomics.wait(control, CONTROL.SEQUENCE, seen);
    seen = Atomics.load(control, CONTROL.SEQUENCE);
    if (!enter(control)) continue;
    try {
      work(kernels, control, values, index);
    } catch {
      Atomics.store(control, CONTROL.FAILED, 1);
    }
    if (Atomics.sub(control, CONTROL.GATE, 1) === SHUT + 1) Atomics.notify(control, CONTROL.GATE);
  }
}

/** False when the gate is shut. */
function enter(control: Int32Array): boolean {
  for (;;) {
    const inside = Atomics.load(control, CONTROL.GATE);
    if (inside & SHUT) return false;
    if (Atomics.compareExchange(control, CONTROL.GATE, inside, inside + 1) === inside) return true;
  }
}
