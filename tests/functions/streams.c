// Loops that work on arrays: element by element, sums, extremes, under conditions, with steps, and nests of them.
#include <stdint.h>
#include <string.h>

void add(int *restrict c, const int *restrict a, const int *restrict b, int n) { for (int i = 0; i < n; i++) c[i] = a[i] + b[i]; }
void add_aliased(int *c, const int *a, const int *b, int n) { for (int i = 0; i < n; i++) c[i] = a[i] + b[i]; }
void axpy(float *restrict y, const float *restrict x, float a, int n) { for (int i = 0; i < n; i++) y[i] += a * x[i]; }
int total(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
unsigned dot(const uint16_t *a, const uint16_t *b, int n) { unsigned s = 0; for (int i = 0; i < n; i++) s += (unsigned)a[i] * b[i]; return s; }
int greatest(const int *p, int n) { int m = p[0]; for (int i = 1; i < n; i++) if (p[i] > m) m = p[i]; return m; }
int where_greatest(const int *p, int n) { int m = 0; for (int i = 1; i < n; i++) if (p[i] > p[m]) m = i; return m; }
int how_many(const int8_t *p, int n, int8_t x) { int s = 0; for (int i = 0; i < n; i++) if (p[i] == x) s++; return s; }
void masked(int *restrict a, const int *restrict b, int n) { for (int i = 0; i < n; i++) if (b[i] > 0) a[i] = b[i] * 2; }
void chosen(int *restrict a, const int *restrict b, int n) { for (int i = 0; i < n; i++) a[i] = b[i] > 3 ? b[i] - 3 : -b[i]; }
void strided(int *restrict a, const int *restrict b, int n) { for (int i = 0; i < n; i++) a[i] = b[2 * i] + b[2 * i + 1]; }
void every_other(int *a, int n) { for (int i = 0; i < n; i += 2) a[i] = 1; }
void reversed(int *restrict a, const int *restrict b, int n) { for (int i = 0; i < n; i++) a[i] = b[n - 1 - i]; }
void in_place(int *a, int n) { for (int i = 0; i < n; i++) a[i] = a[i] * 3 + i; }
void shifted(int *a, int n) { for (int i = 0; i + 1 < n; i++) a[i] = a[i + 1]; }
void prefix(int *a, int n) { for (int i = 1; i < n; i++) a[i] += a[i - 1]; }
void far(int *a, int n) { for (int i = 4; i < n; i++) a[i] = a[i - 4] + 1; }
void cleared(char *p, int n) { for (int i = 0; i < n; i++) p[i] = 0; }
void filled(int *p, int n) { for (int i = 0; i < n; i++) p[i] = -1; }
void filled_with(int *p, int v, int n) { for (int i = 0; i < n; i++) p[i] = v; }
void copied(int *restrict a, const int *restrict b, int n) { for (int i = 0; i < n; i++) a[i] = b[i]; }
void copied_aliased(int *a, const int *b, int n) { for (int i = 0; i < n; i++) a[i] = b[i]; }
void cleared_fields(struct { int a, b; } *p, int n) { for (int i = 0; i < n; i++) { p[i].a = 0; p[i].b = 0; } }
void widened(int *restrict a, const uint8_t *restrict b, int n) { for (int i = 0; i < n; i++) a[i] = b[i] << 2; }
void narrowed(uint8_t *restrict a, const int *restrict b, int n) { for (int i = 0; i < n; i++) a[i] = (uint8_t)(b[i] >> 4); }
void floats(float *restrict a, const int *restrict b, int n) { for (int i = 0; i < n; i++) a[i] = (float)b[i] * 0.25f; }
void shared(int *a, int n) { int t = a[0]; for (int i = 1; i < n; i++) { int u = a[i]; a[i] = t; t = u; } }
int both(int *restrict a, const int *restrict b, int n) { int s = 0; for (int i = 0; i < n; i++) { a[i] = b[i] ^ 1; s += b[i]; } return s; }
int alternating(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s = i & 1 ? s - p[i] : s + p[i]; return s; }
int saturating(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) { s += p[i] & 15; if (s > 40) s = 40; } return s; }
unsigned all_bits(const unsigned *p, int n) { unsigned o = 0, a = ~0u, x = 0; for (int i = 0; i < n; i++) { o |= p[i]; a &= p[i]; x ^= p[i]; } return o + a * 3 + x * 5; }
int fixed(const int *p) { int s = 0; for (int i = 0; i < 8; i++) s += p[i] * p[i]; return s; }
int matrix(int m[4][8]) { int s = 0; for (int i = 0; i < 4; i++) for (int j = 0; j < 8; j++) s += m[i][j]; return s; }
void rows(int *restrict out, int m[4][8]) { for (int i = 0; i < 4; i++) { int s = 0; for (int j = 0; j < 8; j++) s += m[i][j]; out[i] = s; } }
void columns(int *restrict out, int m[8][4]) { for (int j = 0; j < 4; j++) { int s = 0; for (int i = 0; i < 8; i++) s += m[i][j]; out[j] = s; } }
void outer(int m[4][4], const int *a, const int *b) { for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) m[i][j] += a[i] * b[j]; }
void smoothed(int *restrict a, const int *restrict b, int n) { for (int i = 1; i < n - 1; i++) a[i] = (b[i - 1] + 2 * b[i] + b[i + 1]) >> 2; }
void vector_matrix(int *restrict y, int a[4][4], const int *restrict x) { for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) y[i] += a[i][j] * x[j]; }
void gathered(int *restrict a, const int *restrict b, const uint8_t *restrict at, int n) { for (int i = 0; i < n; i++) a[i] = b[at[i] & 3]; }
void scattered(int *restrict a, const uint8_t *restrict at, int n) { for (int i = 0; i < n; i++) a[at[i] & 3] = i; }
int with_call(int *a, int n) { for (int i = 0; i < n; i++) a[i] = (int)strlen("abc") + i; return n; }
void guarded(int *a, const int *b, int n, int k) { if (k) for (int i = 0; i < n; i++) a[i] = b[i] + k; else for (int i = 0; i < n; i++) a[i] = 0; }
int until(const int *p, int n) { int s = 0; for (int i = 0; i < n && p[i] != 3; i++) s += p[i]; return s; }
