// Objects in pieces: parts that overlap, copies between parts, places that are chosen or indexed, bytes, fills, lifetimes.
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct Pair { int a, b; };
struct Three { int a, b, c; };
struct Odd { char tag; int number; short tail; };
struct Packed { char tag; int number; short tail; } __attribute__((packed));
struct Deep { struct Pair pairs[2]; struct Odd odd; long last; };
struct Pointers { int *first; int *second; };
struct Floats { float x, y, z, w; };
struct Bits { unsigned a : 1, b : 5, c : 11; unsigned long d : 33; };
union Any { struct Pair pair; long whole; double real; float reals[2]; char bytes[8]; int *place; };
typedef int Four __attribute__((vector_size(16)));

void see(void *place);
int ask(void);
extern struct Three shared;
static struct Deep kept;

int array_of_pairs(int n, int m) {
  struct Pair p[3] = {{n, 1}, {2, m}, {n, m}};
  p[1].a += p[0].b;
  p[2] = p[1];
  p[0].b = p[2].b - p[1].a;
  return p[0].a + p[0].b * 3 + p[1].b * 5 + p[2].a * 7 + p[2].b;
}
int indexed_pair(unsigned i, int n) {
  struct Pair p[2] = {{n, 1}, {2, n}};
  p[i & 1].b = 9;
  return p[0].a + p[0].b * 2 + p[1].a * 4 + p[1].b * 8;
}
int indexed_twice(unsigned i, unsigned j, int n) {
  int a[2][3] = {{1, n, 3}, {4, 5, n}};
  a[i & 1][j % 3] ^= 9;
  return a[j & 1][i % 3] + a[0][1] * 16;
}
int indexed_one_field(unsigned i, int n) {
  struct { int list[2], other; } s = {{n, 2}, 3};
  s.list[i & 1] = 7;
  return s.list[0] + s.other * 4 + s.list[1] * 16;
}
int read_by_index(unsigned i, int n) {
  int a[4] = {n, n ^ 1, n + 2, 9};
  return a[i & 3] + a[(i >> 2) & 3];
}
int written_by_index(unsigned i, int n) {
  int a[2] = {1, 2};
  a[i & 1] = n;
  return a[0] * 3 + a[1];
}
int out_of_reach(unsigned i, int n) {
  int a[4] = {n, 2, 3, 4};
  if (i < 4) a[i] = 8;
  return i < 4 ? a[i ^ 1] : a[0];
}
int two_objects(int n) {
  struct Pair p = {n, 1}, q;
  q = p;
  p.a = 5;
  q.b = p.b + q.a;
  p = q;
  return p.a + p.b * 3 + q.a * 7;
}
int overlapping_move(int n) {
  int a[6] = {n, 1, 2, 3, 4, 5};
  memmove(a + 1, a, 16);
  memmove(a, a + 2, 12);
  return a[0] + a[1] * 2 + a[2] * 4 + a[3] * 8 + a[4] * 16 + a[5] * 32;
}
int part_of_other(int n) {
  struct Three t = {n, 2, 3};
  struct Pair p;
  memcpy(&p, &t.b, sizeof p);
  t.a = p.b;
  memcpy(&t.b, &p.a, 4);
  return t.a + t.b * 4 + t.c * 16 + p.a;
}
int same_object_copy(int n) {
  struct Deep d = {{{n, 1}, {2, 3}}, {4, 5, 6}, 7};
  d.pairs[1] = d.pairs[0];
  d.pairs[0].a = 9;
  return d.pairs[0].a + d.pairs[1].a * 2 + d.pairs[1].b * 4 + d.odd.number + (int)d.last;
}
long deep(int n, long l) {
  struct Deep d, e;
  memset(&d, 0, sizeof d);
  d.odd.number = n;
  d.pairs[1].b = 3;
  d.last = l;
  e = d;
  e.odd.tail = (short)n;
  return e.last + e.odd.number * 3 + e.odd.tail + e.pairs[1].b + e.pairs[0].a + d.odd.tag;
}
int filled_in_parts(int n) {
  struct Three t;
  memset(&t, -1, sizeof t);
  t.b = n;
  memset(&t.b, 1, 2);
  return t.a + t.b + t.c;
}
int filled_by_value(int n, char c) {
  int a[4];
  memset(a, c, 16);
  a[1] = n;
  return a[0] + a[1] * 3 + a[3];
}
long filled_across(char c) {
  struct Odd o = {1, 2, 3};
  memset((char *)&o + 2, c, 4);
  long r = o.number;
  return r * 4 + o.tail + o.tag;
}
int unaligned(int n, short s) {
  struct Packed p = {1, n, s};
  int v;
  memcpy(&v, (char *)&p + 3, 4);
  p.tail = 7;
  return v ^ p.number ^ p.tail;
}
int byte_by_byte(int n) {
  int to, from = n;
  for (unsigned i = 0; i < sizeof to; i++) ((char *)&to)[i] = ((char *)&from)[i];
  return to;
}
int bytes_reversed(int n) {
  char b[4];
  memcpy(b, &n, 4);
  char t = b[0];
  b[0] = b[3];
  b[3] = t;
  t = b[1];
  b[1] = b[2];
  b[2] = t;
  memcpy(&n, b, 4);
  return n;
}
long shared_bytes(int n) {
  union Any u;
  u.whole = n;
  u.bytes[2] = 5;
  u.pair.b += 1;
  u.reals[1] = 2.0f;
  return u.whole;
}
double as_double(long n) {
  union Any u;
  u.whole = n & 0x3fffffffffffffff;
  u.bytes[7] |= 0x40;
  return u.real;
}
long as_pointer(int *p) {
  union Any u;
  u.place = p;
  return u.whole & 7;
}
int *pointer_through(int *p, int n) {
  union Any u;
  u.place = p;
  union Any v = u;
  if (n) v.pair.a += 0;
  return v.place;
}
int pointers_in_object(int n) {
  int x = n, y = 3;
  struct Pointers p = {&x, &y};
  *p.first += 2;
  struct Pointers q = {p.second, p.first};
  *q.first = *q.second;
  return x + y * 16;
}
int pointers_chosen(int n, int c) {
  int x = n, y = 3, z = 4;
  struct Pointers p = {&x, &y};
  if (c > 2) p.first = &z;
  *p.first = 5;
  return x + y * 4 + z * 16;
}
int swapped_pointers(int n, int c) {
  int x = n, y = 3;
  int *p = &x, *q = &y;
  if (c & 1) { int *t = p; p = q; q = t; }
  *p += 1;
  *q ^= 3;
  return x * 7 + y;
}
int three_choices(int n, int c) {
  int x = n, y = 3, z = 5;
  int *p = c > 4 ? &x : c > 2 ? &y : &z;
  *p = *p * 2 + 1;
  return x + y * 4 + z * 16;
}
int choice_of_null(int n, int c) {
  int x = n;
  int *p = c ? &x : 0;
  if (p) *p = 3;
  return x + (p == &x);
}
int choice_of_other(int *o, int n, int c) {
  int x = n;
  int *p = c > 2 ? &x : o;
  *p = 4;
  return x + *o;
}
int choice_in_loop(int n) {
  int x = 0, y = 0;
  for (int i = 0; i < (n & 7); i++) *(i & 1 ? &x : &y) += i;
  return x * 16 + y;
}
int choice_then_see(int n, int c) {
  int x = n, y = 4;
  int *p = c ? &x : &y;
  see(p);
  return x + y;
}
int choice_of_part(unsigned c, int n) {
  struct Three t = {n, 2, 3};
  int *p = c & 1 ? &t.a : &t.c;
  *p -= 4;
  p = c & 2 ? p : &t.b;
  return *p + t.a * 3 + t.b * 5 + t.c * 7;
}
int choice_copied(int n, int c) {
  struct Pair p = {n, 1}, q = {3, n}, r;
  memcpy(&r, c > 0 ? &p : &q, sizeof r);
  return r.a * 5 + r.b;
}
int choice_copied_into(int n, int c) {
  struct Pair p = {n, 1}, q = {3, n}, r = {5, 6};
  memcpy(c > 0 ? &p : &q, &r, sizeof r);
  return p.a + p.b * 2 + q.a * 4 + q.b * 8;
}
int step_along(int n) {
  int a[3] = {n, 2, 3};
  int *p = a;
  for (int i = 0; i < 2; i++) *++p += a[i];
  return *p + a[1];
}
int last_place(int n) {
  int x = n, y = 3, *p = &x;
  for (int i = 0; i < (n & 3); i++) p = p == &x ? &y : &x;
  return *p;
}
float vector_in_object(float f) {
  struct Floats v = {f, 2, 3, 4};
  Four w;
  memcpy(&w, &v, 16);
  w[1] ^= 1 << 31;
  memcpy(&v, &w, 16);
  return v.x + v.y * v.z - v.w;
}
int vector_lanes(int n) {
  Four v = {n, 1, 2, 3};
  int a[4];
  memcpy(a, &v, 16);
  a[2] = a[0] - a[3];
  memcpy(&v, a, 16);
  return v[2] + v[n & 3];
}
unsigned long bits(unsigned n, unsigned long m) {
  struct Bits b = {n, n >> 1, n >> 6, m};
  b.c += b.b;
  b.d -= b.a;
  struct Bits c = b;
  c.a ^= 1;
  return c.a + c.b * 2u + c.c * 64ul + (c.d << 17);
}
int volatile_part(int n) {
  struct { int a; volatile int b; int c; } s = {n, 2, 3};
  s.b += s.a;
  s.c = s.b;
  return s.c + s.b;
}
int seen_in_part(int n) {
  struct Three t = {n, 2, 3};
  see(&t.b);
  return t.a + t.b * 3 + t.c * 5;
}
int seen_on_one_way(int n) {
  struct Pair p = {n, 2};
  if (n > 5) { see(&p); p.b += 1; }
  p.a += 3;
  return p.a * p.b;
}
int seen_in_copy(int n) {
  struct Pair p = {n, 2}, q = p;
  see(&q);
  p.a = q.b;
  return p.a + p.b * 3 + q.a * 9;
}
int stored_away(int n, int **out) {
  int x = n, y = 2;
  *out = &x;
  y += ask();
  int r = x + y;
  *out = 0;
  return r;
}
void copied_out(struct Three *to, int n) {
  struct Three t = {n, 2, 3};
  t.b = t.a & 15;
  *to = t;
}
int copied_in(const struct Three *from, int n) {
  struct Three t = *from;
  t.b = n;
  return (t.a & 255) + t.b + (t.c & 15);
}
void copied_through(struct Three *to, const struct Three *from) {
  struct Three t = *from;
  t.c = 5;
  *to = t;
  to->a = from->b;
}
int copied_before_change(struct Three *p, int n) {
  struct Three t = *p;
  p->a = n;
  p->c = t.a;
  return (t.a & 15) + (t.c & 15);
}
int copied_in_loop(const struct Pair *from, int n) {
  struct Pair p = {0, 0};
  for (int i = 0; i < (n & 3); i++) {
    struct Pair q = from[i];
    q.b += p.a & 31;
    p = q;
  }
  return (p.a ^ p.b) & 0xffff;
}
int to_shared(int n) {
  struct Three t = {n, 1, 2};
  shared = t;
  shared.b = 4;
  t = shared;
  return t.a + t.b * 3;
}
long to_kept(int n) {
  struct Deep d = kept;
  d.last += n & 7;
  d.pairs[n & 1].b = 2;
  kept = d;
  return d.last + d.pairs[0].b;
}
int in_branches(int n) {
  struct Pair p;
  if (n > 4) { p.a = 1; p.b = n; }
  else { p.a = n; p.b = 2; }
  return p.a * 10 + p.b;
}
int partly_set(int n) {
  struct Pair p;
  p.a = 1;
  if (n > 4) p.b = n;
  if (n > 6) return p.b;
  return p.a;
}
int in_scopes(int n) {
  int s = 0;
  for (int i = 0; i < (n & 3); i++) {
    int a[2] = {i, n};
    see(a);
    s += a[1] & 63;
    { int b[2]; b[i & 1] = s; b[~i & 1] = 1; s += b[0] * 2; }
  }
  return s;
}
bool truths(int n) {
  bool b[4] = {n & 1, n & 2, n & 4, true};
  b[n & 3] ^= 1;
  bool c = b[0];
  memcpy(&c, &b[2], 1);
  return c & b[3];
}
_Bool bool_as_byte(int n) {
  union { bool b; unsigned char byte; } u;
  u.b = n > 3;
  u.byte ^= 1;
  return u.b;
}
int narrow_of_wide(long l) {
  long a[1] = {l};
  short s[4];
  memcpy(s, a, 8);
  s[1]++;
  memcpy(a, s, 8);
  return (int)(a[0] >> 16) + s[3];
}
long wide_of_narrow(int a, short b) {
  struct { int a; short b, c; } s = {a, b, 7};
  long l;
  memcpy(&l, &s, 8);
  l ^= 1L << 40;
  memcpy(&s, &l, 8);
  return s.a + s.b + s.c + (l >> 3);
}
int middle_of_wide(long l) {
  int m;
  memcpy(&m, (char *)&l + 2, 4);
  return m;
}
long into_middle(long l, int m) {
  memcpy((char *)&l + 3, &m, 4);
  return l;
}
double float_pieces(float a, float b) {
  float f[2] = {a, b};
  double d;
  memcpy(&d, f, 8);
  long l;
  memcpy(&l, &d, 8);
  return l & 1 ? 1.0 : (double)a;
}
int list_of_three(int n) {
  struct N { struct N *next; int v; } c = {0, n}, b = {&c, 2}, a = {&b, 3};
  a.next->next->v += 1;
  b.next = &a;
  return a.v + b.v * 4 + c.v * 16 + b.next->v;
}
int grown(int n) {
  struct { int size; int items[4]; } s;
  s.size = 0;
  for (int i = 0; i < (n & 3); i++) s.items[s.size++] = i * n;
  int r = s.size;
  while (s.size) r = r * 3 + s.items[--s.size];
  return r;
}
int returned_struct_part(int n) {
  struct Pair p = {n, n * 2};
  struct Pair *q = &p;
  struct Three t = {q->a, q->b, 1};
  q = (struct Pair *)&t;
  q->b++;
  return t.b + p.b;
}
long alloca_of(int n) {
  int *p = __builtin_alloca(16);
  p[0] = n;
  p[2] = 3;
  p[3] = p[0] + p[2];
  long l = p[3];
  int *q = __builtin_alloca((n & 3) * 4 + 4);
  q[n & 3] = 7;
  return l + q[n & 3];
}
int unread(int n) {
  struct Three t = {n, 1, 2};
  t.a = ask();
  t.c = t.b;
  return t.b;
}
int atomic_local(int n) {
  int x = n;
  __atomic_fetch_add(&x, 3, __ATOMIC_SEQ_CST);
  int y = __atomic_load_n(&x, __ATOMIC_ACQUIRE);
  return x + y;
}
int exchange_local(int n) {
  int x = n, old = 3;
  bool same = __atomic_compare_exchange_n(&x, &old, 9, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return x + old * 16 + same;
}
