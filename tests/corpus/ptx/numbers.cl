// Numbers of every width: doubles, wide products, saturation, conversions, and functions of the hardware.

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define AT (__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x())

kernel void floats(global const float *in, global float *out) {
  uint i = AT;
  float x = in[i];
  float y = __nvvm_sqrt_rn_f(x) + __nvvm_ex2_approx_f(x) * __nvvm_rcp_rn_f(x + 2.0f);
  if (__builtin_isnan(y) || y > 1e30f) y = __nvvm_fabs_f(x);
  out[i] = __nvvm_fma_rn_f(y, x, __nvvm_fmin_f(x, 0.25f)) + __nvvm_sin_approx_f(x);
}

kernel void doubles(global const double *in, global long *out, double bound) {
  uint i = AT;
  double x = in[i];
  double low = 0.0, high = x < 1.0 ? 1.0 : x;
  for (int round = 0; round < 60 && high - low > bound; round++) {
    double middle = (low + high) * 0.5;
    if (middle * middle < x) low = middle;
    else high = middle;
  }
  out[i] = (long)(low * 1e9) + __nvvm_d2i_rn(high);
}

kernel void integers(global const long *in, global ulong *out, char narrow, ushort mask) {
  uint i = AT;
  long x = in[i];
  ulong u = (ulong)x;
  out[4 * i] = (ulong)__nvvm_mulhi_i((int)x, 0x12345678) + (u >> (narrow & 63));
  out[4 * i + 1] = (u << 13) | (u >> 51);
  out[4 * i + 2] = (uchar)narrow * (u % 1000003u) + (mask & (ushort)u);
  out[4 * i + 3] = (ulong)__nvvm_prmt((uint)u, (uint)(u >> 32), 0x5410u) + (x < 0 ? (ulong)-x : u);
}

kernel void vectors(global const uchar4 *in, global int2 *out, global short8 *wide) {
  uint i = AT;
  uchar4 bytes = in[i];
  int4 ints = (int4)(bytes.x, bytes.y, bytes.z, bytes.w);
  int4 shifted = ints << (int4)(1, 2, 3, 4);
  out[i] = shifted.hi - shifted.lo * 3;
  short8 values = wide[i];
  values.odd += values.even;
  values[i & 7] = 5;
  wide[i] = values;
}
