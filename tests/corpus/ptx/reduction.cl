// Sums, maxima and scans of a block: barriers in loops, and local memory whose size the caller decides.

#define LANE __nvvm_read_ptx_sreg_tid_x()
#define BLOCK __nvvm_read_ptx_sreg_ctaid_x()
#define SIZE __nvvm_read_ptx_sreg_ntid_x()

kernel void sum_tree(global const float *in, global float *out, uint count, local float *part) {
  uint lane = LANE, at = BLOCK * SIZE + lane;
  float own = 0.0f;
  for (uint i = at; i < count; i += SIZE * __nvvm_read_ptx_sreg_nctaid_x()) own += in[i];
  part[lane] = own;
  __syncthreads();
  for (uint step = SIZE / 2; step > 0; step >>= 1) {
    if (lane < step) part[lane] += part[lane + step];
    __syncthreads();
  }
  if (lane == 0) out[BLOCK] = part[0];
}

kernel void largest(global const int *in, global int *out, uint count) {
  local int best[256];
  local uint where[256];
  uint lane = LANE;
  best[lane] = INT_MIN;
  where[lane] = 0;
  for (uint i = lane; i < count; i += SIZE) {
    int value = in[i];
    if (value > best[lane]) {
      best[lane] = value;
      where[lane] = i;
    }
  }
  __syncthreads();
  if (lane == 0) {
    uint chosen = 0;
    for (uint i = 1; i < SIZE; i++)
      if (best[i] > best[chosen]) chosen = i;
    out[0] = best[chosen];
    out[1] = (int)where[chosen];
  }
}

kernel void scan(global const uint *in, global uint *out) {
  local uint two[2][256];
  uint lane = LANE, from = 0;
  two[0][lane] = in[BLOCK * SIZE + lane];
  __syncthreads();
  for (uint distance = 1; distance < SIZE; distance *= 2) {
    uint value = two[from][lane];
    if (lane >= distance) value += two[from][lane - distance];
    from ^= 1;
    two[from][lane] = value;
    __syncthreads();
  }
  out[BLOCK * SIZE + lane] = two[from][lane];
}
