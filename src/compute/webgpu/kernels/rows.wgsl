// Operations on rows: embedding, its gradient, sums over rows, RMS norm, rotary positions.

// ---- embedding: y[n, :] = table[ids[n], :]; table f32 or f16 [V, D]
struct Embedding { rows: u32, width: u32, idsAt: u32, tableAt: u32, yAt: u32 }
@group(0) @binding(0) var<uniform> embeddingParams: Embedding;
@group(0) @binding(1) var<storage, read> embeddingIds: array<i32>;
@group(0) @binding(2) var<storage, read> table: array<u32>;
@group(0) @binding(3) var<storage, read_write> embeddingY: array<f32>;

@compute @workgroup_size(64)
fn embedding(t: Thread) {
  let i = threadIndex(t);
  let p = embeddingParams;
  if (i >= p.rows * p.width) { return; }
  let source = p.tableAt + u32(embeddingIds[p.idsAt + i / p.width]) * p.width + i % p.width;
  var value: f32;
  if (HALF) { value = halfToFloat(halfOf(table[source / 2u], source)); } else { value = bitcast<f32>(table[source]); }
  embeddingY[p.yAt + i] = value;
}

// ---- chain: links equal ids; links[n] = the next row with the same id (N if none), links[N + n] = 1 for the first one
struct Chain { rows: u32, idsAt: u32, linksAt: u32 }
@group(0) @binding(0) var<uniform> chainParams: Chain;
@group(0) @binding(1) var<storage, read> chainIds: array<i32>;
@group(0) @binding(2) var<storage, read_write> links: array<u32>;

@compute @workgroup_size(64)
fn chain(t: Thread) {
  let n = threadIndex(t);
  let p = chainParams;
  if (n >= p.rows) { return; }
  let id = chainIds[p.idsAt + n];
  var first = 1u;
  for (var i = 0u; i < n; i++) { if (chainIds[p.idsAt + i] == id) { first = 0u; break; } }
  var next = n + 1u;
  while (next < p.rows && chainIds[p.idsAt + next] != id) { next++; }
  links[p.linksAt + n] = next;
  links[p.linksAt + p.rows + n] = first;
}

// ---- embeddingBackward: dTable[ids[n], :] += dy[n, :], rows ascending: the first row of a chain adds all of it
struct EmbeddingBackward { rows: u32, width: u32, idsAt: u32, linksAt: u32, dyAt: u32, dTableAt: u32 }
@group(0) @binding(0) var<uniform> scatterParams: EmbeddingBackward;
@group(0) @binding(1) var<storage, read> scatterIds: array<i32>;
@group(0) @binding(2) var<storage, read> scatterLinks: array<u32>;
@group(0) @binding(3) var<storage, read> scatterDy: array<f32>;
@group(0) @binding(4) var<storage, read_write> dTable: array<f32>;

@compute @workgroup_size(64)
fn embeddingBackward(t: Thread) {
  let i = threadIndex(t);
  let p = scatterParams;
  if (i >= p.rows * p.width) { return; }
  var n = i / p.width;
  let d = i % p.width;
  if (scatterLinks[p.linksAt + p.rows + n] == 0u) { return; }
  let at = p.dTableAt + u32(scatterIds[p.idsAt + n]) * p.width + d;
  var sum = dTable[at];
  for (; n < p.rows; n = scatterLinks[p.linksAt + n]) { sum += scatterDy[p.dyAt + n * p.width + d]; }
  dTable[at] = sum;
}

// ---- biasBackward: db[m] = Σ_n dy[n, m] (+ db)
struct BiasBackward { rows: u32, width: u32, accumulate: u32, dyAt: u32, dbAt: u32 }
@group(0) @binding(0) var<uniform> biasParams: BiasBackward;
@group(0) @binding(1) var<storage, read> biasDy: array<f32>;
@group(0) @binding(2) var<storage, read_write> db: array<f32>;

@compute @workgroup_size(64)
fn biasBackward(t: Thread) {
  let m = threadIndex(t);
  let p = biasParams;
  if (m >= p.width) { return; }
  var sum = 0.0;
  for (var n = 0u; n < p.rows; n++) { sum += biasDy[p.dyAt + n * p.width + m]; }
  if (p.accumulate != 0u) { sum += db[p.dbAt + m]; }
  db[p.dbAt + m] = sum;
}

// ---- normSquares: partials[r, b] = Σ x² over block b (64 elements) of row r
struct NormSquares { rows: u32, width: u32, xAt: u32, partialsAt: u32 }
@group(0) @binding(0) var<uniform> squaresParams: NormSquares;
@group(0) @binding(1) var<storage, read> squaresX: array<f32>;
@group(0) @binding(2) var<storage, read_write> squares: array<f32>;

@compute @workgroup_size(64)
fn normSquares(t: Thread) {
  let p = squaresParams;
  let blocks = (p.width + 63u) / 64u;
  let i = threadIndex(t);
  if (i >= p.rows * blocks) { return; }
  let row = i / blocks;
  let start = 64u * (i % blocks);
  var sum = 0.0;
  for (var d = start; d < min(start + 64u, p.width); d++) {
    let x = squaresX[p.xAt + row * p.width + d];
    sum = fma(x, x, sum);
  }
  squares[p.partialsAt + i] = sum;
}

