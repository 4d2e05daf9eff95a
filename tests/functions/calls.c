// Functions that call each other: small, recursive, through addresses, with constants, with effects that can be told.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

struct Pair { long a, b; };
struct Big { int items[6]; };
struct Ops { int (*apply)(int, int); int bias; };

void note(int);
int ask(void);
_Noreturn void fails(int);

static int twice(int x) { return x + x; }
static int clamp(int x, int lo, int hi) { return x < lo ? lo : x > hi ? hi : x; }
static void put(int *p, int v) { *p = v; }
static int get(const int *p, int i) { return p[i & 3]; }
static __attribute__((noinline)) int square(int x) { return (x & 255) * (x & 255); }
static __attribute__((noinline)) int scale(int x, int by, int mode) { return mode ? (x & 15) * by : x; }
static __attribute__((noinline)) int reads_only(const int *p) { return *p + 1; }
static __attribute__((noinline)) void writes_only(int *p, int v) { *p = v; }
static __attribute__((noinline)) int never_used_result(int *p) { *p = 3; return 5; }
static __attribute__((noinline)) struct Pair pair(long n) { struct Pair p = {n, n + 1}; return p; }
static inline __attribute__((always_inline)) int always(int x) { return x ^ 5; }

int small(int x) { return twice(x & 7) + twice(3) + always(x); }
int clamped(int x) { return clamp(x, 0, 100) + clamp(x, -5, 5); }
int through(int *p, int x) { put(p, x); return get(p, 0) + get(p, x); }
int local_through(int x) { int a[4] = {1, 2, 3, 4}; put(&a[2], x); return get(a, 2) + get(a, x); }
int pure_calls(int x) { return square(x) + square(x) + square(4); }
int constant_mode(int x) { return scale(x, 3, 1) + scale(x + 1, 3, 1); }
int around_reader(int *p, int x) { *p = x; int r = reads_only(p); return r + *p; }
int around_writer(int *p, int *q, int x) { *p = 1; writes_only(q, x); return *p; }
int dead_call(int *p, int x) { square(x); never_used_result(p); return x; }
long of_pair(long n) { struct Pair p = pair(n & 31); return p.a * p.b; }

