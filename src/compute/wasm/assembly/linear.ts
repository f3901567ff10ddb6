/**
 * Linear layers: x [N, K], w [M, K] (f32, or f16 where `half`), y [N, M].
 *   linear               y = scale · x · wᵀ + bias (+ y)
 *   linearBackwardInput  dx[N, K] = scale · dy · w (+ dx)
 *   linearBackwardWeight dw[M, K] = scale · dyᵀ · x (+ dw)
 *   biasBackward         db[M] = Σ_n dy[n] (+ db)
 */
import { project, weightRows } from "./dot";
import { ADD, outerColumns, outerRows, STORE } from "./outer";
import { loadHalf4, storeLanes } from "./simd";
import { blocks, takeUnit } from "./units";

const ROWS = 64;

export function linear(
  scratch: usize, x: usize, w: usize, half: bool, y: usize, N: i32, K: i32, M: i32, bias: usize, scale: f32, accumulate: bool,
): void {
  const cols = weightRows(K);
  const colBlocks = blocks(M, cols);
  const units = blocks(N, ROWS) * colBlocks;
  for (let unit = takeUnit(); unit < units; unit = takeUnit()) {
    const n = (unit / colBlocks) * ROWS;
    const m = (unit % colBlocks) * cols;
    project(
      x + ((<usize>n * K) << 2), <usize>K << 2, min(ROWS, N - n), w + ((<usize>m * K) << (half ? 1 : 2)), half, min(cols, M - m), K,
      y + ((<usize>n * M + m) << 2), <usize>M << 2, scale, bias ? bias + (<usize>m << 2) : 0, accumulate, scratch,
    );
  }
}

/** to[p, 0..8) = from[p, 0..8), widened where `half`: one contiguous panel of a row-major matrix. */
function packPanel(from: usize, stride: usize, half: bool, P: i32, to: usize): void {
  for (let p = 0; p < P; p++) {
    v128.store(to, half ? loadHalf4(from) : v128.load(from));
    v128.store(to, half ? loadHalf4(from + 8) : v128.load(from, 16), 16);
    from += stride;
    to += 32;
  }
}

const INPUT_ROWS = 96;
const INPUT_COLS = 64;

/** Scratch: 8 · M floats. */
export function linearBackwardInput(
  scratch: usize, dy: usize, w: usize, half: bool, dx: usize, N: i32, K: i32, M: i32, scale: f32, accumulate: bool,
): void {
  const colBlocks = blocks(K, INPUT_COLS);
  const units = blocks(N, INPUT_ROWS) * colBlocks;
  const shift = half ? 1 : 2;
  for (let unit = takeUnit(); unit < units; unit = takeUnit()) {
    const n = (unit / colBlocks) * INPUT_ROWS;
    const first = (unit % colBlocks) * INPUT_COLS;
    const last = min(K, first + INPUT_COLS);
    for (let k = first; k < last; k += 8) {
      packPanel(w + (<usize>k << shift), <usize>K << shift, half, M, scratch);
      outerRows(
        dy + ((<usize>n * M) << 2), <usize>M << 2, min(INPUT_ROWS, N - n), scratch, 32, 0, min(8, last - k), M,
        dx + ((<usize>n * K + k) << 2), <usize>K << 2, scale, accumulate ? ADD : STORE,
      );
    }
  }
}

const WEIGHT_ROWS = 48;
const WEIGHT_COLS = 64;
const DEPTH = 256;

/** Scratch: DEPTH · (WEIGHT_ROWS + WEIGHT_COLS) + 16 floats. */
export function linearBackwardWeight(
  scratch: usize, dy: usize, x: usize, dw: usize, N: i32, K: i32, M: i32, scale: f32, accumulate: bool,
): void {
  const colBlocks = blocks(K, WEIGHT_COLS);
  const units = blocks(M, WEIGHT_ROWS) * colBlocks;
  const right = scratch + DEPTH * WEIGHT_ROWS * 4 + 64;
  for (let unit = takeUnit(); unit < units; unit = takeUnit()) {
    const m = (unit / colBlocks) * WEIGHT_ROWS;
    const k = (unit % colBlocks) * WEIGHT_COLS;
    const rows = min(WEIGHT_ROWS, M - m);
    const cols = min(WEIGHT_COLS, K - k);
    for (let n = 0; n < N; n += DEPTH) {
      const depth = min(DEPTH, N - n);
      for (let i = 0; i < rows; i += 6) packColumns6(dy + ((<usize>n * M + m + i) << 2), <usize>M << 2, depth, scratch + <usize>i * depth * 4);
      for (let j = 0; j < cols; j += 8) packPanel(x + ((<usize>n * K + k + j) << 2), <usize>K << 2, false, depth, right + <usize>j * depth * 4);
      outerColumns(
        scratch, 24, <usize>depth * 24, rows, right, 32, <usize>depth * 32, cols, depth,
        dw + ((<usize>m * K + k) << 2), <usize>K << 2, scale, accumulate || n > 0 ? ADD : STORE,
      );
    }
  }
}

/** to[p, 0..6) = from[p, 0..6). Each store runs two floats over; the next one overwrites them. */
function packColumns6(from: usize, stride: usize, P: i32, to: usize): void {
  for (let p = 0; p < P; p++) {
    v128.store(to, v128.load(from));
    v128.store(to, v128.load(from, 16), 16);
    from += stride;
    to += 24;
  }
}

/** Sums of at most 256 rows are added up, to keep the rounding error of long columns small. */
export function biasBackward(scratch: usize, dy: usize, db: usize, N: i32, M: i32, accumulate: bool): void {
  const units = blocks(M, 16);
  for (let unit = takeUnit(); unit < units; unit = takeUnit()) {
    for (let m = unit * 16; m < min(M, unit * 16 + 16); m += 4) {
      let total = accumulate ? v128.load(db + (<usize>m << 2)) : f32x4.splat(0);
      for (let start = 0; start < N; start += 256) {
        let sum = f32x4.splat(0);
        for (let n = start; n < min(N, start + 256); n++) sum = f32x4.add(sum, v128.load(dy + ((<usize>n * M + m) << 2)));
        total = f32x4.add(total, sum);
      }
      storeLanes(db + (<usize>m << 2), total, M - m);
    }
  }
}
