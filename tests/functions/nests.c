// Nests of loops, and loops over arrays: strides, distances, reductions, conditions, counters of every kind.
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

int ask(int);
extern int grid[8][8];

void plain(int *restrict a, const int *restrict b, int n) { for (int i = 0; i < n; i++) a[i] = b[i] * 3 + 1; }
void in_place(int *a, int n) { for (int i = 0; i < n; i++) a[i] = a[i] * 2 + i; }
void one_ahead(int *a, int n) { for (int i = 0; i + 1 < n; i++) a[i] = a[i + 1] + 1; }
void one_behind(int *a, int n) { for (int i = 1; i < n; i++) a[i] = a[i - 1] + 1; }
void four_behind(int *a, int n) { for (int i = 4; i < n; i++) a[i] = a[i - 4] + 1; }
void three_behind(int *a, int n) { for (int i = 3; i < n; i++) a[i] = a[i - 3] ^ i; }
void eight_behind(short *a, int n) { for (int i = 8; i < n; i++) a[i] = (short)(a[i - 8] + 3); }
void stride_two(int *restrict a, const int *restrict b, int n) { for (int i = 0; i < n; i++) a[i] = b[2 * i] + b[2 * i + 1]; }
void stride_two_out(int *restrict a, const int *restrict b, int n) { for (int i = 0; i < n; i++) { a[2 * i] = b[i]; a[2 * i + 1] = -b[i]; } }
void stride_three(int *restrict a, const int *restrict b, int n) { for (int i = 0; i < n; i++) a[i] = b[3 * i] + b[3 * i + 2]; }
void falling(int *restrict a, const int *restrict b, int n) { for (int i = n - 1; i >= 0; i--) a[i] = b[i] + 2; }
void crossing(int *restrict a, const int *restrict b, int n) { for (int i = 0; i < n; i++) a[i] = b[n - 1 - i]; }
void pointers(int *restrict p, const int *restrict q, int n) { const int *e = q + n; while (q < e) *p++ = *q++ + 5; }
void by_bytes(uint8_t *restrict a, const uint8_t *restrict b, int n) { for (int i = 0; i < n; i++) a[i] = (uint8_t)((a[i] + b[i] + 1) >> 1); }
void widens(int *restrict a, const short *restrict b, int n) { for (int i = 0; i < n; i++) a[i] = b[i] * 3; }
void narrows(uint8_t *restrict a, const int *restrict b, int n) { for (int i = 0; i < n; i++) a[i] = (uint8_t)(b[i] >> 4); }
void to_float(float *restrict a, const int *restrict b, int n) { for (int i = 0; i < n; i++) a[i] = (float)b[i] * 0.5f; }
void from_double(int *restrict a, const double *restrict b, int n) { for (int i = 0; i < n; i++) a[i] = b[i] > 0 ? (b[i] < 100 ? (int)b[i] : 100) : 0; }
void conditional(int *restrict a, const int *restrict b, int n) { for (int i = 0; i < n; i++) if (b[i] > 3) a[i] = b[i]; }
void conditional_else(int *restrict a, const int *restrict b, int n) { for (int i = 0; i < n; i++) if (b[i] > 3) a[i] = b[i]; else a[i] = -1; }
void conditional_two(int *restrict a, int *restrict c, const int *restrict b, int n) { for (int i = 0; i < n; i++) { if (b[i] & 1) a[i] = b[i]; if (b[i] & 2) c[i] = i; } }
void conditional_load(int *restrict a, const int *restrict b, int n) { for (int i = 0; i < n; i++) a[i] = i & 1 ? b[i] : i; }
void clamps(short *a, int n) { for (int i = 0; i < n; i++) a[i] = (short)(a[i] > 100 ? 100 : a[i] < -100 ? -100 : a[i]); }
void invariant_store(int *restrict a, const int *restrict b, int n) { for (int i = 0; i < n; i++) a[0] = b[i]; }
void invariant_load(int *restrict a, const int *restrict b, int n) { for (int i = 0; i < n; i++) a[i] = b[2] + i; }
void checked_overlap(int *a, const int *b, int n) { for (int i = 0; i < n; i++) a[i] = b[i] ^ 9; }
void checked_two(int *a, const int *b, const int *c, int n) { for (int i = 0; i < n; i++) a[i] = b[i] + c[i]; }
void checked_offset(int *a, int *b, int n) { for (int i = 0; i < n; i++) { a[i] = 1; b[i + 2] = a[i] + 1; } }
void indirect(int *restrict a, const int *restrict b, const uint8_t *restrict at, int n) { for (int i = 0; i < n; i++) a[i] = b[at[i] & 7]; }
int sum(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
int product_of(const int *p, int n) { int s = 1; for (int i = 0; i < n; i++) s *= p[i] | 1; return s; }
int xors(const int *p, int n) { int s = 5; for (int i = 0; i < n; i++) s ^= p[i]; return s; }
int ands(const int *p, int n) { int s = -1; for (int i = 0; i < n; i++) s &= p[i] | 3; return s; }
int ors(const uint8_t *p, int n) { int s = 0; for (int i = 0; i < n; i++) s |= p[i]; return s; }
int greatest(const int *p, int n) { int s = -5; for (int i = 0; i < n; i++) s = p[i] > s ? p[i] : s; return s; }
unsigned least_unsigned(const unsigned *p, int n) { unsigned s = 90; for (int i = 0; i < n; i++) if (p[i] < s) s = p[i]; return s; }
int place_of_greatest(const int *p, int n) { int at = 0; for (int i = 1; i < n; i++) if (p[i] > p[at]) at = i; return at; }
int sum_if(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) if (p[i] > 3) s += p[i]; return s; }
int count_if(const uint8_t *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i] == 7; return s; }
bool any(const int *p, int n) { bool s = false; for (int i = 0; i < n; i++) s |= p[i] > 50; return s; }
bool all(const int *p, int n) { bool s = true; for (int i = 0; i < n; i++) s = s && p[i] != 9; return s; }
long sum_wide(const int *p, int n) { long s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
long sum_products(const short *p, const short *q, int n) { long s = 0; for (int i = 0; i < n; i++) s += p[i] * q[i]; return s; }
int two_sums(const int *p, int n) { int s = 0, t = 0; for (int i = 0; i < n; i++) { s += p[i]; t += s & 7; } return s ^ t; }
int sum_and_greatest(const int *p, int n) { int s = 0, m = 0; for (int i = 0; i < n; i++) { s += p[i]; m = m > p[i] ? m : p[i]; } return s + m * 3; }
float sum_float(const float *p, int n) { float s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
double greatest_double(const double *p, int n) { double s = 0; for (int i = 0; i < n; i++) s = p[i] > s ? p[i] : s; return s; }
int previous_value(const int *p, int *restrict q, int n) { int last = 3; for (int i = 0; i < n; i++) { q[i] = p[i] - last; last = p[i]; } return last; }
int seen_in_loop(const int *p, int *restrict q, int n) { int s = 0; for (int i = 0; i < n; i++) { s += p[i]; q[i] = s; } return s; }
int late_exit(const int *p, int n) { int i = 0; for (; i < n; i++) if (p[i] == 4) break; return i; }
int counter_after(int n) { int i = 0; while (i < n) i += 3; return i; }
unsigned counter_unsigned(unsigned n, unsigned m) { unsigned s = 0; for (unsigned i = m; i < n; i += 5) s += i; return s; }
int counter_down_by_two(int n) { int s = 0; for (int i = n & 31; i > 1; i -= 2) s += i; return s; }
int counter_not_equal(int n) { int s = 0; for (int i = 0; i != (n & 12); i += 4) s += i + 1; return s; }
int counter_of_byte(int n) { int s = 0; for (uint8_t i = (uint8_t)n; i < 250; i += 3) s += i; return s; }
int counter_multiplies(int n) { int s = 0; for (int i = 1; i < (n & 255); i *= 2) s += i; return s; }
int counter_shifts(unsigned n) { int s = 0; for (; n; n &= n - 1) s++; return s; }
int counter_of_pointer(const char *p, int n) { const char *e = p + (n & 7); int s = 0; for (; p != e; p++) s = s * 3 + *p; return s; }
int counter_products(int n) { int s = 0; for (int i = 0; i < (n & 7); i++) s += i * 12 + n * i; return s; }
int counter_squares(int n) { int s = 0; for (int i = 0; i < (n & 7); i++) s += i * i; return s; }
int counter_two_bounds(int n, int m) { int s = 0; for (int i = 0; i < n && i < m && i < 9; i++) s += i; return s; }
int counter_at_end(int n) { int i, last = 0; for (i = 5; i < (n & 31); i += 2) last = i; return i * 64 + last; }
long counter_extends(const int *p, int n) { long s = 0; for (int i = 0; i < (n & 7); i++) s += (long)i * 4 + p[i]; return s; }
int triangle(int n) { int s = 0; for (int i = 0; i < (n & 7); i++) for (int j = 0; j <= i; j++) s += j; return s; }
int three_deep(int n) { int s = 0; for (int i = 0; i < (n & 3); i++) for (int j = 0; j < 3; j++) for (int k = j; k < 3; k++) s += i * j + k; return s; }
void rows(float *restrict c, const float *restrict a, int n, int m) { for (int i = 0; i < (n & 3); i++) for (int j = 0; j < (m & 3); j++) c[i * 4 + j] += a[i * 4 + j] * 2; }
void columns(float *restrict c, const float *restrict a, int n, int m) { for (int j = 0; j < (m & 3); j++) for (int i = 0; i < (n & 3); i++) c[i * 4 + j] = a[i * 4 + j] + 1; }
void sums_of_rows(int *restrict s, const int *restrict a, int n) { for (int i = 0; i < (n & 7); i++) { s[i] = 0; for (int j = 0; j < 4; j++) s[i] += a[i * 4 + j]; } }
void sums_of_columns(int *restrict s, const int *restrict a, int n) { for (int j = 0; j < 4; j++) { int t = 0; for (int i = 0; i < (n & 3); i++) t += a[i * 4 + j]; s[j] = t; } }
void multiplies(int *restrict c, const int *restrict a, const int *restrict b, int n) { n &= 3; for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { int t = 0; for (int k = 0; k < n; k++) t += a[i * n + k] * b[k * n + j]; c[i * n + j] = t; } }
void multiplies_ikj(int *restrict c, const int *restrict a, const int *restrict b, int n) { n &= 3; for (int i = 0; i < n; i++) for (int k = 0; k < n; k++) for (int j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j]; }
void vector_times(int *restrict y, const int *restrict a, const int *restrict x, int n) { for (int i = 0; i < (n & 7); i++) { int t = 0; for (int j = 0; j < 4; j++) t += a[4 * i + j] * x[j]; y[i] += t; } }
void stencil(int *restrict b, const int *restrict a, int n) { for (int i = 1; i < (n & 7); i++) b[i] = a[i - 1] + a[i] * 2 + a[i + 1]; }
void stencil_grid(int n) { for (int i = 1; i < 7; i++) for (int j = 1; j < 7; j++) grid[i][j] = (grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1] + n) >> 2; }
void wavefront(void) { for (int i = 1; i < 8; i++) for (int j = 0; j < 7; j++) grid[i][j] = grid[i - 1][j + 1] + 1; }
void skewed(void) { for (int i = 1; i < 8; i++) for (int j = 1; j < 8; j++) grid[i][j] += grid[i - 1][j - 1]; }
void row_from_row(int n) { for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) grid[i][j] = grid[n & 7][j] + 1; }
void transposes(int (*restrict a)[4], int (*restrict b)[4]) { for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) a[i][j] = b[j][i]; }
void fills_grid(int v) { for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) grid[i][j] = v; }
void fills(int *a, int n) { for (int i = 0; i < n; i++) a[i] = 0; }
void fills_ones(short *a, int n) { for (int i = 0; i < n; i++) a[i] = -1; }
void fills_other(int *a, int n) { for (int i = 0; i < n; i++) a[i] = 258; }
void fills_down(char *a, int n) { while (n-- > 0) a[n] = 7; }
void fills_every_other(char *a, int n) { for (int i = 0; i < n; i += 2) a[i] = 7; }
void copies(char *restrict a, const char *restrict b, int n) { for (int i = 0; i < n; i++) a[i] = b[i]; }
void copies_maybe(char *a, const char *b, int n) { for (int i = 0; i < n; i++) a[i] = b[i]; }
void copies_shifted(int *a, int n) { for (int i = 0; i < n; i++) a[i] = a[i + 1]; }
void copies_up(int *a, int n) { for (int i = n; i > 0; i--) a[i] = a[i - 1]; }
void copies_and_fills(int *restrict a, int *restrict c, const int *restrict b, int n) { for (int i = 0; i < n; i++) { a[i] = b[i]; c[i] = 0; } }
int calls_in_loop(const int *p, int n) { int s = 0; for (int i = 0; i < (n & 3); i++) s += ask(p[i]) & 7; return s; }
int calls_before_exit(int n) { int s = 0; for (int i = 0; i < (n & 3); i++) { if (ask(i) > 5) return s; s += i; } return -s; }
int calls_invariant(int n, int m) { int s = 0; for (int i = 0; i < (n & 3); i++) s += (int)strlen("four") * m; return s; }
int divides_inside(const int *p, int n, int d) { int s = 0; for (int i = 0; i < (n & 7); i++) { s += p[i] & 7; if (p[i] > 3) s += 100 / d; } return s; }
int remainders(int n) { int s = 0; for (int i = 0; i < (n & 15); i++) s += i % 3 == 0 ? i / 3 : 1; return s; }
int fixed_trip_seven(const int *p) { int s = 0; for (int i = 0; i < 7; i++) s = s * 3 + p[i]; return s; }
int fixed_trip_large(int n) { int s = n; for (int i = 0; i < 100; i++) s = s * 5 + (s >> 3); return s; }
int multiple_of_four(const int *p, int n) { int s = 0; n &= 4; for (int i = 0; i < n; i++) s += p[i] * i; return s; }
int loop_of_pairs(const int *p, int n) { int s = 0; for (int i = 0; i + 1 < (n & 7); i += 2) s += p[i] * p[i + 1]; return s; }
int decided_by_counter(const int *p, int n) { int s = 0; for (int i = 0; i < (n & 7); i++) { if (i < 3) s += p[i] & 7; if (i >= 3) s ^= 5; } return s; }
int decided_at_first(const int *p, int n) { int s = 0; for (int i = 0; i < (n & 7); i++) s += i == 0 ? 100 : p[i] & 7; return s; }
int decided_in_middle(int n, int m) { int s = 0; for (int i = 0; i < (n & 15); i++) if (i < (m & 15)) s += i; else s -= 2; return s; }
int settles(int n) { int k = n, s = 0; for (int i = 0; i < 6; i++) { s += k; k = 3; } return s; }
int settles_later(int n) { int a = n, b = 2, s = 0; for (int i = 0; i < (n & 7); i++) { s += a; a = b; b = 5; } return s; }
