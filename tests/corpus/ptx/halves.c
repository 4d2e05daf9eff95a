// Halves, by themselves and in pairs, and sums of pairs of bytes.

#define KERNEL __attribute__((nvptx_kernel))
#define GLOBAL __attribute__((address_space(1)))

typedef _Float16 half2 __attribute__((ext_vector_type(2)));

KERNEL void halves(GLOBAL const _Float16 *in, GLOBAL _Float16 *out, float factor) {
  unsigned me = __nvvm_read_ptx_sreg_tid_x();
  _Float16 h = in[me];
  out[me] = h * (_Float16)factor + (h > (_Float16)1.0f ? h : (_Float16)0.5f);
}

KERNEL void pairs(GLOBAL const half2 *in, GLOBAL half2 *out, int n) {
  unsigned me = __nvvm_read_ptx_sreg_tid_x();
  half2 sum = {0, 1};
  for (int i = 0; i < n; i++) {
    half2 pair = in[me + i * 32];
    sum = sum * pair + pair.yx;
    if (sum.x > (_Float16)100.0f) sum.x = (_Float16)0.5f;
  }
  out[me] = sum;
}
