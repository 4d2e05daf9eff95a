// Control flow that differs from thread to thread: early exits, switches, goto into loops, and what must stay where it is.

#define KERNEL __attribute__((nvptx_kernel))
#define GLOBAL __attribute__((address_space(1)))
#define SHARED __attribute__((address_space(3)))

static SHARED int board[128];

static unsigned lane(void) { return __nvvm_read_ptx_sreg_tid_x(); }

KERNEL void early_exit(GLOBAL const int *in, GLOBAL int *out, int limit) {
  unsigned me = lane();
  int steps = 0;
  for (int value = in[me]; value != 1; steps++) {
    if (value <= 0) {
      out[me] = -1;
      return;
    }
    if (steps > limit) break;
    if (value % 2 == 0) {
      value /= 2;
      continue;
    }
    value = value * 3 + 1;
  }
  out[me] = steps;
}

KERNEL void choose(GLOBAL const int *in, GLOBAL int *out) {
  unsigned me = lane();
  int value = in[me], result;
  switch (value & 15) {
    case 0: result = value + 1; break;
    case 1: result = value * value; break;
    case 2:
    case 3: result = value << 3;  // falls through
    case 4: result = value - 7; break;
    case 9: out[me] = 9; return;
    case 12: result = out[me] / (value | 1); break;
    default: result = 0;
  }
  board[me] = result;
  __syncthreads();
  out[me] = board[127 - me];
}

KERNEL void irreducible(GLOBAL int *data, int n) {
  unsigned me = lane();
  int i = 0, sum = 0;
  if (data[me] & 1) goto middle;
top:
  sum += i * 3;
  if (sum > 1000) goto done;
middle:
  sum ^= data[me + i];
  i++;
  if (i < n) goto top;
done:
  data[me] = sum;
}

KERNEL void vote(GLOBAL const int *in, GLOBAL int *out) {
  unsigned me = lane();
  int value = in[me];
  if (__nvvm_vote_any_sync(0xffffffffu, value < 0)) value = -value;
  unsigned mask = __nvvm_vote_ballot_sync(0xffffffffu, value > 10);
  for (int step = 16; step > 0; step /= 2) value += __nvvm_shfl_sync_down_i32(0xffffffffu, value, step, 31);
  if (me % 32 == 0) {
    __nvvm_bar_warp_sync(1u);
    board[me / 32] = value;
  }
  __syncthreads();
  if (__nvvm_bar0_or(value == 3)) out[1000] = 1;
  out[me] = board[me / 32] + (int)__builtin_popcount(mask) + __nvvm_bar0_popc(value & 1);
}

KERNEL void rounds(GLOBAL int *data, int n) {
  unsigned me = lane();
  int round = 0;
  do {
    board[me] = data[me] + round;
    __syncthreads();
    int left = board[(me + 127) % 128], right = board[(me + 1) % 128];
    __syncthreads();
    if (left > right) {
      data[me] = left;
      if (round % 3 == 0) data[me] += right;
    } else if (left < right) {
      data[me] = right;
    }
  } while (__nvvm_bar0_and(++round < n && data[me] < 5000));
}
