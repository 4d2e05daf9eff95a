// Loads and stores whose values are known, or are not: overlaps, loops, calls, globals, types.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct Pair { int first; float second; };
struct Box { int used, room; int *items; };

int counter;
static int hidden = 3;
static int never_written = 7;
static const int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
const char words[] = "one two";
static int cells[16];
extern int elsewhere;
void others(void);
int pure_of(int) __attribute__((const));
int reads(void) __attribute__((pure));

int forwards(int *p, int n) {
  *p = n;
  return *p + p[0];
}

int may_alias(int *p, int *q, int n) {
  *p = n;
  *q = 4;
  return *p;
}

int next_to(int *p, int n) {
  p[0] = n;
  p[1] = 4;
  ((char *)p)[3] = 1;
  return p[0] + p[1];
}

int overlaps(short *p, int n) {
  p[0] = 1;
  p[1] = 2;
  *(int *)(void *)p = n;
  p[1] = 3;
  return p[0] + p[1];
}

float types(struct Pair *p, int *q) {
  p->second = 1.5f;
  *q = 4;
  p->first = *q;
  return p->second + (float)*q;
}

int restricted(int *restrict p, int *restrict q) {
  *p = 1;
  *q = 2;
  return *p;
}

int around_call(int *p) {
  *p = 5;
  counter = 6;
  hidden++;
  others();
  return *p + counter + hidden + never_written;
}

int around_const(int *p, int n) {
  *p = 5;
  counter = n;
  int r = pure_of(n) + pure_of(n);
  return *p + counter + r;
}

int around_read(int *p) {
  int a = reads();
  *p = 3;
  int b = reads();
  int c = reads();
  *p = 4;
  return a + b + c;
}

int dead_store(int *p, int n) {
  *p = 1;
  if (n) *p = 2;
  else *p = 3;
  return n;
}

int dead_unless(int *p, int n) {
  *p = 1;
  if (n > 2) *p = 2;
  return n;
}

int read_between(int *p, int n) {
  *p = 1;
  int r = n > 2 ? *p : 0;
  *p = n;
  return r;
}

int sunk(int *p, const int *in, int n) {
  for (int i = 0; i < (n & 7); i++) *p += in[i] & 15;
  return n;
}

int sunk_restricted(int *restrict p, const int *restrict in, int n) {
  for (int i = 0; i < (n & 7); i++) *p += in[i] & 15;
  return *p;
}

int global_sum(const int *in, int n) {
  counter = 0;
  for (int i = 0; i < (n & 7); i++) counter += in[i] & 15;
  return counter;
}

int hidden_sum(int n) {
  for (int i = 0; i < (n & 7); i++) {
    hidden += i;
    if (hidden > 20) hidden -= 20;
  }
  return hidden;
}

int unchanging(int *p, int *q, int n) {
  int s = 0;
  for (int i = 0; i < (n & 7); i++) {
    s += *q;
    p[i] = s;
  }
  return s;
}

int bound_in_memory(struct Box *b, int n) {
  int s = 0;
  b->used = n & 7;
  for (int i = 0; i < b->used; i++) s += primes[i];
  return s;
}

int previous(int *a, int n) {
  for (int i = 1; i < (n & 7); i++) a[i] = (a[i - 1] & 255) + i;
  return a[0];
}

int two_before(int *a, int n) {
  for (int i = 2; i < (n & 7); i++) a[i] = (a[i - 1] ^ a[i - 2]) + 1;
  return a[1];
}

int prime(unsigned n) { return primes[n & 7] + primes[2] + words[1] + words[n % 7]; }

int cell(unsigned i, unsigned j, int n) {
  cells[i & 15] = n;
  cells[j & 15] = 2;
  return cells[i & 15];
}

int cells_apart(unsigned i, int n) {
  cells[i & 7] = n;
  cells[(i & 7) + 8] = 2;
  return cells[i & 7];
}

int both_ways(int *p, int n) {
  int v;
  if (n > 3) {
    *p = n;
    v = 1;
  } else {
    v = *p & 63;
  }
  return v + *p;
}

int one_way(int *p, int *q, int n) {
  int v = *p;
  if (n > 3) *q = 2;
  return v + *p;
}

int in_switch(int *p, int n) {
  switch (n & 3) {
  case 0: *p = 1; break;
  case 1: *p = 2; break;
  case 2: return *p;
  default: *p += n & 15;
  }
  return *p;
}

int zeroed(int n) {
  int *p = calloc(4, sizeof *p);
  if (!p) return -1;
  p[n & 3] = 5;
  int r = p[0] + p[1];
  free(p);
  return r;
}

int allocated(int n) {
  int *p = malloc(8), *q = malloc(8);
  int r = 0;
  if (p && q) {
    p[0] = n;
    q[0] = 2;
    p[1] = q[0];
    r = p[0] + p[1];
  }
  free(p);
  free(q);
  return r;
}

int grown(struct Box *b, int n) {
  int local[4];
  b->items = local;
  b->used = 0;
  b->room = 4;
  for (int i = 0; i < 6; i++)
    if (b->used < b->room) b->items[b->used++] = n + i;
  int s = 0;
  for (int i = 0; i < b->used; i++) s ^= b->items[i];
  b->items = 0;
  return s;
}

void copies(char *to, const char *from) {
  memcpy(to, from, 8);
  to[3] = from[3];
  memset(to + 2, 0, 3);
  to[2] = 1;
}

int copied(int *p, int *q) {
  p[0] = 1;
  p[1] = 2;
  memmove(q, p, 8);
  return q[0] + q[1] + p[1];
}

