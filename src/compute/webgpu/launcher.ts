/** Launches kernels by name: compiles and caches pipelines, binds tensors, sees to tensors that share a buffer. */
import type { BufferPool, Slice } from "./buffers.ts";
import type { KernelFile, KernelSources } from "./sources.ts";
import { type Recorder, SLOT_BYTES } from "./recorder.ts";

/** Threads of a workgroup, the same in all kernels. */
const WORKGROUP = 64;

/** A tensor as a kernel's argument. */
export interface Argument extends Slice {
  readonly bytes: number;
  readonly bytesPerElement: number;
}

export interface Launch {
  /** Only read. Bound from 1 on, then what is written. */
  reads: readonly Argument[];
  writes: readonly Argument[];
  /** The fields of the kernel's parameters: whole numbers, then floats. Where the tensors begin is added. */
  ints: readonly number[];
  floats?: readonly number[];
  constants?: Record<string, number>;
}

export class Launcher {
  private readonly pipelines = new Map<string, GPUComputePipeline>();
  private readonly modules = new Map<KernelFile, GPUShaderModule>();

  constructor(private readonly recorder: Recorder, private readonly pool: BufferPool, private readonly sources: KernelSources) {}

  /** Runs at least `threads` threads of an entry point of a kernel file. */
  launch(file: KernelFile, entry: string, threads: number, { reads, writes, ints, floats = [], constants = {} }: Launch): void {
    this.recorder.check();
    const staged: { original: Argument; copy: Argument }[] = [];
    const stage = (original: Argument): Argument => {
      const { block, offset, bytes } = original;
      // From the word that the tensor begins in to the end of the word that it ends in.
      const start = Math.floor(offset / 4) * 4;
      const length = Math.ceil((offset + bytes) / 4) * 4 - start;
      const copy = { ...original, block: this.pool.take(length, true), offset: offset - start };
      this.recorder.copy(block.buffer, start, copy.block.buffer, 0, length);
      staged.push({ original, copy });
      return copy;
    };
    // WebGPU refuses a buffer that one kernel both reads and writes, and two writable bindings that overlap.
    const written = new Set<unknown>();
    const outputs = writes.map((argument) => {
      if (written.has(argument.block)) return stage(argument);
      written.add(argument.block);
      return argument;
    });
    const results = staged.slice();
    const inputs = reads.map((argument) => (written.has(argument.block) ? stage(argument) : argument));

    const parameters = new ArrayBuffer(SLOT_BYTES);
    const words = new Uint32Array(parameters);
    words.set(ints);
    new Float32Array(parameters, 4 * ints.length).set(floats);
    const alignment = this.recorder.gpu.limits.minStorageBufferOffsetAlignment;
    const entries = [...inputs, ...outputs].map(({ block, offset, bytes, bytesPerElement }, i): GPUBindGroupEntry => {
      block.usedIn = this.recorder.batch;
      const from = Math.floor(offset / alignment) * alignment;
      words[ints.length + floats.length + i] = (offset - from) / bytesPerElement;
      const size = Math.min(Math.ceil((offset - from + bytes) / 4) * 4, block.buffer.size - from);
      return { binding: i + 1, resource: { buffer: block.buffer, offset: from, size } };
    });
    this.recorder.dispatch(this.pipeline(file, entry, constants), parameters, entries, Math.ceil(threads / WORKGROUP));
    // Outputs are f32 or i32, whole words.
    for (const { original, copy } of results) this.recorder.copy(copy.block.buffer, copy.offset, original.block.buffer, original.offset, original.bytes);
    for (const { copy } of staged) this.pool.give(copy.block);
  }

  private pipeline(file: KernelFile, entry: string, constants: Record<string, number>): GPUComputePipeline {
    const key = `${file} ${entry} ${JSON.stringify(constants)}`;
    let pipeline = this.pipelines.get(key);
    if (pipeline === undefined) {
      let module = this.modules.get(file);
      if (module === undefined) {
        module = this.recorder.gpu.createShaderModule({ label: file, code: `${this.sources.prelude}\n${this.sources[file]}` });
        this.modules.set(file, module);
      }
      pipeline = this.recorder.gpu.createComputePipeline({ label: key, layout: "auto", compute: { module, entryPoint: entry, constants } });
      this.pipelines.set(key, pipeline);
    }
    return pipeline;
  }
}
