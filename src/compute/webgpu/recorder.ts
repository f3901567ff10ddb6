/**
 * Records commands in program order and hands them to the GPU in batches. Parameters of all kernels of a batch lie in
 * one uniform buffer that is written just before the batch is submitted.
 */
import { DeviceLostError, OutOfMemoryError } from "../kernels.ts";

/** A kernel's parameters take one slot: uniform bindings begin at multiples of 256 bytes. */
export const SLOT_BYTES = 256;
/** Kernels per submit at most: drivers stop work that takes seconds, and recording runs ahead of the GPU meanwhile. */
const SLOTS = 128;
const ERROR_SCOPES = ["out-of-memory", "internal", "validation"] as const;

/** The GPU refused a command: a bug of ours, or of the driver. */
export class WebGpuError extends Error {
  override name = "WebGpuError";
}

export class Recorder {
  /** Number of the batch being recorded. */
  batch = 0;
  /** Kernels launched so far. */
  dispatches = 0;
  private encoder: GPUCommandEncoder | null = null;
  private pass: GPUComputePassEncoder | null = null;
  private readonly slots = new Uint8Array(SLOTS * SLOT_BYTES);
  private used = 0;
  private readonly uniforms: GPUBuffer;
  private doomed: GPUBuffer[] = [];
  /** Errors of submitted batches that are not known yet. */
  private readonly checks = new Set<Promise<void>>();
  private failure: Error | null = null;
  private ended = false;

  constructor(readonly gpu: GPUDevice) {
    this.uniforms = gpu.createBuffer({ size: SLOTS * SLOT_BYTES, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
    gpu.addEventListener("uncapturederror", (event) => {
      event.preventDefault();
      this.failure ??= asError(event.error);
    });
    void gpu.lost.then(({ message }) => {
      if (!this.ended) this.failure = new DeviceLostError(`the GPU device was lost: ${message || "the browser or the driver gave no reason"}; create a new one`);
    });
    this.begin();
  }

  /** Throws what went wrong so far; a device that failed stays failed, because its numbers cannot be trusted. */
  check(): void {
    if (this.ended) throw new DeviceLostError("the device was destroyed");
    if (this.failure) throw this.failure;
  }

  /** Records one launch; `parameters` fill its slot (at most SLOT_BYTES). */
  dispatch(pipeline: GPUComputePipeline, parameters: ArrayBuffer, entries: GPUBindGroupEntry[], workgroups: number): void {
    const slot = this.used++;
    this.slots.set(new Uint8Array(parameters), slot * SLOT_BYTES);
    const binding = { binding: 0, resource: { buffer: this.uniforms, offset: slot * SLOT_BYTES, size: SLOT_BYTES } };
    this.pass ??= this.commands().beginComputePass();
    this.pass.setPipeline(pipeline);
    this.pass.setBindGroup(0, this.gpu.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [binding, ...entries] }));
    const limit = this.gpu.limits.maxComputeWorkgroupsPerDimension;
    const wide = Math.min(workgroups, limit);
    this.pass.dispatchWorkgroups(wide, Math.ceil(workgroups / wide));
    this.dispatches++;
    if (this.used === SLOTS) this.submit();
  }

  /** Records a copy between two buffers, in bytes, all multiples of 4. */
  copy(from: GPUBuffer, fromAt: number, to: GPUBuffer, toAt: number, bytes: number): void {
    this.endPass().copyBufferToBuffer(from, fromAt, to, toAt, bytes);
  }

  clear(buffer: GPUBuffer): void {
    this.endPass().clearBuffer(buffer);
  }

  /** Destroys a buffer once no recorded command needs it. */
  destroyLater(buffer: GPUBuffer): void {
    if (this.encoder) this.doomed.push(buffer);
    else buffer.destroy();
  }

  submit(): void {
    if (this.encoder === null) return;
    const commands = this.endPass().finish();
    if (this.used > 0) this.gpu.queue.writeBuffer(this.uniforms, 0, this.slots, 0, this.used * SLOT_BYTES);
    this.gpu.queue.submit([commands]);
    this.encoder = null;
    this.used = 0;
    this.batch++;
    this.end();
    for (const buffer of this.doomed) buffer.destroy();
    this.doomed = [];
    this.begin();
  }

  /** Resolves when `mapped` does and the errors of all work before it are known; throws the first of them. */
  async settle(mapped: Promise<undefined>): Promise<void> {
    const checks = [...this.checks];
    try {
      await mapped;
    } catch (error) {
      await Promise.all(checks);
      this.check();
      throw new WebGpuError(`reading back failed: ${(error as Error).message}`);
    }
    await Promise.all(checks);
    this.check();
  }

  destroy(): void {
    this.ended = true;
    for (const _ of ERROR_SCOPES) void this.gpu.popErrorScope().catch(() => null);
    this.gpu.destroy();
  }

  private commands(): GPUCommandEncoder {
    return (this.encoder ??= this.gpu.createCommandEncoder());
  }

  private endPass(): GPUCommandEncoder {
    this.pass?.end();
    this.pass = null;
    return this.commands();
  }

  /** Everything between two submits happens inside error scopes, so that a readback can wait for their verdict. */
  private begin(): void {
    for (const scope of ERROR_SCOPES) this.gpu.pushErrorScope(scope);
  }

  private end(): void {
    for (const _ of ERROR_SCOPES) {
      const check: Promise<void> = this.gpu
        .popErrorScope()
        .then(
          (error) => {
            if (error) this.failure ??= asError(error);
          },
          // A lost device rejects; `lost` says why.
          () => {},
        )
        .finally(() => this.checks.delete(check));
      this.checks.add(check);
    }
  }
}

function asError(error: GPUError): Error {
  if (error instanceof GPUOutOfMemoryError) return new OutOfMemoryError(`the GPU is out of memory: ${error.message}`);
  return new WebGpuError(`the GPU refused a command: ${error.message}`);
}
