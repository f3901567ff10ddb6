import { DeviceLostError, type DType, type HostArray, type Shape, ShapeError, type Tensor } from "./kernels.ts";

/** A tensor was used, or freed again, after `free`. */
export class FreedTensorError extends Error {
  override name = "FreedTensorError";
}

export const BYTES_PER_ELEMENT: Readonly<Record<DType, number>> = { f32: 4, f16: 2, i32: 4 };

export function shapeSize(shape: Shape): number {
  let size = 1;
  for (const dim of shape) {
    if (!Number.isInteger(dim) || dim < 1) throw new ShapeError(`shape [${shape.join(", ")}]: every dimension must be an integer of at least 1`);
    size *= dim;
  }
  return size;
}

/** What a device hands out as `Tensor`: its place in the device's memory, and who must be alive for it to be valid. */
export class DeviceTensor<Storage> implements Tensor {
  readonly size: number;
  private released = false;

  constructor(
    readonly owner: TensorOwner<Storage>,
    readonly shape: Shape,
    readonly dtype: DType,
    readonly storage: Storage,
    private readonly base: DeviceTensor<Storage> | null,
  ) {
    this.size = shapeSize(shape);
  }

  get freed(): boolean {
    return this.released || (this.base?.freed ?? false);
  }

  get bytes(): number {
    return this.size * BYTES_PER_ELEMENT[this.dtype];
  }

  free(): void {
    if (this.released) throw new FreedTensorError(`tensor ${describe(this)} was freed twice`);
    this.released = true;
    if (this.base === null) this.owner.release(this);
  }
}

export interface TensorOwner<Storage> {
  release(tensor: DeviceTensor<Storage>): void;
}

/** `t` as one of this device's own live tensors. */
export function ownTensor<Storage>(owner: TensorOwner<Storage>, t: Tensor): DeviceTensor<Storage> {
  if (!(t instanceof DeviceTensor) || t.owner !== owner) throw new DeviceLostError(`tensor ${describe(t)} belongs to another device`);
  if (t.freed) throw new FreedTensorError(`tensor ${describe(t)} was used after it, or the tensor it views, was freed`);
  return t as DeviceTensor<Storage>;
}

export function describe(t: Tensor): string {
  return `[${t.shape.join(", ")}] ${t.dtype}`;
}

export function dtypeOf(data: HostArray): DType {
  if (data instanceof Float32Array) return "f32";
  return data instanceof Uint16Array ? "f16" : "i32";
}

/** Checks that elements [offset, offset + count) exist in `t`. */
export function checkRange(what: string, t: Tensor, offset: number, count: number): void {
  if (!Number.isInteger(offset) || !Number.isInteger(count) || offset < 0 || count < 0 || offset + count > t.size) {
    throw new ShapeError(`${what}: elements ${offset}..${offset + count} lie outside tensor ${describe(t)}`);
  }
}

/** Checks that `data` can be written into `t` at `offset`. */
export function checkWrite(t: Tensor, data: HostArray, offset: number): void {
  if (dtypeOf(data) !== t.dtype) throw new ShapeError(`write: ${data.constructor.name} does not fit tensor ${describe(t)}`);
  checkRange("write", t, offset, data.length);
}
