// Local objects: fields, arrays, unions, bits, copies, places that are chosen, and ones that others get to see.
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct Point { int x, y; };
struct Line { struct Point from, to; };
struct Mixed { char tag; bool open; short size; int number; double weight; };
union Word { uint32_t whole; uint16_t halves[2]; uint8_t bytes[4]; float real; };
struct Flags { unsigned low : 3, middle : 7, high : 6; int rest; };
struct Node { struct Node *next; int value; };

void see(void *place);
int look(const int *place);
void give(struct Point *out, int x);

int area(int x, int y, int u, int v) {
  struct Line line = {{x, y}, {u, v}};
  struct Line copy = line;
  return (copy.to.x - copy.from.x) * (copy.to.y - line.from.y);
}

int swap_if(int a, int b) {
  struct Point p = {a, b};
  if (a > b) {
    int t = p.x;
    p.x = p.y;
    p.y = t;
  }
  return p.x * 31 + p.y;
}

uint32_t halves(uint32_t n) {
  union Word w;
  w.whole = n;
  w.halves[0] += 3;
  return w.bytes[1] + w.halves[1] * 2u + (w.whole >> 7);
}

uint32_t sign(float f) {
  union Word w;
  w.real = f;
  w.bytes[3] &= 0x7f;
  return w.whole;
}

double mixed(int n, double d) {
  struct Mixed m = {'a', n > 3, (short)n, n * 2, d};
  struct Mixed other;
  memcpy(&other, &m, sizeof m);
  other.size -= 2;
  if (m.open) other.number += other.tag;
  return other.open ? other.weight + other.size : (double)other.number;
}

unsigned flags(unsigned n) {
  struct Flags f = {n, n >> 3, n >> 9, 5};
  f.low += 1;
  f.high ^= f.middle;
  return f.low | f.middle << 4 | f.high << 12 | (unsigned)f.rest << 20;
}

int chosen(int n, int m) {
  int a = n, b = m;
  int *p = n < m ? &a : &b;
  *p += 10;
  return a * 3 - b;
}

int chosen_field(int n, int i) {
  struct Point p = {n, n + 1}, q = {i, i - 1};
  struct Point *which = i & 1 ? &p : &q;
  int *field = i & 2 ? &which->x : &which->y;
  *field = 7;
  return p.x + p.y * 2 + q.x * 4 + q.y * 8;
}

int chosen_late(int n) {
  int a[2] = {1, 2}, b = 3;
  int *p = 0;
  if (n > 4) p = a;
  else if (n > 2) p = &b;
  if (p) *p = n;
  return a[0] + a[1] + b;
}

int table(unsigned i) {
  int squares[4] = {0, 1, 4, 9};
  return squares[i & 3];
}

int filled(int i, int n) {
  int a[8];
  memset(a, 0, sizeof a);
  a[i & 7] = n;
  a[3] += 2;
  return a[3] + a[(i + 1) & 7];
}

int parts(int n) {
  int a[6] = {n, n + 1, n + 2, n + 3, n + 4, n + 5};
  int b[4];
  memcpy(b, a + 1, sizeof b);
  memcpy(a, b + 1, 8);
  memmove(a + 1, a, 12);
  return a[0] + a[1] * 3 + a[2] * 5 + a[3] * 7 + b[0] * 11 + b[3] * 13;
}

int bytes(int n) {
  char raw[16];
  memset(raw, 0x11, 12);
  memcpy(raw + 2, &n, 4);
  int out;
  memcpy(&out, raw + 4, 4);
  raw[5]++;
  return out + raw[5] + raw[0];
}

int escapes(int n) {
  struct Point p = {n, 2};
  int q = 5;
  see(&p);
  q += p.y;
  p.x = q;
  return p.x + q;
}

int escapes_late(int n) {
  int a = n, r = 0;
  for (int i = 0; i < 3; i++) {
    a += i;
    r += a;
    if (n == i) see(&a);
  }
  return r + a;
}

int is_only_read(int n) {
  int a = n;
  int first = look(&a);
  a++;
  return first + a + look(&a);
}

int out_parameter(int n) {
  struct Point p;
  give(&p, n);
  return p.x - p.y;
}

int loop_in_object(const int *in, int n) {
  struct { int sum, least, greatest, count; } s = {0, 1 << 30, -(1 << 30), 0};
  for (int i = 0; i < (n & 7); i++) {
    s.sum += in[i] & 255;
    if (in[i] < s.least) s.least = in[i];
    if (in[i] > s.greatest) s.greatest = in[i];
    if (in[i] & 1) s.count++;
  }
  return s.sum + s.count * 1000 + (s.least < s.greatest);
}

