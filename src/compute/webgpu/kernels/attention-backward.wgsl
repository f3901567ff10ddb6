// Gradient of packed attention (attention.wgsl), for rows [first, first + rows). With p the probabilities and
// D_i = dy_i · y_i: dv_j = Σ_i p_ij dy_i; ds_ij = p_ij (dy_i · v_j − D_i) / sqrt(E); dq_i = Σ_j ds_ij k_j; dk_j = Σ_i ds_ij q_i.
// A scratch tensor [2, rows, H, span] holds p and ds of the rows in hand.
// Every kernel's parameters begin alike: the range of rows, all rows, and the shape.
@group(0) @binding(1) var<storage, read> offsets: array<i32>;

/** First row of row n's sequence, and the row after its last. */
fn sequenceOf(at: u32, sequences: u32, n: u32) -> vec2u {
  var low = 0u;
  var high = sequences;
  while (high - low > 1u) {
    let middle = (low + high) / 2u;
    if (u32(offsets[at + middle]) <= n) { low = middle; } else { high = middle; }
  }
  return vec2u(u32(offsets[at + low]), u32(offsets[at + low + 1u]));
}

// ---- delta[n, h] = dy · y
struct Delta { rows: u32, size: u32, yAt: u32, dyAt: u32, deltaAt: u32 }
@group(0) @binding(0) var<uniform> deltaParams: Delta;
@group(0) @binding(1) var<storage, read> deltaY: array<f32>;
@group(0) @binding(2) var<storage, read> deltaDy: array<f32>;
@group(0) @binding(3) var<storage, read_write> deltaOut: array<f32>;

@compute @workgroup_size(64)
fn delta(t: Thread) {
  let p = deltaParams;
  let i = threadIndex(t);
  if (i >= p.rows) { return; }
  var sum = 0.0;
  for (var e = 0u; e < p.size; e++) { sum = fma(deltaDy[p.dyAt + i * p.size + e], deltaY[p.yAt + i * p.size + e], sum); }
  deltaOut[p.deltaAt + i] = sum;
}

// ---- pairs: p and ds of each (row, head, key)
struct Pairs {
  first: u32, rows: u32, total: u32, heads: u32, groups: u32, size: u32, span: u32, sequences: u32, scale: f32,
  offsetsAt: u32, qAt: u32, kAt: u32, vAt: u32, dyAt: u32, lseAt: u32, deltaAt: u32, pairsAt: u32,
}
@group(0) @binding(0) var<uniform> pairParams: Pairs;
@group(0) @binding(2) var<storage, read> q: array<f32>;
@group(0) @binding(3) var<storage, read> k: array<f32>;
@group(0) @binding(4) var<storage, read> v: array<f32>;
@group(0) @binding(5) var<storage, read> dy: array<f32>;
@group(0) @binding(6) var<storage, read> lse: array<f32>;
@group(0) @binding(7) var<storage, read> deltas: array<f32>;
@group(0) @binding(8) var<storage, read_write> pairsOut: array<f32>;

@compute @workgroup_size(64)
fn pairs(t: Thread) {
  let p = pairParams;
  let i = threadIndex(t);
  let j = i % p.span;
  let head = (i / p.span) % p.heads;
  let r = i / (p.span * p.heads);
  if (r >= p.rows) { return; }
  let n = p.first + r;
  let start = sequenceOf(p.offsetsAt, p.sequences, n).x;
  if (j > n - start) { return; }
  let qAt = (n * p.heads + head) * p.size;
  let kAt = ((start + j) * p.groups + head / (p.heads / p.groups)) * p.size;
  var s = 0.0;
  var dp = 0.0;
  for (var e = 0u; e < p.size; e++) {
    s = fma(q[p.qAt + qAt + e], k[p.kAt + kAt + e], s);
    dp = fma(dy[p.dyAt + qAt + e], v[p.vAt + kAt + e], dp);
  }
  let probability = exp(s * p.scale - lse[p.lseAt + n * p.heads + head]);
  pairsOut[p.pairsAt + i] = probability;
  pairsOut[p.pairsAt + p.rows * p.heads * p.span + i] = probability * (dp - deltas[p.deltaAt + n * p.heads + head]) * p.scale;
}

