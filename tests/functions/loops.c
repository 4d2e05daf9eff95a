// Loops: how they count, leave, nest, decide, and what does not change in them.
#include <stdint.h>

int probe(int);
void done(void);

int up(int n) { int s = 0; for (int i = 0; i < (n & 31); i++) s += i; return s; }
int down(int n) { int s = 0; for (int i = n & 31; i > 0; i--) s ^= i * 3; return s; }
unsigned by_three(unsigned n) { unsigned s = 0; for (unsigned i = 0; i < (n & 31); i += 3) s += i; return s; }
unsigned until_equal(unsigned n) { unsigned s = 1; for (unsigned i = 0; i != (n & 15); i++) s *= 3; return s; }
int at_least_once(int n) { int i = 0, s = 0; do { s += i; i += 2; } while (i < (n & 15)); return s; }
unsigned halved(unsigned n) { unsigned s = 0; while (n) { s += n & 1; n >>= 1; } return s; }
uint8_t narrow(uint8_t n) { uint8_t s = 0; for (uint8_t i = 0; i < n; i++) s = (uint8_t)(s + i * 7); return s; }
int wraps(unsigned char from) { int s = 0; for (unsigned char i = from; i != 0; i++) s++; return s; }
int signed_steps(int a, int b) { int s = 0; for (int i = a & 15; i <= (b & 15); i += 4) s += i; return s; }
int64_t widened(const int *p, int n) { int64_t s = 0; for (int i = 0; i < (n & 7); i++) s += p[i]; return s; }
int offset(const int *p, int n) { int s = 0; for (unsigned i = 0; i < (unsigned)(n & 7); i++) s += p[i + 1]; return s; }
int four(const int *p) { int s = 0; for (int i = 0; i < 4; i++) s += p[i] * (i + 1); return s; }
int backwards(const int *p) { int s = 0; for (int i = 3; i >= 0; i--) s = s * 5 + p[i]; return s; }

int finds(const int *p, int n, int x) {
  for (int i = 0; i < (n & 7); i++)
    if (p[i] == x) return i;
  return -1;
}

int skips(const int *p, int n) {
  int s = 0;
  for (int i = 0; i < (n & 7); i++) {
    if (p[i] < 0) continue;
    if (p[i] > 1000) break;
    s += p[i];
  }
  return s;
}

int invariant(const int *p, int n, int a, int b) {
  int s = 0;
  for (int i = 0; i < (n & 7); i++) s += p[i] * (a * b + 3) / (b | 1);
  return s;
}

int divides(int n, int d) {
  int s = 0;
  for (int i = 0; i < (n & 7); i++)
    if (d != 0) s += 100 / d;
  return s;
}

int unswitched(int *p, int n, int mode) {
  int s = 0;
  for (int i = 0; i < (n & 7); i++) {
    if (mode > 3) p[i] = i;
    else s += p[i] & 7;
  }
  return s;
}

int unswitched_exit(const int *p, int n, int mode) {
  int i = 0;
  while (i < (n & 7)) {
    if (mode == 1 && (p[i] & 1)) break;
    i++;
  }
  return i;
}

int modes(int n, int m) {
  int s = 0;
  for (int i = 0; i < (n & 15); i++) switch (m & 3) {
    case 0: s += i; break;
    case 1: s -= i; break;
    case 2: s ^= i; break;
    default: s = 0;
    }
  return s;
}

int machine(const char *p, int n) {
  int state = 0, s = 0;
  for (int i = 0; i < (n & 15); i++) switch (state) {
    case 0: if (p[i] > 64) state = 1; else s++; break;
    case 1: if (p[i] < 32) state = 2; else s += 2; break;
    case 2: if (p[i] == 0) return s; state = 0; s += 4; break;
    }
  return s * 4 + state;
}

int nest(int n, int m) {
  int s = 0;
  for (int i = 0; i < (n & 7); i++)
    for (int j = i; j < (m & 7); j++) s += i * j;
  return s;
}

int leaves_both(int n, int x) {
  for (int i = 0; i < (n & 7); i++)
    for (int j = 0; j < 4; j++)
      if (i * j == x) return i * 16 + j;
  return -1;
}

