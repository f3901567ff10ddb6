// Operations on single elements, and sums over all of them.

// ---- fill: y = the 32 bits of a value; y [size]
struct Fill { size: u32, bits: u32, yAt: u32 }
@group(0) @binding(0) var<uniform> fillParams: Fill;
@group(0) @binding(1) var<storage, read_write> fillY: array<u32>;

@compute @workgroup_size(64)
fn fill(t: Thread) {
  let i = threadIndex(t);
  if (i >= fillParams.size) { return; }
  fillY[fillParams.yAt + i] = fillParams.bits;
}

// ---- copyHalf: y = x, both f16 [size], from any element to any element; a thread owns a word of y
struct CopyHalf { size: u32, xAt: u32, yAt: u32 }
@group(0) @binding(0) var<uniform> halfParams: CopyHalf;
@group(0) @binding(1) var<storage, read> halfX: array<u32>;
@group(0) @binding(2) var<storage, read_write> halfY: array<u32>;

@compute @workgroup_size(64)
fn copyHalf(t: Thread) {
  let p = halfParams;
  let word = p.yAt / 2u + threadIndex(t);
  if (2u * word >= p.yAt + p.size) { return; }
  var value = halfY[word];
  for (var side = 0u; side < 2u; side++) {
    let at = 2u * word + side;
    if (at < p.yAt || at >= p.yAt + p.size) { continue; }
    let source = p.xAt + at - p.yAt;
    let shift = 16u * side;
    value = (value & ~(0xffffu << shift)) | (halfOf(halfX[source / 2u], source) << shift);
  }
  halfY[word] = value;
}

// ---- add: y += scale · x
struct Add { size: u32, scale: f32, xAt: u32, yAt: u32 }
@group(0) @binding(0) var<uniform> addParams: Add;
@group(0) @binding(1) var<storage, read> addX: array<f32>;
@group(0) @binding(2) var<storage, read_write> addY: array<f32>;

@compute @workgroup_size(64)
fn add(t: Thread) {
  let i = threadIndex(t);
  if (i >= addParams.size) { return; }
  addY[addParams.yAt + i] += addParams.scale * addX[addParams.xAt + i];
}

// ---- swiglu: y = silu(gate) · up
struct Swiglu { size: u32, gateAt: u32, upAt: u32, yAt: u32 }
@group(0) @binding(0) var<uniform> swigluParams: Swiglu;
@group(0) @binding(1) var<storage, read> gate: array<f32>;
@group(0) @binding(2) var<storage, read> up: array<f32>;
@group(0) @binding(3) var<storage, read_write> swigluY: array<f32>;

fn sigmoid(x: f32) -> f32 {
  // Never the exponential of a large number.
  let e = exp(-abs(x));
  return select(e, 1.0, x >= 0.0) / (1.0 + e);
}

@compute @workgroup_size(64)
fn swiglu(t: Thread) {
  let i = threadIndex(t);
  let p = swigluParams;
  if (i >= p.size) { return; }
  let g = gate[p.gateAt + i];
  swigluY[p.yAt + i] = g * sigmoid(g) * up[p.upAt + i];
}

// ---- swigluBackward: dGate = dy · up · silu'(gate), dUp = dy · silu(gate)
struct SwigluBackward { size: u32, gateAt: u32, upAt: u32, dyAt: u32, dGateAt: u32, dUpAt: u32 }
@group(0) @binding(0) var<uniform> swigluBackParams: SwigluBackward;
@group(0) @binding(3) var<storage, read> swigluDy: array<f32>;
@group(0) @binding(4) var<storage, read_write> dGate: array<f32>;
@group(0) @binding(5) var<storage, read_write> dUp: array<f32>;

fn swigluGradient(g: f32, u: f32, dy: f32) -> vec2f {
  let s = sigmoid(g);
  let silu = g * s;
  return vec2f(dy * u * (s + silu * (1.0 - s)), dy * silu);
}

