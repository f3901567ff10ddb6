/** Matrix products, plainly. x [N, K], w [M, K], y [N, M], row-major. */
type F64 = Float64Array;

export function linear(x: F64, w: F64, y: F64, N: number, K: number, M: number, bias: F64 | null, scale: number, accumulate: boolean): void {
  for (let n = 0; n < N; n++) {
    for (let m = 0; m < M; m++) {
      let sum = 0;
      for (let k = 0; k < K; k++) sum += x[n * K + k] * w[m * K + k];
      const value = scale * sum + (bias ? bias[m] : 0);
      y[n * M + m] = accumulate ? y[n * M + m] + value : value;
    }
  }
}

export function linearBackwardInput(dy: F64, w: F64, dx: F64, N: number, K: number, M: number, scale: number, accumulate: boolean): void {
  for (let n = 0; n < N; n++) {
    for (let k = 0; k < K; k++) {
      let sum = 0;
      for (let m = 0; m < M; m++) sum += dy[n * M + m] * w[m * K + k];
      dx[n * K + k] = scale * sum + (accumulate ? dx[n * K + k] : 0);
    }
  }
}

export function linearBackwardWeight(dy: F64, x: F64, dw: F64, N: number, K: number, M: number, scale: number, accumulate: boolean): void {
  for (let m = 0; m < M; m++) {
    for (let k = 0; k < K; k++) {
      let sum = 0;
      for (let n = 0; n < N; n++) sum += dy[n * M + m] * x[n * K + k];
      dw[m * K + k] = scale * sum + (accumulate ? dw[m * K + k] : 0);
    }
  }
}

export function biasBackward(dy: F64, db: F64, N: number, M: number, accumulate: boolean): void {
  for (let m = 0; m < M; m++) {
    let sum = 0;
    for (let n = 0; n < N; n++) sum += dy[n * M + m];
    db[m] = sum + (accumulate ? db[m] : 0);
  }
}
