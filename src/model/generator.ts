/**
 * Continuous batching: many sequences decode together over one paged key/value cache. Every step packs one row of each
 * sequence that decodes and chunks of the prompts that wait into one forward pass, draws one token for each sequence
 * that has caught up, and reads back once. Between steps the event loop gets control.
 *
 * A sequence's numbers depend on its own ids, sampling and random stream alone, never on what shares its steps: rows
 * are independent on every device, and each sampled token takes exactly one uniform number from the sequence's stream.
 */
import type { Random } from "../compute/index.ts";
import type { Decoder, KvCache } from "./decoder.ts";
import { type Lease, PagePool } from "./generator-pages.ts";
import { RepetitionStop } from "./generator-repetition.ts";
import { type Sampling, StepBuffers, type StepRows } from "./generator-step.ts";

/** Positions a page of the cache holds. */
const PAGE_SIZE = 16;

export interface Turn {
  /** Sampled ids, the end-of-turn token included when it was sampled. */
  ids: number[];
  /** Log-probability of each sampled id under the distribution it was drawn from. */
  logprobs: number[];
  /** end: an end-of-turn token; length: maxTokens reached; context: the window is full; repetition: the loop stop fired. */
  stop: "end" | "length" | "context" | "repetition";
}

export type { Sampling };

export interface GenerateOptions {
  /** Most tokens to sample in this turn. */
  maxTokens: number;
  /** Aborting rejects the turn with the signal's reason. */
  signal?: AbortSignal;
  /** Called with each token as it is sampled; a throw rejects the turn. */
  onToken?: (id: number) => void;
}

export interface GeneratorOptions {
  stopTokens: readonly number[];
  /** Longest context of one sequence, in tokens. */
  contextLength: number;
  /** Size of the key/value cache in tokens; at least `contextLength`. */
  cacheTokens: number;
  /** Most rows of one forward pass: bounds how long the event loop waits. Default 512. */
  rowsPerStep?: number;
}

/** Totals since the generator was made. A step's time is divided among its rows. */
export interface GeneratorStatistics {
  steps: number;
  /** Prompt and tool-output tokens computed. */
  prefillTokens: number;
  /** Prompt tokens that were found in the cache instead. */
  cachedTokens: number;
  /** Tokens sampled. */
  decodeTokens: number;
  prefillSeconds: number;
  decodeSeconds: number;
}

/** The first prompt leaves no room in the context. */
export class ContextLengthError extends Error {
  override name = "ContextLengthError";

  constructor(promptTokens: number, contextLength: number) {
    super(`The prompt has ${promptTokens} tokens and the context holds ${contextLength}, the answer included: shorten the prompt or enlarge the context`);
  }
}
/** The model's logits are not numbers: its weights or adapter have diverged. */
export class NonFiniteLogitsError extends Error {
  override name = "NonFiniteLogitsError";
}

interface ActiveTurn extends Turn {
  readonly maxTokens: number;
  readonly repetition: RepetitionStop;
  readonly onToken?: (id: number) => void;
  readonly settle: { resolve(turn: Turn): void; reject(reason: unknown): void };
  /** Stops listening to the abort signal. */
  readonly unlisten: () => void;
}

/** One append-only context. */
export interface Sequence {
  /**
   * Appends `prompt` and samples until a stop token, `maxTokens`, a full context or a loop. A later prompt that does not
   * fit gives an empty turn with stop "context". Rejects with the signal's reason on abort; the sequence can then only
   * be closed.
   */
  generate(prompt: readonly number[], options: GenerateOptions): Promise<Turn>;
  /** Gives the pages back; a turn that is under way rejects. */
  close(): void;
}

interface SequenceState {
  /** The whole context: prompts, tool outputs and sampled tokens. */
  readonly ids: number[];
  /** Length of the first prompt, whose full pages are shared. */
  firstPrompt: number;
  readonly random: Random;
  readonly sampling: Sampling;
  lease: Lease | null;
  /** The first `cached` ids have their keys and values in the pages of `lease`. */
  cached: number;
  turn: ActiveTurn | null;
  ended: boolean;
}

interface PlannedRows extends StepRows {
  readonly sequence: SequenceState;
  readonly turn: ActiveTurn;
}

export class Generator {
  private readonly cache: KvCache;
  private readonly pool: PagePool;
  private readonly buffers: StepBuffers;
  private readonly stopTokens: ReadonlySet<number>;
  private readonly rowsPerStep: number;
  /** Sequences with a turn under way, oldest turn first. */
  private readonly active = new Set<SequenceState>();
  /** All sequences that hold pages. */
  private readonly holders = new Set<SequenceState>();
  private readonly totals: GeneratorStatistics = {
    steps: 0, prefillTokens: 0, cachedTokens: 0, decodeTokens: 0, prefillSeconds: 0, decodeSeconds: 0,
  };
  private running = false;
  private closed = false;

