/** Log-probability head and sampling, plainly. h [N, D], w [V, D]. */
type F64 = Float64Array;

/** z[v] = h[n, :] · w[v, :]. */
function rowLogits(h: F64, w: F64, n: number, D: number, V: number): F64 {
  const z = new Float64Array(V);
  for (let v = 0; v < V; v++) for (let d = 0; d < D; d++) z[v] += h[n * D + d] * w[v * D + d];
  return z;
}

function logSumExp(z: F64): number {
  const max = z.reduce((a, b) => Math.max(a, b));
  return max + Math.log(z.reduce((sum, x) => sum + Math.exp(x - max), 0));
}

export function targetLogprobs(h: F64, w: F64, targets: Int32Array, logprob: F64, entropy: F64, logZ: F64, D: number, V: number): void {
  for (let n = 0; n < targets.length; n++) {
    const z = rowLogits(h, w, n, D, V);
    const lse = logSumExp(z);
    logZ[n] = lse;
    logprob[n] = z[targets[n]] - lse;
    entropy[n] = -z.reduce((sum, x) => sum + Math.exp(x - lse) * (x - lse), 0);
  }
}

/** dz[n, v] = weight[n] · ([v = target] − p[n, v]); dh = dz · w; dw += dzᵀ · h. */
export function targetLogprobsBackward(
  h: F64, w: F64, targets: Int32Array, logZ: F64, weight: F64, dh: F64, dw: F64 | null, D: number, V: number,
): void {
  dh.fill(0);
  for (let n = 0; n < targets.length; n++) {
    const z = rowLogits(h, w, n, D, V);
    for (let v = 0; v < V; v++) {
      const dz = weight[n] * ((v === targets[n] ? 1 : 0) - Math.exp(z[v] - logZ[n]));
      for (let d = 0; d < D; d++) {
        dh[n * D + d] += dz * w[v * D + d];
        if (dw) dw[v * D + d] += dz * h[n * D + d];
      }
    }
  }
}

/**
 * One draw. Ranking is by logit, equal logits by token. Top-k keeps the k best; top-p keeps the shortest prefix of the
 * ranking whose share of what top-k kept reaches topP. Then the first token, in ascending order, whose cumulative
 * share exceeds `uniform`.
 */
export function sampleRow(logits: F64, uniform: number, temperature: number, topK: number, topP: number): { token: number; logprob: number } {
  const V = logits.length;
  const ranked = Array.from(logits.keys()).toSorted((a, b) => logits[b] - logits[a] || a - b);
  if (temperature === 0) return { token: ranked[0], logprob: logits[ranked[0]] - logSumExp(logits) };

  const top = logits[ranked[0]];
  const mass = (token: number) => Math.exp((logits[token] - top) / temperature);
  let kept = topK > 0 ? ranked.slice(0, Math.min(topK, V)) : ranked;
  if (topP < 1) {
    const wanted = topP * kept.reduce((sum, token) => sum + mass(token), 0);
    let sum = 0;
    let count = 0;
    while (count < kept.length && (count === 0 || sum < wanted)) sum += mass(kept[count++]);
    kept = kept.slice(0, count);
  }
  kept = kept.toSorted((a, b) => a - b);
  const total = kept.reduce((sum, token) => sum + mass(token), 0);
  let token = ranked[0];
  let cumulative = 0;
  for (const candidate of kept) {
    if (mass(candidate) === 0) continue;
    token = candidate;
    cumulative += mass(candidate);
    if (cumulative > uniform * total) break;
  }
  return { token, logprob: Math.log(mass(token) / total) };
}
