/** Named tensors in a fixed order: a model's weights, an adapter, or the gradients of either. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { Device, Tensor } from "../compute/index.ts";
import { f16ToF32 } from "./weights/half.ts";
import { type HostTensor, WeightsError } from "./weights/safetensors.ts";

export class ParameterSet {
  /** Ascending by UTF-16 code unit, so that sums over the set and hashes do not depend on how it was built. */
  readonly names: readonly string[];
  private readonly tensors: ReadonlyMap<string, Tensor>;

  /** `dispose` frees the tensors: call it on one set only where several share tensors. */
  constructor(readonly device: Device, tensors: Iterable<readonly [string, Tensor]>) {
    this.tensors = new Map(tensors);
    this.names = [...this.tensors.keys()].toSorted();
  }

  has(name: string): boolean {
    return this.tensors.has(name);
  }

  get(name: string): Tensor {
    const tensor = this.tensors.get(name);
    if (tensor === undefined) throw new RangeError(`there is no parameter ${name}`);
    return tensor;
  }

  /** Number of elements. */
  get size(): number {
    return this.names.reduce((sum, name) => sum + this.get(name).size, 0);
  }

  /** A new f32 set of the same names and shapes, zero-filled: gradients or optimizer moments. */
  zeros(): ParameterSet {
    return new ParameterSet(this.device, this.names.map((name) => [name, this.device.alloc(this.get(name).shape)] as const));
  }

  fill(value: number): void {
    for (const name of this.names) this.device.fill(this.get(name), value);
  }

  /** Copies of all tensors on the host, f16 widened, in the set's order. */
  async read(): Promise<Map<string, HostTensor>> {
    const out = new Map<string, HostTensor>();
    for (const name of this.names) {
      const tensor = this.get(name);
      const data = await this.device.read(tensor);
      out.set(name, { shape: tensor.shape, data: data instanceof Uint16Array ? f16ToF32(data) : (data as Float32Array) });
    }
    return out;
  }

  /** Overwrites every tensor (f32 sets only). Throws `WeightsError` unless names and shapes are exactly the set's. */
  write(values: ReadonlyMap<string, HostTensor>): void {
    for (const name of this.names) {
      const value = values.get(name);
      if (value === undefined) throw new WeightsError(`parameter ${name} is missing`);
      const { shape } = this.get(name);
      if (value.shape.join() !== shape.join()) throw new WeightsError(`parameter ${name} has shape [${value.shape}], expected [${shape}]`);
    }
    for (const name of values.keys()) if (!this.has(name)) throw new WeightsError(`unknown parameter ${name}`);
    for (const name of this.names) this.device.write(this.get(name), values.get(name)!.data);
  }

  /**
   * Hex SHA-256 over `salt`, names, shapes and values (as little-endian f32, so a checkpoint hashes alike however it is
   * stored).
   */
  async hash(salt = ""): Promise<string> {
    const hash = sha256.create();
    const encoder = new TextEncoder();
    hash.update(encoder.encode(`${salt}\n`));
    for (const [name, { shape, data }] of await this.read()) {
      hash.update(encoder.encode(`${name}[${shape}]\n`));
      hash.update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    }
    return bytesToHex(hash.digest());
  }

  dispose(): void {
    for (const name of this.names) this.get(name).free();
  }
}
