// One draw per row of logits [N, V], a thread each, after sampleStatistics (head.wgsl), whose four numbers per block it
// begins with. Tokens are ranked by logit, equal logits by token. Top-k keeps the k best; top-p keeps the shortest prefix
// of the ranking whose share of what top-k kept reaches topP; then the first token, in ascending order, whose cumulative
// share exceeds `uniform`. params is i32 topK [N]; masses is scratch f32 [N, V].
struct Sample {
  rows: u32, cols: u32,
  zAt: u32, partsAt: u32, uniformAt: u32, temperatureAt: u32, topKAt: u32, topPAt: u32, massAt: u32, outAt: u32,
}
@group(0) @binding(0) var<uniform> p: Sample;
@group(0) @binding(1) var<storage, read> z: array<f32>;
@group(0) @binding(2) var<storage, read> parts: array<f32>;
@group(0) @binding(3) var<storage, read> uniformNumber: array<f32>;
@group(0) @binding(4) var<storage, read> temperature: array<f32>;
@group(0) @binding(5) var<storage, read> topK: array<i32>;
@group(0) @binding(6) var<storage, read> topP: array<f32>;
@group(0) @binding(7) var<storage, read_write> mass: array<f32>;
/** Tokens, as whole numbers in the bits, then log-probabilities [2, N]: with one tensor each, bindings would not suffice. */
@group(0) @binding(8) var<storage, read_write> out: array<u32>;

/** An unsigned number that orders f32 numbers as they are ordered (NaN aside). */
fn order(x: f32) -> u32 {
  // Adding 0 makes −0 and 0 equal.
  let bits = bitcast<u32>(x + 0.0);
  return select(bits | 0x80000000u, ~bits, (bits >> 31u) != 0u);
}

fn countFrom(row: u32, key: u32) -> u32 {
  var count = 0u;
  for (var v = 0u; v < p.cols; v++) { count += select(0u, 1u, order(z[row + v]) >= key); }
  return count;
}

fn massFrom(row: u32, masses: u32, key: u32) -> f32 {
  var sum = 0.0;
  for (var start = 0u; start < p.cols; start += 256u) {
    var part = 0.0;
    for (var v = start; v < min(start + 256u, p.cols); v++) { part += select(0.0, mass[masses + v], order(z[row + v]) >= key); }
    sum += part;
  }
  return sum;
}

/** Halfway between low and high, rounded up. */
fn middleOf(low: u32, high: u32) -> u32 {
  return low + (high - low) / 2u + ((high - low) & 1u);
}

fn keepTopK(row: u32, masses: u32, k: u32) {
  // The largest key that at least k logits reach is that of the k-th best.
  var low = 0u;
  var high = 0xffffffffu;
  while (low < high) {
    let middle = middleOf(low, high);
    if (countFrom(row, middle) >= k) { low = middle; } else { high = middle - 1u; }
  }
  var ties = k;
  if (low != 0xffffffffu) { ties -= countFrom(row, low + 1u); }
  for (var v = 0u; v < p.cols; v++) {
    let key = order(z[row + v]);
    if (key == low && ties > 0u) { ties--; } else if (key <= low) { mass[masses + v] = 0.0; }
  }
}

fn keepTopP(row: u32, masses: u32, wanted: f32) {
  var low = 0u;
  var high = 0xffffffffu;
  while (low < high) {
    let middle = middleOf(low, high);
    if (massFrom(row, masses, middle) >= wanted) { low = middle; } else { high = middle - 1u; }
  }
  var reached = 0.0;
  if (low != 0xffffffffu) { reached = massFrom(row, masses, low + 1u); }
  for (var v = 0u; v < p.cols; v++) {
    let key = order(z[row + v]);
    if (key > low) { continue; }
    if (key == low && reached < wanted) { reached += mass[masses + v]; } else { mass[masses + v] = 0.0; }
  }
}

@compute @workgroup_size(64)
fn sample(t: Thread) {
  let n = threadIndex(t);
  if (n >= p.rows) { return; }
  let row = p.zAt + n * p.cols;
  let masses = p.massAt + n * p.cols;
  let blocks = (p.cols + 255u) / 256u;
  let at = p.partsAt + 4u * n * blocks;
  let T = temperature[p.temperatureAt + n];
  let factor = select(1.0 / T, 1.0, T == 0.0);
  let k = u32(max(topK[p.topKAt + n], 0));
  let share = topP[p.topPAt + n];

  // As `combined` in head.wgsl.
  var top = parts[at];
  var best = u32(parts[at + 3u]);
  for (var b = 1u; b < blocks; b++) {
    top = max(top, parts[at + 4u * b]);
    let candidate = u32(parts[at + 4u * b + 3u]);
    if (z[row + candidate] > z[row + best]) { best = candidate; }
  }
  var sum = 0.0;
  for (var b = 0u; b < blocks; b++) { sum += exp(max(parts[at + 4u * b] - top, -1e4)) * parts[at + 4u * b + 1u]; }
  let logZ = top + log(sum);

  var token = best;
  var logprob = z[row + best] * factor - logZ;
  if (T != 0.0) {
    for (var v = 0u; v < p.cols; v++) { mass[masses + v] = exp(z[row + v] * factor - top); }
    let cut = k > 0u && k < p.cols;
    if (cut) { keepTopK(row, masses, k); }
    if (share < 1.0) { keepTopP(row, masses, share * massFrom(row, masses, 0u)); }
    let total = massFrom(row, masses, 0u);
    let threshold = uniformNumber[p.uniformAt + n] * total;
    var cumulative = 0.0;
    for (var v = 0u; v < p.cols; v++) {
      let m = mass[masses + v];
      if (m == 0.0) { continue; }
      token = v;
      cumulative += m;
      if (cumulative > threshold) { break; }
    }
    logprob = z[row + token] * factor - logZ;
    if (cut || share < 1.0) { logprob = z[row + token] * factor - top - log(total); }
  }
  out[p.outAt + n] = token;
  out[p.outAt + p.rows + n] = bitcast<u32>(logprob);
}
