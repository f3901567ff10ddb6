// Statistics of logit rows, for the log-probability head and the sampler: both use the same blocks, so that an unfiltered
// sample's log-probability has the bits that scoring it gives. Of each row and block of 256 tokens, partials hold four
// numbers: largest logit M, Σ e^(z − M), Σ e^(z − M)·(z − M), index of the largest.
struct Statistics {
  rows: u32, cols: u32, firstBlock: u32, blocks: u32, partialsRow: u32,
  zAt: u32, rowAt: u32, partialsAt: u32, logprobAt: u32,
}
@group(0) @binding(1) var<storage, read> z: array<f32>;
@group(0) @binding(3) var<storage, read_write> partials: array<f32>;

fn blockStatistics(zAt: u32, start: u32, end: u32, factor: f32, to: u32) {
  var top = z[zAt + start] * factor;
  var largest = z[zAt + start];
  var best = start;
  for (var v = start + 1u; v < end; v++) {
    let raw = z[zAt + v];
    if (raw > largest) { largest = raw; best = v; }
    top = max(top, raw * factor);
  }
  var sum = 0.0;
  var weighted = 0.0;
  for (var v = start; v < end; v++) {
    let difference = z[zAt + v] * factor - top;
    let e = exp(difference);
    sum += e;
    // An impossible entry (−∞) adds 0, not 0 · ∞.
    weighted = fma(e, max(difference, -1e4), weighted);
  }
  partials[to] = top;
  partials[to + 1u] = sum;
  partials[to + 2u] = weighted;
  partials[to + 3u] = f32(best);
}

// ---- targetStatistics: of a tile z [rows, cols] whose first block is block `firstBlock` of `blocks` of its rows; where a
// row's target lies in the tile, logprob[n] = its logit. partialsRow is the tile's first row.
@group(0) @binding(0) var<uniform> targetParams: Statistics;
@group(0) @binding(2) var<storage, read> targets: array<i32>;
@group(0) @binding(4) var<storage, read_write> targetLogit: array<f32>;

@compute @workgroup_size(64)
fn targetStatistics(t: Thread) {
  let p = targetParams;
  let tileBlocks = (p.cols + 255u) / 256u;
  let i = threadIndex(t);
  let r = i / tileBlocks;
  if (r >= p.rows) { return; }
  let block = i % tileBlocks;
  let start = 256u * block;
  let end = min(start + 256u, p.cols);
  let n = p.partialsRow + r;
  blockStatistics(p.zAt + r * p.cols, start, end, 1.0, p.partialsAt + 4u * (n * p.blocks + p.firstBlock + block));
  let target_ = u32(targets[p.rowAt + n]) - 256u * p.firstBlock;
  if (target_ >= start && target_ < end) { targetLogit[p.logprobAt + n] = z[p.zAt + r * p.cols + target_]; }
}

// ---- sampleStatistics: of whole rows, divided by the rows' temperatures
struct SampleStatistics { rows: u32, cols: u32, zAt: u32, temperatureAt: u32, partialsAt: u32 }
@group(0) @binding(0) var<uniform> scaledParams: SampleStatistics;
@group(0) @binding(2) var<storage, read> scaledTemperature: array<f32>;

fn factorOf(temperature: f32) -> f32 {
  return select(1.0 / temperature, 1.0, temperature == 0.0);
}

@compute @workgroup_size(64)
fn sampleStatistics(t: Thread) {
  let p = scaledParams;
  let blocks = (p.cols + 255u) / 256u;
  let i = threadIndex(t);
  let n = i / blocks;
  if (n >= p.rows) { return; }
  let start = 256u * (i % blocks);
  blockStatistics(p.zAt + n * p.cols, start, min(start + 256u, p.cols), factorOf(scaledTemperature[p.temperatureAt + n]), p.partialsAt + 4u * i);
}

// ---- combine: logprob[n] becomes logit − logZ
struct Combine { rows: u32, blocks: u32, partialsAt: u32, logprobAt: u32, entropyAt: u32, logZAt: u32 }
@group(0) @binding(0) var<uniform> combineParams: Combine;
@group(0) @binding(1) var<storage, read> parts: array<f32>;
@group(0) @binding(2) var<storage, read_write> logprob: array<f32>;
@group(0) @binding(3) var<storage, read_write> entropy: array<f32>;
@group(0) @binding(4) var<storage, read_write> logZ: array<f32>;

/** (M, Σ e^(z − M), Σ e^(z − M)·(z − M)) of the blocks that begin at `at`. */
fn combined(at: u32, blocks: u32) -> vec3f {
  var top = parts[at];
  for (var b = 1u; b < blocks; b++) { top = max(top, parts[at + 4u * b]); }
  var sum = 0.0;
  var weighted = 0.0;
  for (var b = 0u; b < blocks; b++) {
    let difference = max(parts[at + 4u * b] - top, -1e4);
    let factor = exp(difference);
    sum += factor * parts[at + 4u * b + 1u];
    weighted += factor * (parts[at + 4u * b + 2u] + difference * parts[at + 4u * b + 1u]);
  }
  return vec3f(top, sum, weighted);
}

@compute @workgroup_size(64)
fn combine(t: Thread) {
  let p = combineParams;
  let n = threadIndex(t);
  if (n >= p.rows) { return; }
  let s = combined(p.partialsAt + 4u * n * p.blocks, p.blocks);
  let total = s.x + log(s.y);
  logZ[p.logZAt + n] = total;
  logprob[p.logprobAt + n] -= total;
  entropy[p.entropyAt + n] = log(s.y) - s.z / s.y;
}

// ---- headGradient: logits z [rows, cols] of rows from firstRow and tokens from firstCol become their gradient,
// weight[n] · ([v = target] − e^(z − logZ))
struct HeadGradient { rows: u32, cols: u32, firstRow: u32, firstCol: u32, targetsAt: u32, logZAt: u32, weightAt: u32, dzAt: u32 }
@group(0) @binding(0) var<uniform> gradientParams: HeadGradient;
@group(0) @binding(1) var<storage, read> gradientTargets: array<i32>;
@group(0) @binding(2) var<storage, read> gradientLogZ: array<f32>;
@group(0) @binding(3) var<storage, read> gradientWeight: array<f32>;
@group(0) @binding(4) var<storage, read_write> dz: array<f32>;

@compute @workgroup_size(64)
fn headGradient(t: Thread) {
  let p = gradientParams;
  let i = threadIndex(t);
  if (i >= p.rows * p.cols) { return; }
  let n = p.firstRow + i / p.cols;
  let hit = select(0.0, 1.0, u32(gradientTargets[p.targetsAt + n]) == p.firstCol + i % p.cols);
  dz[p.dzAt + i] = gradientWeight[p.weightAt + n] * (hit - exp(dz[p.dzAt + i] - gradientLogZ[p.logZAt + n]));
}
