// Before every kernel family. Binding 0 holds a kernel's parameters: whole numbers, then floats, then the element at
// which each tensor begins in its binding (tensors may begin anywhere, bindings only at multiples of 256 bytes).
// A kernel is launched with at least as many threads as it needs; those beyond return early.

/** The weights bound as array<u32> hold f16 pairs instead of f32 bits. */
override HALF: bool = false;

struct Thread {
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) local: u32,
}

fn threadIndex(t: Thread) -> u32 {
  return (t.group.x + t.group.y * t.groups.x) * 64u + t.local;
}

// In integers, because WGSL's own unpacking may turn subnormal f16 numbers into 0.
fn halfToFloat(h: u32) -> f32 {
  let sign = (h & 0x8000u) << 16u;
  let magnitude = h & 0x7fffu;
  if (magnitude < 0x400u) {
    let value = f32(magnitude) * 5.9604644775390625e-8;
    return select(value, -value, sign != 0u);
  }
  // Infinities and NaNs keep the largest exponent.
  let bias = select(0x1c000u, 0x38000u, magnitude >= 0x7c00u);
  return bitcast<f32>(sign | ((magnitude + bias) << 13u));
}

fn halfOf(word: u32, index: u32) -> u32 {
  return (word >> (16u * (index & 1u))) & 0xffffu;
}
