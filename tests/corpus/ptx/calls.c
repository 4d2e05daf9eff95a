// Functions of the device: calls, recursion, pointers to functions, results in memory, printf, assembly, traps.

#define KERNEL __attribute__((nvptx_kernel))
#define GLOBAL __attribute__((address_space(1)))

typedef int (*Operation)(int, int);
typedef struct { long first; int second[3]; } Pair;

int vprintf(const char *format, void *arguments);
extern int elsewhere(int);

static unsigned lane(void) { return __nvvm_read_ptx_sreg_tid_x(); }

__attribute__((noinline)) static int add(int a, int b) { return a + b; }
__attribute__((noinline)) static int multiply(int a, int b) { return a * b; }
__attribute__((noinline)) static int shift(int a, int b) { return b < 0 ? a >> -b : a << b; }
__attribute__((noinline)) int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__attribute__((noinline)) Pair make_pair(int n) {
  Pair pair = {n * 1000000007l, {n, n + 1, n + 2}};
  return pair;
}

__attribute__((noinline)) int take_pair(Pair pair, unsigned char at) {
  pair.second[1] += 5;
  return pair.second[at % 3] + (int)(pair.first >> 7);
}

__attribute__((noinline)) void wait_for_all(void) { __syncthreads(); }

KERNEL void pointers(GLOBAL int *out, int which) {
  static const Operation operations[] = {add, multiply, shift};
  unsigned me = lane();
  out[me] = operations[(which + me) % 3]((int)me, which);
}

KERNEL void nested(GLOBAL int *out, int n) {
  unsigned me = lane();
  out[me] = fibonacci((int)me % 20) + elsewhere(n);
  wait_for_all();
  out[me] += take_pair(make_pair(out[me ^ 1]), (unsigned char)n);
}

KERNEL void print(GLOBAL const int *in) {
  struct { int who; double what; const char *name; } arguments = {(int)lane(), in[lane()] / 4.0, "name"};
  if (in[lane()] > 100) vprintf("%d: %f %s\n", &arguments);
}

KERNEL void assembly(GLOBAL unsigned *out, unsigned long bits) {
  unsigned id, reversed;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(id));
  asm("brev.b32 %0, %1;" : "=r"(reversed) : "r"(id + 1));
  asm volatile("bar.sync 1, 64;" ::: "memory");
  out[lane()] = reversed ^ (unsigned)__nvvm_read_ptx_sreg_clock();
  if (bits == 0) __builtin_trap();
  if (bits == 1) asm volatile("exit;");
  out[lane() + 64] = (unsigned)__builtin_clzl(bits) + (unsigned)__builtin_ctzl(bits);
}
