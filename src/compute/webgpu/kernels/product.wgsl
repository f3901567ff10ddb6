// All matrix products: c[i, j] = scale · Σ_k a[i, k] · b[j, k] + bias[j] (+ c). a and b are read with any strides, which
// makes this linear, its dx and its dW; b is f32 or f16. The sum runs in ascending k whatever the tile, so that a row's
// result does not depend on the other rows; the three kernels give the same bits.
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

// A thread computes 4 × 4 from loads of four numbers, along k or, where an operand is transposed, across k. Needs starts
// and strides in whole fours; where an operand lies along k, a depth in whole fours, too.
override A_ALONG_K: bool = true;
override B_ALONG_K: bool = true;
@group(0) @binding(1) var<storage, read> aFours: array<vec4f>;
@group(0) @binding(2) var<storage, read> bFours: array<vec4f>;
@group(0) @binding(2) var<storage, read> bHalfFours: array<vec2u>;

fn halves(pair: vec2u) -> vec4f {
  return vec4f(
    halfToFloat(pair.x & 0xffffu), halfToFloat(pair.x >> 16u), halfToFloat(pair.y & 0xffffu), halfToFloat(pair.y >> 16u),
  );
}

struct Tile { row: u32, col: u32, a: vec4u, b: vec4u }

/** The tile of a thread, and where its rows and columns begin, in fours. Beyond the last tile, row is p.rows or more. */
fn tileOf(index: u32) -> Tile {
  let tiles = (p.cols + 3u) / 4u;
  let row = 4u * (index / tiles);
  let col = 4u * (index % tiles);
  let a = p.aAt + p.aRow * min(vec4u(row, row + 1u, row + 2u, row + 3u), vec4u(p.rows - 1u));
  return Tile(row, col, a / 4u, columns(col) / 4u);
}

/** Four rows at depths k .. k + 3, by depth. */
fn loadA(at: vec4u, k: u32) -> mat4x4f {
  if (A_ALONG_K) {
    return transpose(mat4x4f(aFours[at.x + k / 4u], aFours[at.y + k / 4u], aFours[at.z + k / 4u], aFours[at.w + k / 4u]));
  }
  let step = p.aStep / 4u;
  let first = at.x + k * step;
  return mat4x4f(aFours[first], aFours[first + step], aFours[first + 2u * step], aFours[first + 3u * step]);
}

fn loadB(at: vec4u, k: u32) -> mat4x4f {
  if (B_ALONG_K) {
    return transpose(mat4x4f(bFours[at.x + k / 4u], bFours[at.y + k / 4u], bFours[at.z + k / 4u], bFours[at.w + k / 4u]));
  }
  let step = p.bStep / 4u;
  let first = at.x + k * step;
  return mat4x4f(bFours[first], bFours[first + step], bFours[first + 2u * step], bFours[first + 3u * step]);
}

fn loadHalfB(at: vec4u, k: u32) -> mat4x4f {
  if (B_ALONG_K) {
    return transpose(mat4x4f(
      halves(bHalfFours[at.x + k / 4u]), halves(bHalfFours[at.y + k / 4u]), halves(bHalfFours[at.z + k / 4u]), halves(bHalfFours[at.w + k / 4u]),
    ));
  }
  let step = p.bStep / 4u;
  let first = at.x + k * step;
  return mat4x4f(halves(bHalfFours[first]), halves(bHalfFours[first + step]), halves(bHalfFours[first + 2u * step]), halves(bHalfFours[first + 3u * step]));
}

/** sums, by row, plus the product of one depth. */
fn accumulate(sums: mat4x4f, a: vec4f, b: vec4f) -> mat4x4f {
  return mat4x4f(fma(vec4f(a.x), b, sums[0]), fma(vec4f(a.y), b, sums[1]), fma(vec4f(a.z), b, sums[2]), fma(vec4f(a.w), b, sums[3]));
}

fn storeTile(t: Tile, sums: mat4x4f) {
  store(t.row, t.col, sums[0]);
  store(t.row + 1u, t.col, sums[1]);
  store(t.row + 2u, t.col, sums[2]);
  store(t.row + 3u, t.col, sums[3]);
}

@compute @workgroup_size(64)
fn fours(thread: Thread) {
  let t = tileOf(threadIndex(thread));
  if (t.row >= p.rows) { return; }
  var sums = mat4x4f();
  let whole = p.depth / 4u * 4u;
  for (var k = 0u; k < whole; k += 4u) {
    let a = loadA(t.a, k);
    let b = loadB(t.b, k);
    sums = accumulate(accumulate(accumulate(accumulate(sums, a[0], b[0]), a[1], b[1]), a[2], b[2]), a[3], b[3]);
  }
  // Only where neither operand lies along k.
  for (var k = whole; k < p.depth; k++) {
    sums = accumulate(sums, aFours[t.a.x + k * (p.aStep / 4u)], bFours[t.b.x + k * (p.bStep / 4u)]);
  }
  storeTile(t, sums);
}

@compute @workgroup_size(64)
fn foursHalf(thread: Thread) {
  let t = tileOf(threadIndex(thread));
  if (t.row >= p.rows) { return; }
  var sums = mat4x4f();
  for (var k = 0u; k < p.depth; k += 4u) {
    let a = loadA(t.a, k);
    let b = loadHalfB(t.b, k);
    sums = accumulate(accumulate(accumulate(accumulate(sums, a[0], b[0]), a[1], b[1]), a[2], b[2]), a[3], b[3]);
  }
  storeTile(t, sums);
}