int walks(const int *in) {
  int a[4];
  int *p = a;
  for (int i = 0; i < 4; i++) *p++ = in[i] ^ i;
  int s = 0;
  while (p != a) s = s * 3 + *--p;
  return s;
}

int list(int n) {
  struct Node c = {0, n}, b = {&c, 2}, a = {&b, 1};
  int s = 0;
  for (struct Node *p = &a; p; p = p->next) s += p->value & 63;
  return s;
}

struct Point made(int n) {
  struct Point p = {n, -n};
  return p;
}

struct Line made_in_memory(struct Line l, int n) {
  l.to = made(n);
  l.from.y++;
  return l;
}

int takes(int n) {
  struct Line l = {{1, 2}, {n, 4}};
  struct Line m = made_in_memory(l, n & 15);
  return l.from.y + m.from.y * 10 + m.to.x * 100 + m.to.y;
}

bool truth(int n, bool b) {
  bool a[3] = {n > 1, b, !b};
  a[1] ^= a[0];
  return a[1] & a[(unsigned)n % 3];
}

int old_value(int n) {
  volatile int v = n;
  int w = v;
  v = w + 1;
  return v + w;
}

int swapped(int n) {
  int a[2][2] = {{1, n}, {2, 3}};
  int t[2];
  memcpy(t, a[0], 8);
  memcpy(a[0], a[1], 8);
  memcpy(a[1], t, 8);
  return a[0][0] + a[0][1] * 10 + a[1][0] * 100 + (a[1][1] & 7) * 1000;
}

int grid(int i, int j) {
  int g[3][4];
  for (int y = 0; y < 3; y++)
    for (int x = 0; x < 4; x++) g[y][x] = y * 4 + x;
  g[1][2] = -1;
  return g[(unsigned)i % 3][j & 3];
}

long pointer_bits(int n) {
  int a[3] = {n, 1, 2};
  int *p = &a[2], *q = &a[(unsigned)n & 1];
  return (p - q) * 16 + (p > q) + *q % 8;
}

int64_t wide(int lo, int hi) {
  int pair[2] = {lo, hi};
  int64_t both;
  memcpy(&both, pair, 8);
  both += 1;
  memcpy(pair, &both, 8);
  return pair[0] ^ both;
}

int half_of_double(double d) {
  double whole[1] = {d};
  int halves[2];
  memcpy(halves, whole, 8);
  return halves[1];
}

double double_of_halves(int n) {
  int halves[2] = {n, 0x40000000};
  double whole[1];
  memcpy(whole, halves, 8);
  return whole[0];
}

int one_half_twice(int n, double d) {
  double whole[2] = {d, 2.0};
  int halves[4], again[4];
  halves[1] = n;
  memcpy(&halves[2], &whole[1], 8);
  memcpy(again, halves, 16);
  return again[1] + again[3];
}

int chosen_second(int n, int c) {
  struct Point p = {n, 1}, q = {2, n};
  int *which = c > 0 ? &p.y : &q.y;
  *which += 5;
  return p.x + p.y * 3 + q.x * 5 + q.y * 7;
}

int chosen_first(int n, int c) {
  struct Point p = {n, 1}, q = {2, n};
  int *which = c > 0 ? &p.x : &q.x;
  *which = 5;
  return p.x + p.y * 3 + q.x * 5 + q.y * 7;
}

int chosen_inside(int n, int c) {
  struct Line l = {{n, 1}, {2, n}};
  int *which = c > 0 ? &l.from.y : &l.to.x;
  *which = 5;
  return l.from.x + l.from.y * 3 + l.to.x * 5 + l.to.y * 7;
}

short chosen_short(int n, int c) {
  struct Mixed m = {1, 0, (short)n, n, 1.0}, k = {2, 1, 5, n, 2.0};
  short *which = c > 0 ? &m.size : &k.size;
  short old = *which;
  *which = 9;
  return (short)(old + m.size + k.size * 2);
}

int copied_in_turn(int n) {
  struct Point a = {n, 1}, b = {2, 3}, c;
  c = a;
  a = b;
  b = c;
  struct Point *p = n > 3 ? &a : &b;
  return p->x + a.y * 10 + b.y * 100;
}

int in_and_out(struct Line *l, int n) {
  struct Line local = *l;
  local.from.x += n;
  local.to = local.from;
  *l = local;
  return local.to.x - l->to.y;
}

float vectors(float a, float b) {
  typedef float v4 __attribute__((vector_size(16)));
  v4 v = {a, b, 1, 2};
  float parts[4];
  memcpy(parts, &v, 16);
  parts[2] += parts[0];
  memcpy(&v, parts, 16);
  v = v * v;
  return v[2] + v[3];
}
