// Copies that run beside the computation, matrix units, and waiting: what only newer devices have.

#define KERNEL __attribute__((nvptx_kernel))
#define GLOBAL __attribute__((address_space(1)))
#define SHARED __attribute__((address_space(3)))

static SHARED float stage[2][128];
static SHARED unsigned short tile[256];

static unsigned lane(void) { return __nvvm_read_ptx_sreg_tid_x(); }

KERNEL void staged(GLOBAL const float *in, GLOBAL float *out, int rounds) {
  unsigned me = lane();
  __nvvm_cp_async_ca_shared_global_4(&stage[0][me], &in[me]);
  __nvvm_cp_async_commit_group();
  float sum = 0.0f;
  for (int round = 0; round < rounds; round++) {
    if (round + 1 < rounds) {
      __nvvm_cp_async_ca_shared_global_4(&stage[(round + 1) & 1][me], &in[(round + 1) * 128 + me]);
      __nvvm_cp_async_commit_group();
      __nvvm_cp_async_wait_group(1);
    } else {
      __nvvm_cp_async_wait_all();
    }
    __syncthreads();
    sum += stage[round & 1][127 - me];
    __syncthreads();
  }
  out[me] = sum;
}

KERNEL void units(GLOBAL const unsigned short *a, GLOBAL float *out) {
  unsigned me = lane();
  for (unsigned i = me; i < 256; i += 32) tile[i] = a[i];
  __syncthreads();
  int left[8], right[8];
  float sum[8] = {0};
  __hmma_m16n16k16_ld_a(left, (const int *)(const void *)tile, 16, 0);
  __hmma_m16n16k16_ld_b(right, (const int *)(const void *)tile, 16, 0);
  for (int round = 0; round < 3; round++) __hmma_m16n16k16_mma_f32f32(sum, left, right, sum, 0, 0);
  __hmma_m16n16k16_st_c_f32((float *)out, sum, 16, 0);
}

KERNEL void gather(GLOBAL const int *in, GLOBAL int *out) {
  unsigned me = lane();
  int value = in[me];
  unsigned same = __nvvm_match_any_sync_i32(0xffffffffu, value);
  int all;
  unsigned everyone = __nvvm_match_all_sync_i32p(0xffffffffu, value, &all);
  while (value > 0) {
    if (value & 1) __nvvm_nanosleep(20);
    value = __nvvm_redux_sync_min(value - 1, 0xffffffffu);
  }
  out[me] = value + (int)(same ^ everyone) + all;
}
