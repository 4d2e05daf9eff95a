// Products of matrices through tiles in local memory, a transposition, and one with vectors of four.

#define X __nvvm_read_ptx_sreg_tid_x()
#define Y __nvvm_read_ptx_sreg_tid_y()
#define TILE 16

kernel void product(global const float *a, global const float *b, global float *c, int n) {
  local float tile_a[TILE][TILE], tile_b[TILE][TILE + 1];
  int row = __nvvm_read_ptx_sreg_ctaid_y() * TILE + Y, column = __nvvm_read_ptx_sreg_ctaid_x() * TILE + X;
  float sum = 0.0f;
  for (int tile = 0; tile * TILE < n; tile++) {
    int k = tile * TILE;
    tile_a[Y][X] = row < n && k + X < n ? a[row * n + k + X] : 0.0f;
    tile_b[Y][X] = k + Y < n && column < n ? b[(k + Y) * n + column] : 0.0f;
    __syncthreads();
#pragma unroll 4
    for (int i = 0; i < TILE; i++) sum = __builtin_fmaf(tile_a[Y][i], tile_b[i][X], sum);
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

kernel void transpose(global const double *in, global double *out, int width, int height) {
  local double tile[TILE][TILE + 1];
  int x = __nvvm_read_ptx_sreg_ctaid_x() * TILE + X, y = __nvvm_read_ptx_sreg_ctaid_y() * TILE + Y;
  if (x < width && y < height) tile[Y][X] = in[y * width + x];
  __syncthreads();
  x = __nvvm_read_ptx_sreg_ctaid_y() * TILE + X;
  y = __nvvm_read_ptx_sreg_ctaid_x() * TILE + Y;
  if (x < height && y < width) out[y * height + x] = tile[X][Y];
}

kernel void fours(global const float4 *matrix, constant float4 *vector, global float4 *out, int n) {
  int row = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + X;
  if (row >= n) return;
  float4 sum = (float4)(0.0f, 0.0f, 0.0f, 0.0f);
  for (int i = 0; i < n; i++) {
    float4 m = matrix[row * n + i];
    sum += m * vector[i] + m.wzyx;
  }
  sum.xz = sum.zx;
  out[row] = select(sum, -sum, sum < (float4)1.0f);
}