  /** Throws a RangeError when the cache cannot hold one whole context. */
  constructor(private readonly decoder: Decoder, private readonly options: GeneratorOptions) {
    const pageCount = Math.floor(options.cacheTokens / PAGE_SIZE);
    this.pool = new PagePool(pageCount, PAGE_SIZE, Math.ceil(options.contextLength / PAGE_SIZE));
    this.stopTokens = new Set(options.stopTokens);
    this.rowsPerStep = options.rowsPerStep ?? 512;
    this.cache = decoder.createCache(pageCount, PAGE_SIZE);
    this.buffers = new StepBuffers(decoder, this.cache, PAGE_SIZE, this.rowsPerStep);
  }

  get statistics(): Readonly<GeneratorStatistics> {
    return { ...this.totals };
  }

  /** A new context. `random` is its own stream, used for nothing else. */
  open(random: Random, sampling: Sampling): Sequence {
    const { temperature, topK, topP } = sampling;
    if (!(temperature >= 0 && temperature < Infinity)) throw new RangeError(`Sampling: temperature is ${temperature}; it must be 0 (greedy) or more`);
    if (!(Number.isInteger(topK) && topK >= 0)) throw new RangeError(`Sampling: topK is ${topK}; it must be an integer, 0 for off`);
    if (!(topP > 0 && topP <= 1)) throw new RangeError(`Sampling: topP is ${topP}; it must lie in (0, 1], 1 for off`);
    const sequence: SequenceState = {
      ids: [], firstPrompt: 0, random, sampling: { temperature, topK, topP }, lease: null, cached: 0, turn: null, ended: false,
    };
    return {
      generate: (prompt, options) => this.generate(sequence, prompt, options),
      close: () => this.end(sequence, new Error("The sequence was closed")),
    };
  }

  /** Call after the weights or the adapter changed. Open sequences compute their context again when they go on. */
  invalidate(): void {
    for (const sequence of this.holders) this.release(sequence);
    this.pool.clear();
    this.wake();
  }

  /** Frees the cache; turns under way reject. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.endAll(new Error("The generator was closed"));
    this.cache.dispose();
    this.buffers.free();
  }

  private async generate(sequence: SequenceState, prompt: readonly number[], options: GenerateOptions): Promise<Turn> {
    const { ids } = sequence;
    const { contextLength } = this.options;
    if (sequence.ended || this.closed) throw new Error("Sequence.generate: the sequence was closed or aborted");
    if (sequence.turn) throw new Error("Sequence.generate: a turn is under way already");
    if (!(Number.isInteger(options.maxTokens) && options.maxTokens > 0)) throw new RangeError(`Sequence.generate: maxTokens is ${options.maxTokens}; it must be a positive integer`);
    const vocabulary = this.decoder.config.vocabSize;
    const wrong = prompt.findIndex((id) => !(Number.isInteger(id) && id >= 0 && id < vocabulary));
    if (wrong >= 0) throw new RangeError(`Sequence.generate: prompt token ${wrong} is ${prompt[wrong]}, but the model has ids 0 to ${vocabulary - 1}; does the tokenizer belong to this model?`);
    if (ids.length + prompt.length === 0) throw new RangeError("Sequence.generate: the first prompt is empty");
    options.signal?.throwIfAborted();
    if (ids.length + prompt.length >= contextLength) {
      if (ids.length === 0) throw new ContextLengthError(prompt.length, contextLength);
      return { ids: [], logprobs: [], stop: "context" };
    }
    if (ids.length === 0) sequence.firstPrompt = prompt.length;
    for (const id of prompt) ids.push(id);
    return new Promise<Turn>((resolve, reject) => {
      const { signal } = options;
      const onAbort = () => this.end(sequence, signal!.reason);
      signal?.addEventListener("abort", onAbort);
      sequence.turn = {
        ids: [], logprobs: [], stop: "end", maxTokens: options.maxTokens, onToken: options.onToken,
        repetition: new RepetitionStop(), settle: { resolve, reject },
        unlisten: () => signal?.removeEventListener("abort", onAbort),
      };
      this.active.add(sequence);
      this.wake();
    });
  }

  /** Ends a sequence: its pages go back, its turn rejects with `reason`. */
  private end(sequence: SequenceState, reason: unknown): void {
    sequence.ended = true;
    this.release(sequence);
    this.finish(sequence)?.settle.reject(reason);
    this.wake();
  }

  private endAll(reason: unknown): void {
    for (const sequence of this.active) this.end(sequence, reason);
    for (const sequence of this.holders) this.release(sequence);
    this.pool.clear();
  }

  private finish(sequence: SequenceState): ActiveTurn | null {
    const { turn } = sequence;
    this.active.delete(sequence);
    sequence.turn = null;
    turn?.unlisten();
    return turn;
  }

