// Atomic operations of each kind, order and scope, fences, and a lock that threads of a block take in turn.

#define KERNEL __attribute__((nvptx_kernel))
#define GLOBAL __attribute__((address_space(1)))
#define SHARED __attribute__((address_space(3)))

static SHARED unsigned bins[64];
GLOBAL _Atomic int lock;

static unsigned lane(void) { return __nvvm_read_ptx_sreg_tid_x(); }

KERNEL void histogram(GLOBAL const unsigned char *in, GLOBAL unsigned *out, int count) {
  unsigned me = lane(), size = __nvvm_read_ptx_sreg_ntid_x();
  for (unsigned i = me; i < 64; i += size) bins[i] = 0;
  __syncthreads();
  for (int i = (int)me; i < count; i += (int)size) __nvvm_atom_add_gen_i((int *)&bins[in[i] & 63], 1);
  __syncthreads();
  for (unsigned i = me; i < 64; i += size) __atomic_fetch_add(&out[i], bins[i], __ATOMIC_RELAXED);
}

KERNEL void kinds(GLOBAL int *i, GLOBAL unsigned long *u, GLOBAL float *f, GLOBAL double *d) {
  __atomic_fetch_sub(i, 3, __ATOMIC_SEQ_CST);
  __atomic_fetch_and(i + 1, 0xff, __ATOMIC_ACQUIRE);
  __atomic_fetch_or(i + 2, 1, __ATOMIC_RELEASE);
  __atomic_fetch_xor(i + 3, -1, __ATOMIC_ACQ_REL);
  __atomic_fetch_max(i + 4, 17, __ATOMIC_RELAXED);
  __atomic_fetch_min(u, 5ul, __ATOMIC_RELAXED);
  u[1] = __atomic_exchange_n(u + 2, 9ul, __ATOMIC_ACQ_REL);
  int expected = 7;
  i[6] = __atomic_compare_exchange_n(i + 5, &expected, 8, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) + expected;
  i[7] = (int)__nvvm_atom_inc_gen_ui((unsigned *)(i + 8), 100u);
  f[0] = __nvvm_atom_add_gen_f((float *)(f + 1), 1.5f);
  d[0] = __nvvm_atom_add_gen_d((double *)(d + 1), 2.5);
}

KERNEL void scopes(GLOBAL int *data) {
  int value = __scoped_atomic_load_n(data, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_SYSTEM);
  __scoped_atomic_fetch_add(data + 1, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_or(data + 2, value, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_WRKGRP);
  __scoped_atomic_store_n(data + 3, value, __ATOMIC_RELEASE, __MEMORY_SCOPE_SINGLE);
  __nvvm_membar_cta();
  data[4] = value;
  __nvvm_membar_gl();
  data[5] = value;
  __nvvm_membar_sys();
  data[6] = value;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

KERNEL void locked(GLOBAL int *total, GLOBAL const int *in) {
  for (int done = 0; !done;) {
    int open = 0;
    if (__c11_atomic_compare_exchange_strong(&lock, &open, 1, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
      *total += in[lane()];
      __c11_atomic_store(&lock, 0, __ATOMIC_RELEASE);
      done = 1;
    }
  }
}