int set(char *p) {
  memset(p, 7, 8);
  int n;
  memcpy(&n, p + 2, 4);
  return n + p[6];
}

int exchanges(int *p, int *q) {
  int t = *p;
  *p = *q;
  *q = t;
  return *p - *q;
}

int ordered(int *p, int n) {
  *p = 1;
  __atomic_store_n(&counter, n, __ATOMIC_RELEASE);
  *p = 2;
  int v = __atomic_load_n(&counter, __ATOMIC_ACQUIRE);
  return *p + v;
}

int atomic_add(int *p, int n) {
  *p = n & 15;
  int before = __atomic_fetch_add(p, 2, __ATOMIC_SEQ_CST);
  return before + *p;
}

int waits(volatile int *p, int *q) {
  *q = 1;
  int a = *p;
  int b = *p;
  *q = 2;
  return (a & 15) + (b & 15) + *q;
}

int histogram(int *bins, const unsigned char *in, int n) {
  for (int i = 0; i < 4; i++) bins[i] = 0;
  for (int i = 0; i < (n & 7); i++) bins[in[i] & 3]++;
  return bins[0] + bins[3];
}

int first_time(int n) {
  static int is_made, made;
  if (!is_made) {
    made = n & 31;
    is_made = 1;
  }
  return made;
}

uint64_t pieces(const uint8_t *p) {
  uint64_t v = 0;
  for (int i = 7; i >= 0; i--) v = v << 8 | p[i];
  return v;
}

void spread(uint8_t *p, uint32_t v) {
  p[0] = (uint8_t)v;
  p[1] = (uint8_t)(v >> 8);
  p[2] = (uint8_t)(v >> 16);
  p[3] = (uint8_t)(v >> 24);
}

struct Wide { int first, second; long third; };

float both_types(int *p, float *q, int n) {
  float s = 0;
  for (int i = 0; i < (n & 7); i++) {
    *p = i;
    *(float *)(void *)p = 1.5f;
    s += *q;
  }
  return s;
}

int types_in_loop(struct Pair *p, const float *f, int n) {
  for (int i = 0; i < (n & 7); i++) {
    p->first += (int)f[0];
    if (i & 1) p->second = 1.0f;
  }
  return p->first;
}

int known_on_one_way(struct Pair *p, float *f, int n) {
  if (n > 2) p->first = n;
  int v = *(int *)p;
  *f = 2.0f;
  return v + p->first;
}

int known_on_two_ways(int *p, int *q, int n) {
  switch (n & 3) {
  case 0: *p = 1; break;
  case 1: *p = 2; break;
  case 2: *q = 3; break;
  default: return 0;
  }
  return *p + *q;
}

int first_is_other(struct Wide *w, struct Pair *p) {
  w->first = 1;
  p->first = 2;
  w->second = 3;
  p->second = 4.0f;
  w->third = 5;
  return w->first + w->second + (int)w->third;
}

int whole_of_parts(struct Wide *to, const struct Wide *from) {
  to->second = 9;
  struct Wide w = *from;
  *to = w;
  to->third = w.first;
  return to->second + (int)to->third + w.second;
}

int kept_over_loop(int *p, int *q, int n) {
  *p = 3;
  for (int i = 0; i < (n & 7); i++) q[2 * i + 1] = i;
  return *p + p[1];
}

int written_before_read(int *p, int n) {
  int s = 0;
  for (int i = 0; i < (n & 7); i++) {
    p[0] = i * 3;
    s += p[0] + p[1];
    p[1] = s & 15;
  }
  return s;
}

int last_written(int *p, int n) {
  int *q = 0;
  for (int i = 0; i < (n & 7); i++) {
    q = p + i;
    *q = i;
  }
  return q ? *q : -1;
}

int read_backwards(const int *p, int n) {
  int s = 0;
  for (int i = n & 7; i-- > 0;) s = s * 3 + p[i] - p[i + 1];
  return s;
}

int unknown_place(int *p, unsigned i, int n) {
  p[1] = n;
  p[i & 3] = 7;
  int a = p[1];
  p[i & 3] = 8;
  return a + p[1] + p[i & 3];
}

int written_when_left(int *p, int n) {
  for (int i = 0;; i++) {
    p[0] = i;
    if (i >= (n & 7)) {
      p[1] = i;
      break;
    }
    p[2] = i;
  }
  return p[0] + p[1];
}

int not_written_at_all(int *p, int n) {
  int v = *p;
  if (n & 1) *p = v;
  *p = *p;
  return v;
}

int freed_late(int n) {
  int *p = malloc(16);
  if (!p) return 0;
  for (int i = 0; i < 4; i++) p[i] = n + i;
  int s = p[n & 3];
  p[0] = 0;
  free(p);
  return s;
}

__attribute__((no_builtin("malloc"))) int own_allocation(int n) {
  int *p = malloc(4);
  int *q = calloc(1, 4);
  free(q);
  return n + (p == 0);
}

int same_twice(int n) {
  int *p = malloc(4), *q = malloc(4);
  int r = p == q && p != 0;
  if (p) *p = n;
  int v = p ? *p : 0;
  free(p);
  free(q);
  return r + v;
}

static int *kept_place;
int place_of_local(int n) {
  int local = n, other = 2;
  kept_place = &local;
  others();
  other += local;
  kept_place = 0;
  return other + local;
}

int global_place(int *p) {
  hidden = 4;
  *p = 5;
  counter = 6;
  *p += 1;
  return hidden + counter;
}

int opaque(int *p, int n) {
  *p = n;
  __asm__ volatile("" : : "r"(p) : "memory");
  int v = *p;
  __asm__("" : "+r"(v));
  return v;
}