  private release(sequence: SequenceState): void {
    if (sequence.lease) this.pool.release(sequence.lease);
    this.holders.delete(sequence);
    sequence.lease = null;
    sequence.cached = 0;
  }

  private wake(): void {
    if (this.running || this.closed || this.active.size === 0) return;
    this.running = true;
    void this.run();
  }

  private async run(): Promise<void> {
    try {
      for (;;) {
        await nextTask();
        const rows = this.closed ? [] : this.plan();
        // Nothing to do, or everybody waits for pages: whoever gives some back wakes the loop.
        if (rows.length === 0) break;
        await this.step(rows);
      }
    } catch (error) {
      this.endAll(error);
    }
    this.running = false;
  }

  /** Chooses the rows of the next step: decoding sequences first, then prompts in the order they came. */
  private plan(): PlannedRows[] {
    const rows: PlannedRows[] = [];
    let budget = this.rowsPerStep;
    const take = (sequence: SequenceState, lease: Lease) => {
      const from = sequence.cached;
      const count = Math.min(sequence.ids.length - from, budget);
      if (count === 0 || !this.pool.grow(lease, from + count)) return;
      budget -= count;
      sequence.cached += count;
      // The device works in program order, so whoever reads these pages comes after this step's writes.
      this.pool.computed(lease, sequence.cached);
      rows.push({
        sequence, turn: sequence.turn!, ids: sequence.ids, from, count, pages: lease.pages,
        draws: sequence.cached === sequence.ids.length, random: sequence.random, sampling: sequence.sampling,
      });
    };
    const waiting: SequenceState[] = [];
    for (const sequence of this.active) {
      if (sequence.lease && sequence.ids.length - sequence.cached === 1) take(sequence, sequence.lease);
      else waiting.push(sequence);
    }
    waiting.sort((a, b) => Number(b.lease !== null) - Number(a.lease !== null));
    for (const sequence of waiting) {
      if (budget === 0) break;
      if (!sequence.lease) {
        const lease = this.pool.open(sequence.ids, sequence.firstPrompt);
        if (lease === "pending") continue;
        if (lease === "full") break;
        sequence.lease = lease;
        sequence.cached = lease.found;
        this.totals.cachedTokens += lease.found;
        this.holders.add(sequence);
      }
      take(sequence, sequence.lease);
    }
    return rows;
  }

  private async step(rows: PlannedRows[]): Promise<void> {
    const start = performance.now();
    const { tokens, logprobs } = await this.buffers.run(rows);
    let row = 0;
    let prefill = 0;
    let decode = 0;
    for (const { sequence, turn, count, draws } of rows) {
      if (draws && count === 1 && turn.ids.length > 0) decode++;
      else prefill += count;
      if (!draws) continue;
      const token = tokens[row];
      const logprob = logprobs[row++];
      // The turn may have been aborted while the device worked.
      if (sequence.turn === turn) this.append(sequence, turn, token, logprob);
    }
    const seconds = (performance.now() - start) / 1000;
    this.totals.steps++;
    this.totals.prefillTokens += prefill;
    this.totals.decodeTokens += row;
    this.totals.prefillSeconds += (seconds * prefill) / (prefill + decode);
    this.totals.decodeSeconds += (seconds * decode) / (prefill + decode);
  }

  private append(sequence: SequenceState, turn: ActiveTurn, token: number, logprob: number): void {
    if (!Number.isFinite(logprob)) {
      this.end(sequence, new NonFiniteLogitsError("The model's logits are not finite: its weights or adapter have diverged"));
      return;
    }
    sequence.ids.push(token);
    turn.ids.push(token);
    turn.logprobs.push(logprob);
    const loops = turn.repetition.push(token);
    try {
      turn.onToken?.(token);
    } catch (error) {
      this.end(sequence, error);
      return;
    }
    if (sequence.turn !== turn) return;
    if (this.stopTokens.has(token)) turn.stop = "end";
    else if (sequence.ids.length >= this.options.contextLength) turn.stop = "context";
    else if (turn.ids.length >= turn.maxTokens) turn.stop = "length";
    else if (loops) turn.stop = "repetition";
    else return;
    this.finish(sequence);
    turn.settle.resolve({ ids: turn.ids, logprobs: turn.logprobs, stop: turn.stop });
  }
}

/**
 * Resolves in a later task of the event loop, so that messages and timers get their turn. Node has setImmediate; its
 * MessageChannel would not do, since a port delivers up to a thousand of its messages in one go.
 */
const nextTask: () => Promise<void> = typeof setImmediate === "function" ? () => new Promise((resolve) => setImmediate(resolve)) : messageTask();

function messageTask(): () => Promise<void> {
  const { port1, port2 } = new MessageChannel();
  const waiting: (() => void)[] = [];
  port1.addEventListener("message", () => waiting.shift()!());
  port1.start();
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      port2.postMessage(null);
    });
}
