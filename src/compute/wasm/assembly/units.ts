/**
 * Work sharing. An operation is cut into units whose results do not depend on who computes them; every thread that
 * runs the operation's kernel takes the next unit until none is left. The host sets the counter to zero beforehand.
 */

/** Byte address of the counter, in the part of memory that the host keeps free (see ../pool.ts). */
const COUNTER: usize = 192;

// @ts-ignore: decorator
@inline
export function takeUnit(): i32 {
  if (ASC_FEATURE_THREADS) return atomic.add<i32>(COUNTER, 1);
  const unit = load<i32>(COUNTER);
  store<i32>(COUNTER, unit + 1);
  return unit;
}

// @ts-ignore: decorator
@inline
export function blocks(size: i32, block: i32): i32 {
  return (size + block - 1) / block;
}
