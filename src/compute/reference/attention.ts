/** Causal grouped-query attention, plainly. q, y [N, H, E]; k, v [N, G, E]; scale 1/sqrt(E). */
type F64 = Float64Array;

function dot(a: F64, aStart: number, b: F64, bStart: number, length: number): number {
  let sum = 0;
  for (let i = 0; i < length; i++) sum += a[aStart + i] * b[bStart + i];
  return sum;
}

/**
 * One query row q[qStart..] over keys and values whose rows begin at `starts`; writes y[qStart..], returns the
 * log-sum-exp of the scores.
 */
function attendRow(q: F64, qStart: number, k: F64, v: F64, starts: number[], y: F64, E: number): number {
  const scores = starts.map((start) => dot(q, qStart, k, start, E) / Math.sqrt(E));
  const max = scores.reduce((a, b) => Math.max(a, b));
  const lse = max + Math.log(scores.reduce((sum, s) => sum + Math.exp(s - max), 0));
  for (let e = 0; e < E; e++) {
    let sum = 0;
    for (let j = 0; j < starts.length; j++) sum += Math.exp(scores[j] - lse) * v[starts[j] + e];
    y[qStart + e] = sum;
  }
  return lse;
}

export function attention(q: F64, k: F64, v: F64, offsets: Int32Array, y: F64, lse: F64, H: number, G: number, E: number): void {
  for (let s = 0; s + 1 < offsets.length; s++) {
    for (let h = 0; h < H; h++) {
      const g = Math.floor(h / (H / G));
      const starts: number[] = [];
      for (let i = offsets[s]; i < offsets[s + 1]; i++) {
        starts.push((i * G + g) * E);
        lse[i * H + h] = attendRow(q, (i * H + h) * E, k, v, starts, y, E);
      }
    }
  }
}

/**
 * With p the probabilities and D_i = dy_i · y_i: dv_j = Σ_i p_ij dy_i; ds_ij = p_ij (dy_i · v_j − D_i);
 * dq_i = scale Σ_j ds_ij k_j; dk_j = scale Σ_i ds_ij q_i.
 */
export function attentionBackward(
  q: F64, k: F64, v: F64, y: F64, lse: F64, dy: F64, offsets: Int32Array, dq: F64, dk: F64, dv: F64, H: number, G: number, E: number,
): void {
  const scale = 1 / Math.sqrt(E);
  dq.fill(0);
  dk.fill(0);
  dv.fill(0);
  for (let s = 0; s + 1 < offsets.length; s++) {
    for (let h = 0; h < H; h++) {
      const g = Math.floor(h / (H / G));
      for (let i = offsets[s]; i < offsets[s + 1]; i++) {
        const qi = (i * H + h) * E;
        const D = dot(dy, qi, y, qi, E);
        for (let j = offsets[s]; j <= i; j++) {
          const kj = (j * G + g) * E;
          const p = Math.exp(dot(q, qi, k, kj, E) * scale - lse[i * H + h]);
          const ds = p * (dot(dy, qi, v, kj, E) - D) * scale;
          for (let e = 0; e < E; e++) {
            dv[kj + e] += p * dy[qi + e];
            dq[qi + e] += ds * k[kj + e];
            dk[kj + e] += ds * q[qi + e];
          }
        }
      }
    }
  }
}

export interface PageTable {
  sequence: Int32Array;
  position: Int32Array;
  pages: Int32Array;
  maxPages: number;
  pageSize: number;
}

/** Row index in the cache [pages · pageSize] of a position of a sequence. */
function cacheRow(table: PageTable, sequence: number, position: number): number {
  const page = table.pages[sequence * table.maxPages + Math.floor(position / table.pageSize)];
  return page * table.pageSize + (position % table.pageSize);
}

/** Stores rows x [N, width] into cache [pages · pageSize, width]. */
export function cacheWrite(x: F64, cache: F64, table: PageTable, width: number): void {
  for (let n = 0; n < table.sequence.length; n++) {
    const row = cacheRow(table, table.sequence[n], table.position[n]);
    for (let i = 0; i < width; i++) cache[row * width + i] = x[n * width + i];
  }
}

export function attentionCached(q: F64, kCache: F64, vCache: F64, table: PageTable, y: F64, H: number, G: number, E: number): void {
  for (let n = 0; n < table.sequence.length; n++) {
    for (let h = 0; h < H; h++) {
      const g = Math.floor(h / (H / G));
      const starts: number[] = [];
      for (let p = 0; p <= table.position[n]; p++) starts.push((cacheRow(table, table.sequence[n], p) * G + g) * E);
      attendRow(q, (n * H + h) * E, kCache, vCache, starts, y, E);
    }
  }
}