// ---- rmsNorm: y = x / sqrt(mean(x²) + eps) · w, with the sums of normSquares
struct RmsNorm { rows: u32, width: u32, eps: f32, xAt: u32, wAt: u32, partialsAt: u32, yAt: u32 }
@group(0) @binding(0) var<uniform> normParams: RmsNorm;
@group(0) @binding(1) var<storage, read> normX: array<f32>;
@group(0) @binding(2) var<storage, read> normW: array<f32>;
@group(0) @binding(3) var<storage, read> normPartials: array<f32>;
@group(0) @binding(4) var<storage, read_write> normY: array<f32>;

@compute @workgroup_size(64)
fn rmsNorm(t: Thread) {
  let p = normParams;
  let i = threadIndex(t);
  if (i >= p.rows * p.width) { return; }
  let blocks = (p.width + 63u) / 64u;
  let row = i / p.width;
  var sum = 0.0;
  for (var b = 0u; b < blocks; b++) { sum += normPartials[p.partialsAt + row * blocks + b]; }
  let scale = 1.0 / sqrt(sum / f32(p.width) + p.eps);
  normY[p.yAt + i] = normX[p.xAt + i] * scale * normW[p.wAt + i % p.width];
}

// ---- normStatistics: statistics[r] = (s, Σ x·w·dy) of row r, with s = 1 / sqrt(mean(x²) + eps)
struct NormStatistics { rows: u32, width: u32, eps: f32, xAt: u32, wAt: u32, dyAt: u32, statisticsAt: u32 }
@group(0) @binding(0) var<uniform> statisticsParams: NormStatistics;
@group(0) @binding(1) var<storage, read> statisticsX: array<f32>;
@group(0) @binding(2) var<storage, read> statisticsW: array<f32>;
@group(0) @binding(3) var<storage, read> statisticsDy: array<f32>;
@group(0) @binding(4) var<storage, read_write> statistics: array<f32>;

@compute @workgroup_size(64)
fn normStatistics(t: Thread) {
  let p = statisticsParams;
  let row = threadIndex(t);
  if (row >= p.rows) { return; }
  var sum = 0.0;
  var dot = 0.0;
  for (var d = 0u; d < p.width; d++) {
    let x = statisticsX[p.xAt + row * p.width + d];
    sum = fma(x, x, sum);
    dot = fma(x * statisticsW[p.wAt + d], statisticsDy[p.dyAt + row * p.width + d], dot);
  }
  statistics[p.statisticsAt + 2u * row] = 1.0 / sqrt(sum / f32(p.width) + p.eps);
  statistics[p.statisticsAt + 2u * row + 1u] = dot;
}

// ---- rmsNormBackward: dx = s·w·dy − x·s³·mean(x·w·dy) (+ dx)
struct RmsNormBackward { rows: u32, width: u32, accumulate: u32, xAt: u32, wAt: u32, dyAt: u32, statisticsAt: u32, dxAt: u32 }
@group(0) @binding(0) var<uniform> normBackParams: RmsNormBackward;
@group(0) @binding(1) var<storage, read> normBackX: array<f32>;
@group(0) @binding(2) var<storage, read> normBackW: array<f32>;
@group(0) @binding(3) var<storage, read> normBackDy: array<f32>;
@group(0) @binding(4) var<storage, read> normBackStatistics: array<f32>;
@group(0) @binding(5) var<storage, read_write> normDx: array<f32>;

@compute @workgroup_size(64)
fn rmsNormBackward(t: Thread) {
  let p = normBackParams;
  let i = threadIndex(t);
  if (i >= p.rows * p.width) { return; }
  let row = i / p.width;
  let s = normBackStatistics[p.statisticsAt + 2u * row];
  let dot = normBackStatistics[p.statisticsAt + 2u * row + 1u];
  let x = normBackX[p.xAt + i];
  var value = s * (normBackW[p.wAt + i % p.width] * normBackDy[p.dyAt + i] - x * s * s * dot / f32(p.width));
  if (p.accumulate != 0u) { value += normDx[p.dxAt + i]; }
  normDx[p.dxAt + i] = value;
}

// ---- normWeightBackward: dw[d] += Σ_r dy·x·s
struct NormWeightBackward { rows: u32, width: u32, xAt: u32, dyAt: u32, statisticsAt: u32, dwAt: u32 }
@group(0) @binding(0) var<uniform> normWeightParams: NormWeightBackward;
@group(0) @binding(1) var<storage, read> normWeightX: array<f32>;
@group(0) @binding(2) var<storage, read> normWeightDy: array<f32>;
@group(0) @binding(3) var<storage, read> normWeightStatistics: array<f32>;
@group(0) @binding(4) var<storage, read_write> normDw: array<f32>;

@compute @workgroup_size(64)
fn normWeightBackward(t: Thread) {
  let p = normWeightParams;
  let d = threadIndex(t);
  if (d >= p.width) { return; }
  var sum = normDw[p.dwAt + d];
  for (var row = 0u; row < p.rows; row++) {
    let i = row * p.width + d;
    sum = fma(normWeightDy[p.dyAt + i], normWeightX[p.xAt + i] * normWeightStatistics[p.statisticsAt + 2u * row], sum);
  }
  normDw[p.dwAt + d] = sum;
}
