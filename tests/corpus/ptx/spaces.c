// Every address space: global, shared, constant, local, generic, parameters; variables in each, and casts between them.

#define KERNEL __attribute__((nvptx_kernel))
#define GLOBAL __attribute__((address_space(1)))
#define SHARED __attribute__((address_space(3)))
#define CONSTANT __attribute__((address_space(4)))
#define LOCAL __attribute__((address_space(5)))

typedef struct {
  int count;
  float scale;
  double weights[4];
  GLOBAL float *target;
} Settings;

CONSTANT const float table[8] = {0.5f, 1.5f, -2.0f, 4.0f, 8.25f, 0.0f, 1e-3f, 77.0f};
GLOBAL int counter = 41;
GLOBAL Settings kept;
extern SHARED unsigned char pool[];
static SHARED double column[64];

static unsigned lane(void) { return __nvvm_read_ptx_sreg_tid_x(); }

__attribute__((noinline)) static float through_generic(const float *anywhere, int at) { return anywhere[at] * 2.0f; }

KERNEL void by_value(Settings settings, GLOBAL float *out) {
  unsigned me = lane();
  float sum = 0.0f;
  for (int i = 0; i < settings.count; i++) sum += table[i & 7] * settings.scale + (float)settings.weights[i & 3];
  out[me] = sum;
  settings.target[me] = -sum;
  settings.scale = sum;
  kept = settings;
}

KERNEL void casts(GLOBAL const float *in, GLOBAL float *out) {
  unsigned me = lane();
  SHARED float *floats = (SHARED float *)pool;
  floats[me] = in[me];
  __syncthreads();
  float private_values[8];
  for (int i = 0; i < 8; i++) private_values[(i * 5 + me) & 7] = floats[me ^ i];
  const float *either = me & 1 ? (const float *)(floats + 4) : (const float *)in;
  out[me] = through_generic(either, 3) + through_generic(private_values, me & 7) + through_generic((const float *)table, 2);
}

KERNEL void variables(GLOBAL int *out) {
  unsigned me = lane();
  column[me] = (double)me / 3.0;
  __syncthreads();
  if (me == 0) counter += (int)column[63];
  volatile int *watched = (volatile int *)&counter;
  out[me] = *watched + (int)sizeof(SHARED void *) + kept.count;
  LOCAL int *hidden = (LOCAL int *)(unsigned long)(me * 4);
  if (out[me] == 123456) *hidden = 1;
}

KERNEL void bytes(GLOBAL unsigned char *to, GLOBAL const unsigned char *from, int count) {
  struct { unsigned char inside[40]; } block;
  __builtin_memcpy(&block, (const void *)from, sizeof block);
  for (int i = 0; i < count; i++) block.inside[i % 40] ^= (unsigned char)i;
  __builtin_memcpy((void *)to, &block, sizeof block);
  __builtin_memset((void *)pool, 0, 16);
  to[40] = pool[3];
}
