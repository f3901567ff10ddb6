/**
 * Runs jobs on a few workers. The VM inside a worker watches its own time, but its interrupts poll rarely and a shell
 * command may hang outside the VM, so a worker that does not answer in time is terminated from here and replaced.
 */
import { SandboxError } from "../sandbox.ts";
import type { FromWorker, Job, Outcome, ToWorker } from "./protocol.ts";

/** One worker thread, in Node or in a browser. */
export interface WorkerHandle {
  post(message: ToWorker): void;
  terminate(): void;
}
export interface WorkerEvents {
  message(message: FromWorker): void;
  /** The worker ended without being told to. `memory`: it ran out of memory. */
  died(reason: string, memory: boolean): void;
}
export type SpawnWorker = (events: WorkerEvents) => WorkerHandle;

export type PoolResult = { kind: "done"; outcome: Outcome } | { kind: "timeout" } | { kind: "memory" };

/** A worker gets this long beyond the job's own limit, then it is terminated. */
const GRACE_MS = 1000;
/** After the last deadline, messages that already lie in the queue of a busy host thread still count. */
const LAST_LOOK_MS = 50;
const START_TRIES = 2;

interface Task {
  job: Job;
  timeMs: number;
  signal: AbortSignal | undefined;
  retried: boolean;
  resolve(result: PoolResult): void;
  reject(error: unknown): void;
}

class Lane {
  handle: WorkerHandle | undefined;
  ready = false;
  failedStarts = 0;
  task: Task | undefined;
  id = 0;
  timer: ReturnType<typeof setTimeout> | undefined;
}

export class Pool {
  readonly #spawn: SpawnWorker;
  readonly #lanes: Lane[];
  readonly #queue: Task[] = [];
  #closed = false;

  constructor(spawn: SpawnWorker, workers: number) {
    this.#spawn = spawn;
    this.#lanes = Array.from({ length: workers }, () => new Lane());
  }

  /** Rejects with the signal's reason when aborted, with `SandboxError` when workers fail by themselves. */
  run(job: Job, timeMs: number, signal?: AbortSignal): Promise<PoolResult> {
    if (this.#closed) return Promise.reject(new SandboxError("the sandboxes are closed"));
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const task: Task = { job, timeMs, signal, retried: false, resolve, reject };
      const onAbort = () => this.#abort(task);
      signal?.addEventListener("abort", onAbort, { once: true });
      const settle = <T>(f: (value: T) => void) => (value: T) => {
        signal?.removeEventListener("abort", onAbort);
        f(value);
      };
      task.resolve = settle(resolve);
      task.reject = settle(reject);
      this.#queue.push(task);
      this.#dispatch();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const task of this.#queue.splice(0)) task.reject(new SandboxError("the sandboxes were closed"));
    for (const lane of this.#lanes) {
      lane.task?.reject(new SandboxError("the sandboxes were closed"));
      this.#kill(lane);
    }
  }

  #dispatch(): void {
    for (const lane of this.#lanes) {
      if (this.#queue.length === 0) return;
      if (lane.task) continue;
      try {
        if (!lane.handle) this.#start(lane);
      } catch (error) {
        for (const task of this.#queue.splice(0)) task.reject(error);
        return;
      }
      if (!lane.ready) continue;
      this.#give(lane, this.#queue.shift()!);
    }
  }

  #start(lane: Lane): void {
    let handle: WorkerHandle;
    const mine = () => lane.handle === handle;
    handle = this.#spawn({
      message: (message) => mine() && this.#receive(lane, message),
      died: (reason, memory) => mine() && this.#died(lane, reason, memory),
    });
    lane.handle = handle;
    lane.ready = false;
  }

  #give(lane: Lane, task: Task): void {
    lane.task = task;
    lane.id++;
    lane.handle!.post({ id: lane.id, job: task.job });
    lane.timer = setTimeout(() => {
      lane.timer = setTimeout(() => {
        this.#release(lane)?.resolve({ kind: "timeout" });
        this.#replace(lane);
      }, LAST_LOOK_MS);
    }, task.timeMs + GRACE_MS);
  }

  #receive(lane: Lane, message: FromWorker): void {
    if ("ready" in message) {
      lane.ready = true;
      lane.failedStarts = 0;
    } else if (lane.task && message.id === lane.id) {
      const task = this.#release(lane)!;
      if ("fault" in message) task.reject(new SandboxError(`the sandbox worker failed: ${message.fault}`));
      else task.resolve({ kind: "done", outcome: message.outcome });
    }
    this.#dispatch();
  }

  #died(lane: Lane, reason: string, memory: boolean): void {
    const wasReady = lane.ready;
    const task = this.#release(lane);
    this.#kill(lane);
    if (task && memory) task.resolve({ kind: "memory" });
    else if (task && task.retried) task.reject(new SandboxError(`a sandbox worker died twice on one job: ${reason}`));
    else if (task) {
      // Its files are still here, so the job can simply run again.
      task.retried = true;
      this.#queue.unshift(task);
    } else if (!wasReady && ++lane.failedStarts >= START_TRIES) {
      for (const waiting of this.#queue.splice(0)) waiting.reject(new SandboxError(`a sandbox worker did not start: ${reason}`));
      lane.failedStarts = 0;
      return;
    }
    this.#dispatch();
  }

  #abort(task: Task): void {
    const waiting = this.#queue.indexOf(task);
    if (waiting >= 0) this.#queue.splice(waiting, 1);
    const lane = this.#lanes.find((l) => l.task === task);
    task.reject(task.signal!.reason);
    if (!lane) return;
    this.#release(lane);
    this.#replace(lane);
  }

  #release(lane: Lane): Task | undefined {
    clearTimeout(lane.timer);
    const { task } = lane;
    lane.task = undefined;
    return task;
  }

  #kill(lane: Lane): void {
    clearTimeout(lane.timer);
    lane.handle?.terminate();
    lane.handle = undefined;
    lane.ready = false;
  }

  /** A new worker starts at once, since the next job is likely to come soon. */
  #replace(lane: Lane): void {
    this.#kill(lane);
    if (!this.#closed) this.#start(lane);
    this.#dispatch();
  }
}
