// All matrix products: c[i, j] = scale · Σ_k a[i, k] · b[j, k] + bias[j] (+ c). a and b are read with any strides, which
// makes this linear, its dx and its dW; b is f32 or f16. The sum runs in ascending k whatever the tile, so that a row's
// result does not depend on the other rows.
struct Product {
  rows: u32, cols: u32, depth: u32, aRow: u32, aStep: u32, bRow: u32, bStep: u32, hasBias: u32, accumulate: u32, scale: f32,
  aAt: u32, bAt: u32, biasAt: u32, cAt: u32,
}
@group(0) @binding(0) var<uniform> p: Product;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<u32>;
@group(0) @binding(3) var<storage, read> bias: array<f32>;
@group(0) @binding(4) var<storage, read_write> c: array<f32>;

fn weight(i: u32) -> f32 {
  if (HALF) { return halfToFloat(halfOf(b[i / 2u], i)); }
  return bitcast<f32>(b[i]);
}

fn store(row: u32, col: u32, sums: vec4f) {
  if (row >= p.rows) { return; }
  for (var j = 0u; j < min(4u, p.cols - col); j++) {
    var value = p.scale * sums[j];
    if (p.hasBias != 0u) { value += bias[p.biasAt + col + j]; }
    let at = p.cAt + row * p.cols + col + j;
    if (p.accumulate != 0u) { value += c[at]; }
    c[at] = value;
  }
}

/** Where the four columns from `col` on begin in b; those beyond the last are read and not stored. */
fn columns(col: u32) -> vec4u {
  return p.bAt + p.bRow * min(vec4u(col, col + 1u, col + 2u, col + 3u), vec4u(p.cols - 1u));
}

// A thread computes 1 × 4.
@compute @workgroup_size(64)
fn row(t: Thread) {
  let tiles = (p.cols + 3u) / 4u;
  let tile = threadIndex(t);
  let i = tile / tiles;
  if (i >= p.rows) { return; }
  let col = 4u * (tile % tiles);
  var bAt = columns(col);
  var aAt = p.aAt + i * p.aRow;
  var sum = vec4f();
  for (var k = 0u; k < p.depth; k++) {
    let w = vec4f(weight(bAt.x), weight(bAt.y), weight(bAt.z), weight(bAt.w));
    sum = fma(vec4f(a[aAt]), w, sum);
    aAt += p.aStep;
    bAt += vec4u(p.bStep);
  }
  store(i, col, sum);
}

// A thread computes 4 × 4.
@compute @workgroup_size(64)
fn tile(t: Thread) {
  let tiles = (p.cols + 3u) / 4u;
  let index = threadIndex(t);
  let i = 4u * (index / tiles);
  if (i >= p.rows) { return; }
  let col = 4u * (index % tiles);
  var bAt = columns(col);
  var aAt = p.aAt + p.aRow * min(vec4u(i, i + 1u, i + 2u, i + 3u), vec4u(p.rows - 1u));
  var sum0 = vec4f();
  var sum1 = vec4f();
  var sum2 = vec4f();
  var sum3 = vec4f();
  for (var k = 0u; k < p.depth; k++) {
    let w = vec4f(weight(bAt.x), weight(bAt.y), weight(bAt.z), weight(bAt.w));
    sum0 = fma(vec4f(a[aAt.x]), w, sum0);
    sum1 = fma(vec4f(a[aAt.y]), w, sum1);
    sum2 = fma(vec4f(a[aAt.z]), w, sum2);
    sum3 = fma(vec4f(a[aAt.w]), w, sum3);
    aAt += vec4u(p.aStep);
    bAt += vec4u(p.bStep);
  }
  store(i, col, sum0);
  store(i + 1u, col, sum1);
  store(i + 2u, col, sum2);
  store(i + 3u, col, sum3);
}
