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
/** Rows of at most so many elements are short. */
const SHORT = 16;
const SHORT_COLS = 64;

export function linear(
  scratch: usize, x: usize, w: usize, half: bool, y: usize, N: i32, K: i32, M: i32, bias: usize, scale: f32, accumulate: bool,
): void {
  if (K <= SHORT && !bias) {
    linearShort(scratch, x, w, half, y, N, K, M, scale, accumulate);
    return;
  }
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

/** to[k, j] = from[j, k] for up to 8 rows j of K elements, widened where `half`: a panel as `packPanel` makes. */
function transposePanel(from: usize, half: bool, rows: i32, K: i32, to: usize): void {
  for (let j = 0; j < min(8, rows); j++) {
    for (let k = 0; k < K; k += 4) {
      const v = half ? loadHalf4(from + (<usize>k << 1)) : v128.load(from + (<usize>k << 2));
      const at = to + (<usize>k << 5);
      v128.store32_lane(at, v, 0);
      v128.store32_lane(at, v, 1, 32);
      v128.store32_lane(at, v, 2, 64);
      v128.store32_lane(at, v, 3, 96);
    }
    from += <usize>K << (half ? 1 : 2);
    to += 4;
  }
}

/**
 * The product for short rows (LoRA's second factor), where adding up lanes would cost more than the products: each
 * output is one chain in ascending k. Scratch: 8 · (K + 4) floats.
 */
function linearShort(scratch: usize, x: usize, w: usize, half: bool, y: usize, N: i32, K: i32, M: i32, scale: f32, accumulate: bool): void {
  const colBlocks = blocks(M, SHORT_COLS);
  const units = blocks(N, ROWS) * colBlocks;
  for (let unit = takeUnit(); unit < units; unit = takeUnit()) {
    const n = (unit / colBlocks) * ROWS;
    const first = (unit % colBlocks) * SHORT_COLS;
    for (let m = first; m < min(M, first + SHORT_COLS); m += 8) {
      transposePanel(w + ((<usize>m * K) << (half ? 1 : 2)), half, M - m, K, scratch);
      outerRows(
        x + ((<usize>n * K) << 2), <usize>K << 2, min(ROWS, N - n), scratch, 32, 0, min(8, M - m), K,
        y + ((<usize>n * M + m) << 2), <usize>M << 2, scale, accumulate ? ADD : STORE,
      );
    }
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

/** Scratch: DEPTH · (WEIGHT_ROWS + WEIGHT_COLS) floats. */
export function linearBackwardWeight(
  scratch: usize, dy: usize, x: usize, dw: usize, N: i32, K: i32, M: i32, scale: f32, accumulate: bool,
): void {
  const colBlocks = blocks(K, WEIGHT_COLS);
  const units = blocks(M, WEIGHT_ROWS) * colBlocks;
  const right = scratch + DEPTH * WEIGHT_ROWS * 4;
  for (let unit = takeUnit(); unit < units; unit = takeUnit()) {
    const m = (unit / colBlocks) * WEIGHT_ROWS;
    const k = (unit % colBlocks) * WEIGHT_COLS;
    const rows = min(WEIGHT_ROWS, M - m);
    const cols = min(WEIGHT_COLS, K - k);
    for (let n = 0; n < N; n += DEPTH) {
      const depth = min(DEPTH, N - n);
      for (let i = 0; i < rows; i += 4) packColumns(dy + ((<usize>n * M + m + i) << 2), <usize>M << 2, depth, scratch + <usize>i * depth * 4);
      for (let j = 0; j < cols; j += 8) packPanel(x + ((<usize>n * K + k + j) << 2), <usize>K << 2, false, depth, right + <usize>j * depth * 4);
      outerColumns(
        scratch, 16, <usize>depth * 16, rows, right, 32, <usize>depth * 32, cols, depth,
        dw + ((<usize>m * K + k) << 2), <usize>K << 2, scale, accumulate || n > 0 ? ADD : STORE,
      );
    }
  }
}

/** to[p, 0..4) = from[p, 0..4). */
function packColumns(from: usize, stride: usize, P: i32, to: usize): void {
  for (let p = 0; p < P; p++) {
    v128.store(to, v128.load(from));
    from += stride;
    to += 16;
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
