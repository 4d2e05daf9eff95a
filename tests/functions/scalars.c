// Numbers: bits, ranges, comparisons, choices, conversions, divisions.
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

int least(int a, int b) { return a < b ? a : b; }
int of_three(int a, int b, int c) { int m = a > b ? a : b; return m > c ? m : c; }
unsigned difference(unsigned a, unsigned b) { return a > b ? a - b : b - a; }
int magnitude(int a) { return a < 0 ? -(a + 1) : a; }
int sign(int a) { return (a > 0) - (a < 0); }
uint8_t saturated(uint8_t a, uint8_t b) { unsigned s = a + b; return s > 255 ? 255 : (uint8_t)s; }
int16_t saturated_signed(int a) { return a > 32767 ? 32767 : a < -32768 ? -32768 : (int16_t)a; }
unsigned rotated(unsigned a, unsigned n) { n &= 31; return a << n | a >> (-n & 31); }
unsigned swapped(unsigned a) { return a >> 24 | (a >> 8 & 0xff00) | (a << 8 & 0xff0000) | a << 24; }
unsigned counted(unsigned a) {
  a = a - (a >> 1 & 0x55555555);
  a = (a & 0x33333333) + (a >> 2 & 0x33333333);
  return ((a + (a >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}
bool power_of_two(unsigned a) { return a && !(a & (a - 1)); }
unsigned lowest(unsigned a) { return a & -a; }
unsigned next_power(unsigned a) { a--; a |= a >> 1; a |= a >> 2; a |= a >> 4; a |= a >> 8; a |= a >> 16; return a + 1; }
int average(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
bool in_range(int a) { return a >= 10 && a < 20; }
bool out_of_range(unsigned a) { return a < 10 || a >= 20; }
bool letter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
int digit(int c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }
int days(int month) {
  switch (month) {
  case 2: return 28;
  case 4: case 6: case 9: case 11: return 30;
  default: return 31;
  }
}
int sparse(int a) { switch (a) { case 1: return 5; case 100: return 7; case 1000: return a & 3; case -4: return 9; } return 0; }
int chained(int a, int b) { if (a > 5) { if (b > 5) return 1; if (b > 2) return 2; } else if (b < a) return 3; return 4; }
int implied(int a) { if (a > 10) { if (a > 5) return 1; return 2; } if (a > 10) return 3; return a == 11 ? 4 : 5; }
int equal(int a, int b) { if (a == b) return a - b; if (a == 7) return a * 2; return b; }
int nulls(int *p) { if (!p) return 0; if (p) return *p & 7; return 2; }
int guards(const int *p, int n) { return p && n > 0 && p[0] == n ? p[1] & 15 : -1; }
int either(const int *p, int n) { if (n < 0 || p[n & 3] > 4) return 1; return 0; }
int both_store(int *p, int n) { if (n > 0) { p[0] = n; p[1] = 1; } else { p[0] = -1; p[1] = 1; } return p[1]; }
int one_stores(int *p, int n) { int old = *p; if (n > 4) *p = n; return old; }
int divided(int a, int b) { return b ? a / 8 + a % 8 : 0; }
unsigned divides(unsigned a, unsigned b) { return a / 10 + a % 10 + (b ? a / b : 0); }
int exact(int a) { return (a & ~3) / 4 * 4; }
bool divisible(unsigned a) { return a % 6 == 0 && a % 2 == 0; }
int64_t product(int a, int b) { return (int64_t)a * b >> 3; }
uint32_t high(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a * b >> 32); }
int extended(int8_t a, uint16_t b) { return (a << 4) + (b >> 2) + (int8_t)b; }
bool overflows(int a, int b) { int r; return __builtin_add_overflow(a, b, &r) || r < 0; }
int checked_product(int a, int b) { int r; return __builtin_mul_overflow(a, b, &r) ? INT_MAX : r; }
unsigned checked_sum(unsigned a, unsigned b) { return a + b < a ? UINT_MAX : a + b; }
int zeros(unsigned a) { return a ? __builtin_clz(a) + __builtin_ctz(a) : 64; }
int blend(int a, int b, int mask) { return (a & mask) | (b & ~mask); }
int masks(int a, int b) { return (a & -(b > 3)) + (a | -(b < 3)); }
int identities(int a, int b) { return (a ^ a) + (a | 0) + (a & -1) + (b - b) + (a * 1) + (b << 0) + (~(~a)) + -(-b); }
int combined(int a, int b) { return ((a + 3) + 5) - ((b - 2) - a) + (a & 12 & 10) + (b | 5 | 2); }
int factored(int a, int b, int c) { return (a & 31) * (b & 31) + (a & 31) * (c & 31); }
bool compares(int a, int b) { return (a < b) == !(b <= a) && (a + 1 > a) && ((a ^ b) == 0) == (a == b); }
unsigned shifts(unsigned a, unsigned n) { n &= 15; return (a << n >> n) + (a >> n << n) + (a >> 4 >> 3) + (a << 2 << 1); }
int signed_shifts(int a) { return (a >> 3 >> 2) + (int)((unsigned)a << 24) / 16777216 + (a >> 31 & 7); }
float floats(float a, float b) { return a * 1.0f + b * 2.0f - -a + (a - 0.0f) / 4.0f; }
bool ordered(float a, float b) { return (a < b || a >= b) && !(a != a); }
double picks(double a, double b) { return fmax(a, 0.0) + fmin(b, 1.0) + fabs(a) + copysign(1.0, b); }
int truncated(float a) { return a > -100.0f && a < 100.0f ? (int)a : 0; }
float converted(int a, unsigned b) { return (float)(a & 1023) + (float)(b >> 24); }
double both(int a) { double d = a; return (int)d == a ? d : -1.0; }
int ladder(int a) { if (a < 10) return 1; if (a < 20) return 2; if (a < 30) return 3; if (a < 20) return 4; return 5; }
int merged(int a, int b) { int r; if (a) r = b + 1; else r = b + 1; if (a) r += 2; else r -= 2; return r; }
int correlated(int a, int *p) { int r = 0; if (a) *p = 1; r = *p & 3; if (a) r += 4; if (!a) r += 8; return r; }
int lazily(int a, int b) { int x = (a & 31) * (b & 31) + 7; if (a > 5) return x; return b; }
int partly(int a, int b) { int x = a ^ b, y = x * 3; if (a) return y; if (b > 2) return x; return 0; }
bool assumed(unsigned a) { if (a > 20) __builtin_unreachable(); return a < 32 && (a & 32) == 0; }
int hinted(int a) { return __builtin_expect(a == 3, 0) ? a * 100 : a & 63; }
int bits_of(int a) { return ((a >> 3) & 1) | ((a & 1) << 1) | ((a & 2) != 0) << 2; }
bool all_set(unsigned a) { return (a & 7) == 7 || (a & 1 && a & 2 && a & 8); }
int nested_choice(int a, int b, int c) { return a ? b ? 1 : c ? 2 : 3 : b ? c ? 1 : 3 : 2; }
