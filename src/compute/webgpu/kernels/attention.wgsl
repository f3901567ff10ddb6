// Causal grouped-query attention of rows [first, first + rows), in three kernels over a scratch tensor of scores
// [rows, H, span]. Keys and values are packed rows [N, G, E], or (PAGED) pages [pages, pageSize, G, E] of a cache. One
// code for both, so that a row has the same bits from either.
override PAGED: bool = false;

struct Attention {
  first: u32, rows: u32, heads: u32, groups: u32, size: u32, span: u32,
  /** Packed: sequences. Paged: pages per sequence. */
  entries: u32,
  pageSize: u32,
  scale: f32,
  indexAt: u32, positionAt: u32, pagesAt: u32,
  /** The kernel's other tensors, in the order of its bindings. */
  aAt: u32, bAt: u32, cAt: u32,
}
@group(0) @binding(0) var<uniform> p: Attention;

/** Packed: offsets [S + 1]. Paged: sequence [N]. Then position [N] and pages [S, maxPages], paged only. */
@group(0) @binding(1) var<storage, read> index: array<i32>;
@group(0) @binding(2) var<storage, read> position: array<i32>;
@group(0) @binding(3) var<storage, read> pages: array<i32>;

/** The row at which row n's sequence begins. */
fn sequenceStart(n: u32) -> u32 {
  var low = 0u;
  var high = p.entries;
  while (high - low > 1u) {
    let middle = (low + high) / 2u;
    if (u32(index[p.indexAt + middle]) <= n) { low = middle; } else { high = middle; }
  }
  return u32(index[p.indexAt + low]);
}

/** Keys that row n attends to, and for packed rows the first of them. */
fn keysOf(n: u32) -> vec2u {
  if (PAGED) { return vec2u(min(u32(position[p.positionAt + n]) + 1u, p.span), u32(index[p.indexAt + n]) * p.entries); }
  let start = sequenceStart(n);
  return vec2u(min(n - start + 1u, p.span), start);
}

/** The row of k and v that holds key j; `base` is the second number of keysOf. */
fn keyRow(base: u32, j: u32) -> u32 {
  if (PAGED) { return u32(pages[p.pagesAt + base + j / p.pageSize]) * p.pageSize + j % p.pageSize; }
  return base + j;
}

// ---- scores[r, h, j] = q · k_j / sqrt(E)
@group(0) @binding(4) var<storage, read> q: array<f32>;
@group(0) @binding(5) var<storage, read> k: array<f32>;
@group(0) @binding(6) var<storage, read_write> scores: array<f32>;

@compute @workgroup_size(64)
fn score(t: Thread) {
  let i = threadIndex(t);
  let j = i % p.span;
  let head = (i / p.span) % p.heads;
  let r = i / (p.span * p.heads);
  if (r >= p.rows) { return; }
  let n = p.first + r;
  let keys = keysOf(n);
  if (j >= keys.x) { return; }
  let group = head / (p.heads / p.groups);
  let qAt = p.aAt + (n * p.heads + head) * p.size;
  let kAt = p.bAt + (keyRow(keys.y, j) * p.groups + group) * p.size;
  var sum = 0.0;
  for (var e = 0u; e < p.size; e++) { sum = fma(q[qAt + e], k[kAt + e], sum); }
  scores[p.cAt + i] = sum * p.scale;
}

// ---- softmax: scores become probabilities; lse[n, h] = log Σ e^score
@group(0) @binding(4) var<storage, read_write> weights: array<f32>;
@group(0) @binding(5) var<storage, read_write> lse: array<f32>;

@compute @workgroup_size(64)
fn softmax(t: Thread) {
  let i = threadIndex(t);
  let r = i / p.heads;
  if (r >= p.rows) { return; }
  let n = p.first + r;
  // Only the number of keys counts here, but every binding has to be used.
  let keys = keysOf(n).x + select(0u, keyRow(0u, 0u), p.span == 0u);
  let start = p.aAt + i * p.span;
  var top = weights[start];
  for (var j = 1u; j < keys; j++) { top = max(top, weights[start + j]); }
  var sum = 0.0;
  for (var j = 0u; j < keys; j++) {
    let e = exp(weights[start + j] - top);
    weights[start + j] = e;
    sum += e;
  }
  let total = top + log(sum);
  lse[p.bAt + n * p.heads + i % p.heads] = total;
  for (var j = 0u; j < keys; j++) { weights[start + j] /= sum; }
}

// ---- mix: y[n, h, :] = Σ_j probability_j · v_j
@group(0) @binding(4) var<storage, read> mixWeights: array<f32>;
@group(0) @binding(5) var<storage, read> v: array<f32>;
@group(0) @binding(6) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn mix(t: Thread) {
  let i = threadIndex(t);
  let e = i % p.size;
  let head = (i / p.size) % p.heads;
  let r = i / (p.size * p.heads);
  if (r >= p.rows) { return; }
  let keys = keysOf(p.first + r);
  let group = head / (p.heads / p.groups);
  let start = p.aAt + (r * p.heads + head) * p.span;
  var sum = 0.0;
  for (var j = 0u; j < keys.x; j++) {
    let value = v[p.bAt + (keyRow(keys.y, j) * p.groups + group) * p.size + e];
    sum = fma(mixWeights[start + j], value, sum);
  }
  y[p.cAt + p.first * p.heads * p.size + i] = sum;
}

// ---- cacheWrite: cache row of each packed row = its k (or v), both [·, width]
struct CacheWrite { rows: u32, width: u32, maxPages: u32, pageSize: u32, indexAt: u32, positionAt: u32, pagesAt: u32, xAt: u32, cacheAt: u32 }
@group(0) @binding(0) var<uniform> writeParams: CacheWrite;
@group(0) @binding(4) var<storage, read> written: array<f32>;
@group(0) @binding(5) var<storage, read_write> cache: array<f32>;

@compute @workgroup_size(64)
fn cacheWrite(t: Thread) {
  let i = threadIndex(t);
  let n = i / writeParams.width;
  if (n >= writeParams.rows) { return; }
  let place = u32(position[writeParams.positionAt + n]);
  let page = u32(pages[writeParams.pagesAt + u32(index[writeParams.indexAt + n]) * writeParams.maxPages + place / writeParams.pageSize]);
  cache[writeParams.cacheAt + (page * writeParams.pageSize + place % writeParams.pageSize) * writeParams.width + i % writeParams.width] = written[writeParams.xAt + i];
}