static int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
int fact(int n) { return factorial(n & 7); }
static int sum_down(int n, int acc) { if (n == 0) return acc; return sum_down(n - 1, acc + n); }
int sums(int n) { return sum_down(n & 15, 0); }
static int even(int n);
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
int parity(int n) { return even(n & 15); }
int fibonacci(int n) { n &= 7; return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
static int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
int ack(int m, int n) { return ackermann(m & 1, n & 3); }
static void walk(int n, int *sum) { if (n <= 0) return; *sum += n; walk(n - 2, sum); }
int walked(int n) { int s = 0; walk(n & 15, &s); return s; }
static int product(const int *p, int n) { return n == 0 ? 1 : (p[n - 1] & 3) * product(p, n - 1); }
int multiplied(const int *p, int n) { return product(p, n & 3); }

static int plus(int a, int b) { return a + b; }
static int minus(int a, int b) { return a - b; }
static int fold(int (*f)(int, int), const int *p, int n) { int s = 0; for (int i = 0; i < (n & 3); i++) s = f(s, p[i] & 31); return s; }
int folded(const int *p, int n) { return fold(plus, p, n) * 100 + fold(minus, p, n); }
int picked(int n) { return (n > 2 ? plus : minus)(n & 15, 2); }
static int (*const ops[3])(int, int) = {plus, minus, plus};
int from_table(unsigned n) { return ops[n % 3](5, 3); }
static int biased(const struct Ops *o, int x) { return o->apply(x, o->bias); }
int with_ops(int x) { struct Ops o = {minus, 7}; return biased(&o, x & 63); }
int unknown_callee(int (*f)(int), int x) { return f(x) + f(x); }

static int checked(int x) { if (x < 0) fails(x); return x; }
int all_checked(int x, int y) { return checked(x & 15) + checked(y); }
static int logs(int x) { note(x); return x & 3; }
int logged(int x) { int a = logs(x); int b = logs(a); return a + b; }
static int asks_until(int n) { while (n-- > 0) if (ask() & 1) return 1; return 0; }
int asked(int n) { return asks_until(n & 3) + asks_until(2); }
int early(int x) { if (x == 3) return ask(); note(x); return x == 4 ? ask() : 0; }

static struct Big big(struct Big b, int n) { b.items[n & 3] += 1; return b; }
int of_big(int n) { struct Big b = {{n & 7, 1, 2, 3, 4, 5}}; struct Big c = big(b, 2); c = big(c, n); return c.items[2] * 10 + c.items[0] + b.items[2]; }
static int sum_of(int n, ...) { va_list l; va_start(l, n); int s = 0; for (int i = 0; i < n; i++) s += va_arg(l, int); va_end(l); return s; }
int variadic(int n) { return sum_of(2, n & 7, 3); }
static jmp_buf place;
static int jumps(int n) { if (setjmp(place)) return 1; if (n > 100) longjmp(place, 1); return n & 3; }
int jumped(int n) { return jumps(n) + 1; }
static int sized(int n) { int a[(n & 3) + 1]; for (int i = 0; i <= (n & 3); i++) a[i] = i * n; return a[n & 3]; }
int any_size(int n) { int s = 0; for (int i = 0; i < 3; i++) s += sized((n & 15) + i); return s; }
static int large(int x, int y) {
  int s = 0;
  for (int i = 0; i < 4; i++) { s += (x & 15) * i; if (s > y) s -= y & 7; s ^= i << 2; }
  switch (s & 3) { case 0: s += 9; break; case 1: s -= 4; break; case 2: s *= 2; break; default: break; }
  return s & 0xffff;
}
int larges(int x, int y) { return large(x, y) + large(y, 7) + large(3, 4); }
static int only_once(int *p) { int s = 0; for (int i = 0; i < 4; i++) { s += p[i] & 7; p[i] = s; } return s; }
int calls_once(int *p) { return only_once(p) + p[2]; }
static int unread(int x, int unused) { return x & unused & 0; }
int passes(int x) { return unread(x, ask()); }
static int unreached(int x) { return x + ask(); }
int leaves(int x) { if (0) return unreached(x); return x; }

static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
int swaps(int *p, int n) { int x = n, y = 3; swap(&x, &y); swap(p, &x); return x * 5 + y; }
static int next(int *state) { *state = *state * 5 + 1; return *state & 15; }
int generated(int n) { int state = n & 255, s = 0; for (int i = 0; i < 3; i++) s = s * 16 + next(&state); return s + (state & 1); }
static struct Pair sum_pairs(struct Pair a, struct Pair b) { a.a += b.a; a.b ^= b.b; return a; }
long pairs(long n) { struct Pair p = {n & 15, 2}, q = {3, n & 7}; p = sum_pairs(p, q); q = sum_pairs(p, q); return p.a * 100 + q.b; }
static int deep3(int x) { return x & 1 ? x + 3 : x; }
static int deep2(int x) { return deep3(x) + deep3(x + 1); }
static int deep1(int x, int k) { return k ? deep2(x) : deep3(x); }
int deep(int x) { return deep1(x & 31, 1) * deep1(x & 7, 0); }
static __attribute__((noinline)) int first_of(const int *p, int n) { return n > 0 ? p[0] : 0; }
int firsts(const int *p) { return (first_of(p, 3) & 15) + (first_of(p + 1, 3) & 15); }
static __attribute__((noinline)) int maybe_ask(int a) { return a ? ask() : 0; }
int not_asked(int n) { return maybe_ask(0) + maybe_ask(0) + n; }
static __attribute__((noinline)) void set_all(int *p, int n, int v) { for (int i = 0; i < n; i++) p[i] = v; }
int sets(int *p) { set_all(p, 3, 7); p[1]++; set_all(p + 4, 2, 7); return p[0] + p[1]; }
static __attribute__((noinline)) int *same_place(int *p) { return p; }
int at_same_place(int *p, int n) { int *q = same_place(p); *p = n & 15; *q += 1; return *p; }
static int depth(int n) { return n > 20 ? 1 : 1 + depth(n * 2 + 1); }
int depths(int n) { return depth(n & 7) * 2 + depth(3); }
static int find(const int *p, int n, int x) { if (n == 0) return -1; if (p[n - 1] == x) return n - 1; return find(p, n - 1, x); }
int finds(const int *p, int x) { return find(p, 5, x); }
static int alternate(int n, int a, int b) { if (n <= 0) return a - b; return alternate(n - 1, b, a + n); }
int alternates(int n) { return alternate(n & 7, 1, 2); }
static int tree(const int *p, int i) { if (i >= 7) return 0; return (p[i] & 7) + tree(p, 2 * i + 1) + tree(p, 2 * i + 2); }
int trees(const int *p) { return tree(p, 0); }
int after_failure(int x) { if (x > 100) { note(1); fails(2); } return x + 1; }
int cold(int x) { if (__builtin_expect(x < 0, 0)) { for (int i = 0; i < 3; i++) note(i); return -1; } return twice(x & 63); }
static int (*stored_callee)(int, int) = plus;
void choose_callee(int n) { stored_callee = n ? minus : plus; }
int call_stored(int n) { return stored_callee(n & 7, 2); }
static int reached_by_table(int n) { switch (n & 7) { case 0: return ask(); case 1: return plus(n & 63, 1); case 2: return minus(n & 63, 1); case 3: note(n); return 3; case 4: return small(n); default: return n & 63; } }
int by_table(int n) { return reached_by_table(n) + reached_by_table(2); }