// ---- dq[n, h, :] = Σ_j ds · k_j
struct QueryGradient {
  first: u32, rows: u32, total: u32, heads: u32, groups: u32, size: u32, span: u32, sequences: u32,
  offsetsAt: u32, kAt: u32, pairsAt: u32, dqAt: u32,
}
@group(0) @binding(0) var<uniform> queryParams: QueryGradient;
@group(0) @binding(2) var<storage, read> queryK: array<f32>;
@group(0) @binding(3) var<storage, read> queryPairs: array<f32>;
@group(0) @binding(4) var<storage, read_write> dq: array<f32>;

@compute @workgroup_size(64)
fn queryGradient(t: Thread) {
  let p = queryParams;
  let i = threadIndex(t);
  let e = i % p.size;
  let head = (i / p.size) % p.heads;
  let r = i / (p.size * p.heads);
  if (r >= p.rows) { return; }
  let n = p.first + r;
  let start = sequenceOf(p.offsetsAt, p.sequences, n).x;
  let group = head / (p.heads / p.groups);
  let ds = p.pairsAt + ((p.rows + r) * p.heads + head) * p.span;
  var sum = 0.0;
  for (var j = 0u; start + j <= n; j++) {
    sum = fma(queryPairs[ds + j], queryK[p.kAt + ((start + j) * p.groups + group) * p.size + e], sum);
  }
  dq[p.dqAt + p.first * p.heads * p.size + i] = sum;
}

// ---- dk[j, g, :] and dv[j, g, :] = (+= from the second range of rows on) their sums over the rows in hand. Rows in the
// outer loop: then the order of the sum does not depend on where ranges end.
struct KeyGradient {
  first: u32, rows: u32, total: u32, heads: u32, groups: u32, size: u32, span: u32, sequences: u32,
  offsetsAt: u32, qAt: u32, dyAt: u32, pairsAt: u32, dkAt: u32, dvAt: u32,
}
@group(0) @binding(0) var<uniform> keyParams: KeyGradient;
@group(0) @binding(2) var<storage, read> keyQ: array<f32>;
@group(0) @binding(3) var<storage, read> keyDy: array<f32>;
@group(0) @binding(4) var<storage, read> keyPairs: array<f32>;
@group(0) @binding(5) var<storage, read_write> dk: array<f32>;
@group(0) @binding(6) var<storage, read_write> dv: array<f32>;

@compute @workgroup_size(64)
fn keyGradient(t: Thread) {
  let p = keyParams;
  let i = threadIndex(t);
  let e = i % p.size;
  let group = (i / p.size) % p.groups;
  let key = i / (p.size * p.groups);
  if (key >= p.total) { return; }
  let sequence = sequenceOf(p.offsetsAt, p.sequences, key);
  let share = p.heads / p.groups;
  let dsAt = p.rows * p.heads * p.span;
  var sumK = 0.0;
  var sumV = 0.0;
  if (p.first > 0u) {
    sumK = dk[p.dkAt + i];
    sumV = dv[p.dvAt + i];
  }
  for (var n = max(key, p.first); n < min(sequence.y, p.first + p.rows); n++) {
    for (var h = 0u; h < share; h++) {
      let head = group * share + h;
      let pair = p.pairsAt + ((n - p.first) * p.heads + head) * p.span + key - sequence.x;
      let at = (n * p.heads + head) * p.size + e;
      sumV = fma(keyPairs[pair], keyDy[p.dyAt + at], sumV);
      sumK = fma(keyPairs[dsAt + pair], keyQ[p.qAt + at], sumK);
    }
  }
  dk[p.dkAt + i] = sumK;
  dv[p.dvAt + i] = sumV;
}