@compute @workgroup_size(64)
fn swigluBackward(t: Thread) {
  let i = threadIndex(t);
  let p = swigluBackParams;
  if (i >= p.size) { return; }
  let gradient = swigluGradient(gate[p.gateAt + i], up[p.upAt + i], swigluDy[p.dyAt + i]);
  dGate[p.dGateAt + i] = gradient.x;
  dUp[p.dUpAt + i] = gradient.y;
}

// ---- swigluInPlace: the same, written over gate and up, as the decoder does it
struct SwigluInPlace { size: u32, dyAt: u32, gateAt: u32, upAt: u32 }
@group(0) @binding(0) var<uniform> inPlaceParams: SwigluInPlace;
@group(0) @binding(1) var<storage, read> inPlaceDy: array<f32>;
@group(0) @binding(2) var<storage, read_write> inPlaceGate: array<f32>;
@group(0) @binding(3) var<storage, read_write> inPlaceUp: array<f32>;

@compute @workgroup_size(64)
fn swigluInPlace(t: Thread) {
  let i = threadIndex(t);
  let p = inPlaceParams;
  if (i >= p.size) { return; }
  let gradient = swigluGradient(inPlaceGate[p.gateAt + i], inPlaceUp[p.upAt + i], inPlaceDy[p.dyAt + i]);
  inPlaceGate[p.gateAt + i] = gradient.x;
  inPlaceUp[p.upAt + i] = gradient.y;
}

// ---- sumBlocks: y[b] = (+=) Σ of x (or x²) over block b of 256 elements; repeated until one is left
struct SumBlocks { size: u32, square: u32, accumulate: u32, xAt: u32, yAt: u32 }
@group(0) @binding(0) var<uniform> sumParams: SumBlocks;
@group(0) @binding(1) var<storage, read> sumX: array<f32>;
@group(0) @binding(2) var<storage, read_write> sumY: array<f32>;

@compute @workgroup_size(64)
fn sumBlocks(t: Thread) {
  let block = threadIndex(t);
  let p = sumParams;
  if (block * 256u >= p.size) { return; }
  var sum = 0.0;
  for (var i = block * 256u; i < min(p.size, block * 256u + 256u); i++) {
    let x = sumX[p.xAt + i];
    sum += select(x, x * x, p.square != 0u);
  }
  if (p.accumulate != 0u) { sum += sumY[p.yAt + block]; }
  sumY[p.yAt + block] = sum;
}

// ---- adamw: one step on param, m, v; the gradient is clipped to maxNorm where that is positive
struct AdamW {
  size: u32, maxNorm: f32, beta1: f32, rest1: f32, beta2: f32, rest2: f32, keep: f32, rate: f32, correction2: f32, eps: f32,
  gradAt: u32, squaresAt: u32, paramAt: u32, mAt: u32, vAt: u32,
}
@group(0) @binding(0) var<uniform> adamwParams: AdamW;
@group(0) @binding(1) var<storage, read> adamwGrad: array<f32>;
@group(0) @binding(2) var<storage, read> adamwSquares: array<f32>;
@group(0) @binding(3) var<storage, read_write> adamwParam: array<f32>;
@group(0) @binding(4) var<storage, read_write> adamwM: array<f32>;
@group(0) @binding(5) var<storage, read_write> adamwV: array<f32>;

@compute @workgroup_size(64)
fn adamw(t: Thread) {
  let i = threadIndex(t);
  let p = adamwParams;
  if (i >= p.size) { return; }
  var g = adamwGrad[p.gradAt + i];
  if (p.maxNorm >= 0.0) { g *= min(1.0, p.maxNorm / (sqrt(adamwSquares[p.squaresAt]) + 1e-6)); }
  let m = p.beta1 * adamwM[p.mAt + i] + p.rest1 * g;
  let v = p.beta2 * adamwV[p.vAt + i] + p.rest2 * g * g;
  adamwM[p.mAt + i] = m;
  adamwV[p.vAt + i] = v;
  let at = p.paramAt + i;
  adamwParam[at] = adamwParam[at] * p.keep - p.rate * m / (sqrt(v) * p.correction2 + p.eps);
}