int triangle(int *a, int n) {
  n &= 3;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) a[i * 3 + j] += a[j * 3 + i];
  return a[0];
}

void transposed(int a[4][4]) {
  for (int i = 0; i < 4; i++)
    for (int j = i + 1; j < 4; j++) {
      int t = a[i][j];
      a[i][j] = a[j][i];
      a[j][i] = t;
    }
}

void product(int c[4][4], int a[4][4], int b[4][4]) {
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      int s = 0;
      for (int k = 0; k < 4; k++) s += a[i][k] * b[k][j];
      c[i][j] = s;
    }
}

void sized_product(int n, float *restrict c, const float *restrict a, const float *restrict b) {
  n &= 3;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      c[i * n + j] = 0;
      for (int k = 0; k < n; k++) c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

int calls(int n) {
  int s = 0;
  for (int i = 0; i < (n & 3); i++) {
    int v = probe(i);
    if (v > 100) { done(); break; }
    s += v & 15;
  }
  return s;
}

int last_value(const int *p, int n) {
  int last = -1, i = 0;
  for (; i < (n & 7); i++)
    if (p[i] & 1) last = i;
  return last * 8 + i;
}

int two_counters(int n) { int i = 0, j = 20; while (i < j && i < (n & 15)) { i += 2; j -= 3; } return i * 32 + j; }
unsigned gcd(unsigned a, unsigned b) { a &= 63; b &= 63; while (b) { unsigned t = a % b; a = b; b = t; } return a; }
unsigned collatz(unsigned n) { unsigned s = 0; for (n &= 15, n |= 1; n != 1 && s < 20; s++) n = n & 1 ? 3 * n + 1 : n / 2; return s; }
unsigned fib(unsigned n) { unsigned a = 0, b = 1; for (n &= 31; n--;) { unsigned t = a + b; a = b; b = t; } return a; }
unsigned power(unsigned x, unsigned n) { unsigned r = 1; for (n &= 31; n; n >>= 1, x *= x) if (n & 1) r *= x; return r; }
int root(int n) { int r = 0; n &= 1023; while ((r + 1) * (r + 1) <= n) r++; return r; }
uint32_t crc(const uint8_t *p, int n) {
  uint32_t c = ~0u;
  for (int i = 0; i < (n & 3); i++) {
    c ^= p[i];
    for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0xEDB88320u : c >> 1;
  }
  return ~c;
}
int sorted(int *a) {
  for (int i = 1; i < 5; i++) {
    int v = a[i], j = i;
    while (j > 0 && a[j - 1] > v) { a[j] = a[j - 1]; j--; }
    a[j] = v;
  }
  return a[0];
}
int bisect(const int *a, int x) {
  int lo = 0, hi = 8;
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    if (a[mid] < x) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}
int length(const char *s) { int n = 0; while (n < 12 && s[n]) n++; return n; }
int same(const char *a, const char *b) { int i = 0; for (; i < 6 && a[i] == b[i]; i++) if (!a[i]) return 0; return i; }
int jumps(int n) {
  int s = 0, i = 0;
  if (n & 1) goto middle;
top:
  s += 2;
middle:
  s += i;
  if (++i < (n & 7)) goto top;
  if (s > 30 && i < 10) { i += 3; goto middle; }
  return s;
}
int peels(const int *p, int n) {
  int prev = 0, s = 0;
  for (int i = 0; i < (n & 7); i++) {
    if (i == 0) s = 5;
    else s += p[i] - prev;
    prev = p[i];
  }
  return s;
}
int splits(const int *p, int n) { int s = 0; for (int i = 0; i < 8; i++) s += i < (n & 7) ? p[i] : 2; return s; }
int never(int n) { int s = 0; for (int i = 5; i < 5; i++) s += n; return s; }
int once(int n) { int s = 0; for (int i = 0; i < 1; i++) s += n; return s; }
float fsum(const float *p, int n) { float s = 0; for (int i = 0; i < (n & 7); i++) s += p[i] * 0.5f; return s; }
