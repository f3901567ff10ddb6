/** The engine's peak: twelve independent multiply-add chains in registers, 96 flop per iteration, `iterations` per unit. */
import { madd, sumLanes } from "./simd";
import { takeUnit } from "./units";

export function peak(scratch: usize, units: i32, iterations: i32): void {
  const m = f32x4.splat(0.999), c = f32x4.splat(0.5);
  for (let unit = takeUnit(); unit < units; unit = takeUnit()) {
    let a0 = f32x4.splat(0), a1 = f32x4.splat(1), a2 = f32x4.splat(2), a3 = f32x4.splat(3);
    let a4 = f32x4.splat(4), a5 = f32x4.splat(5), a6 = f32x4.splat(6), a7 = f32x4.splat(7);
    let a8 = f32x4.splat(8), a9 = f32x4.splat(9), a10 = f32x4.splat(10), a11 = f32x4.splat(11);
    for (let i = 0; i < iterations; i++) {
      a0 = madd(a0, m, c); a1 = madd(a1, m, c); a2 = madd(a2, m, c); a3 = madd(a3, m, c);
      a4 = madd(a4, m, c); a5 = madd(a5, m, c); a6 = madd(a6, m, c); a7 = madd(a7, m, c);
      a8 = madd(a8, m, c); a9 = madd(a9, m, c); a10 = madd(a10, m, c); a11 = madd(a11, m, c);
    }
    const left = f32x4.add(f32x4.add(f32x4.add(a0, a1), f32x4.add(a2, a3)), f32x4.add(a4, a5));
    const right = f32x4.add(f32x4.add(f32x4.add(a6, a7), f32x4.add(a8, a9)), f32x4.add(a10, a11));
    store<f32>(scratch, sumLanes(f32x4.add(left, right)));
  }
}
