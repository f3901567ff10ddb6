/** Operations on rows and elements, plainly. */
type F64 = Float64Array;

export function embedding(ids: Int32Array, table: F64, y: F64, D: number): void {
  for (let n = 0; n < ids.length; n++) for (let d = 0; d < D; d++) y[n * D + d] = table[ids[n] * D + d];
}

export function embeddingBackward(ids: Int32Array, dy: F64, dTable: F64, D: number): void {
  for (let n = 0; n < ids.length; n++) for (let d = 0; d < D; d++) dTable[ids[n] * D + d] += dy[n * D + d];
}

function reciprocalNorm(x: F64, start: number, width: number, eps: number): number {
  let sum = 0;
  for (let i = 0; i < width; i++) sum += x[start + i] ** 2;
  return 1 / Math.sqrt(sum / width + eps);
}

export function rmsNorm(x: F64, w: F64, y: F64, rows: number, width: number, eps: number): void {
  for (let r = 0; r < rows; r++) {
    const scale = reciprocalNorm(x, r * width, width, eps);
    for (let i = 0; i < width; i++) y[r * width + i] = x[r * width + i] * scale * w[i];
  }
}

/** With s = 1/sqrt(mean(x²) + eps): dx = s·w·dy − x·s³·mean(x·w·dy), dw += Σ_rows dy·x·s. */
export function rmsNormBackward(x: F64, w: F64, dy: F64, dx: F64, dw: F64 | null, rows: number, width: number, eps: number, accumulate: boolean): void {
  for (let r = 0; r < rows; r++) {
    const row = r * width;
    const s = reciprocalNorm(x, row, width, eps);
    let dot = 0;
    for (let i = 0; i < width; i++) dot += x[row + i] * w[i] * dy[row + i];
    for (let i = 0; i < width; i++) {
      if (dw) dw[i] += dy[row + i] * x[row + i] * s;
      const value = s * w[i] * dy[row + i] - (x[row + i] * s ** 3 * dot) / width;
      dx[row + i] = value + (accumulate ? dx[row + i] : 0);
    }
  }
}

export function rope(x: F64, positions: Int32Array, invFreq: F64, heads: number, E: number, inverse: boolean): void {
  const pairs = invFreq.length;
  for (let n = 0; n < positions.length; n++) {
    for (let i = 0; i < pairs; i++) {
      const angle = positions[n] * invFreq[i];
      const cos = Math.cos(angle);
      const sin = inverse ? -Math.sin(angle) : Math.sin(angle);
      for (let h = 0; h < heads; h++) {
        const at = (n * heads + h) * E + i;
        const a = x[at];
        const b = x[at + pairs];
        x[at] = a * cos - b * sin;
        x[at + pairs] = b * cos + a * sin;
      }
    }
  }
}

export function swiglu(gate: F64, up: F64, y: F64): void {
  for (let i = 0; i < y.length; i++) y[i] = (gate[i] / (1 + Math.exp(-gate[i]))) * up[i];
}

export function swigluBackward(gate: F64, up: F64, dy: F64, dGate: F64, dUp: F64): void {
  for (let i = 0; i < dy.length; i++) {
    const g = gate[i];
    const sigmoid = 1 / (1 + Math.exp(-g));
    const silu = g * sigmoid;
    const gradGate = dy[i] * up[i] * (sigmoid + silu * (1 - sigmoid));
    const gradUp = dy[i] * silu;
    dGate[i] = gradGate;
    dUp[i] = gradUp;
  }
}
