// Branches: chosen values, one inside another, in a row, with loads and stores, with tables, leaving loops.
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

int ask(void);
void note(int);
int pure_of(int) __attribute__((const));
extern int seen;

int least(int a, int b) { return a < b ? a : b; }
int least_of_three(int a, int b, int c) { int m = a; if (b < m) m = b; if (c < m) m = c; return m; }
int middle(int a, int b, int c) { return a < b ? b < c ? b : a < c ? c : a : a < c ? a : b < c ? c : b; }
int either(int a, int b) { return a > 3 || b > 5; }
int both(int a, int b) { return a > 3 && b > 5 ? 7 : 2; }
int either_calls(int a) { return a > 3 || ask() ? 1 : 4; }
int three_conditions(int a, int b, int c) { if (a > 1 && (b < 2 || c == 3)) return a + 1; return b - c; }
int not_all(int a, int b) { if (!(a > 1 && b > 1)) return 3; return a * b; }
int nested_same(int a) { if (a > 3) { if (a > 3) return 1; return 2; } return a > 3 ? 3 : 4; }
int nested_implied(int a) { if (a > 10) { if (a > 5) return 1; return 2; } if (a > 20) return 3; return 4; }
int nested_else(int a, int b) { int r; if (a == 1) { if (b == 1) r = 5; else r = 6; } else { if (b == 1) r = 5; else r = 8; } return r; }
int nested_one_side(int a, int b) { int r = 3; if (a) { if (b) r = 4; else r = a; } return r; }
int nested_calls(int a, int b) { int r = 3; if (a) { note(a); if (b) r = ask(); } return r; }
int in_a_row(int a) { int r = 0; if (a & 1) r += 3; if (a & 2) r += 5; if (a & 4) r ^= 9; return r; }
int in_a_row_same(int a, int b) { int r = 0, s = 1; if (a > b) r = 3; if (a > b) s = r + 2; return r * s; }
int in_a_row_opposite(int a, int b) { int r = 0, s = 1; if (a > b) r = a; if (a <= b) s = b; return r + s; }
int in_a_row_stores(int *p, int a) { if (a > 2) p[0] = 1; if (a > 2) p[1] = p[0]; return p[0] + p[1]; }
int in_a_row_changed(int *p, int a) { if (*p > 2) *p = a; if (*p > 2) return 1; return 0; }
int chosen_constant(int a) { int k = a > 3 ? 4 : 8; return k == 4 ? a : k; }
int chosen_then_decided(int a, int b) { int k = a > 3 ? b : 0; if (k == 0) return 1; return k; }
int chosen_flag(int a, int b) { bool f = false; if (a > 3) f = b > 2; if (f) return a; return b; }
int chosen_state(int a, int b) { int state = 0; if (a > 1) state = 1; else if (b > 1) state = 2; switch (state) { case 1: return a; case 2: return b; default: return 9; } }
int chosen_divides(int a, int b) { int d = b > 0 ? b : 1; return a / d; }
int chosen_divides_not(int a, int b) { return b != 0 ? a % b : 0; }
int chosen_shift(int a, int b) { return b < 32 && b >= 0 ? a >> b : 0; }
int chosen_product(int a, int b) { return a > 0 ? (a & 255) * (b & 255) + 3 : (b & 7) - 2; }
int chosen_load(const int *p, int a) { return a > 3 ? p[0] : p[1]; }
int chosen_load_known(const int *p, int a) { int v = p[0]; if (a > 3) v += p[0] * 2; return v; }
int chosen_load_of_null(const int *p, int a) { return p ? *p : a; }
int chosen_load_of(const int *p, const int *q, int a) { return *(a > 3 ? p : q); }
int chosen_load_local(int a) { int x[2] = {a, 3}; int r = 1; if (a & 1) r = x[(a >> 1) & 1]; return r; }
int load_before(const int *p, int a) { int v = *p; return a ? v : 0; }
int load_after(int *p, int a) { int r = 0; if (a) r = *p; *p = 3; return r; }
void stores_both(int *p, int a) { if (a > 3) *p = 1; else *p = 2; }
void stores_both_places(int *p, int *q, int a) { if (a > 3) *p = 1; else *q = 1; }
void stores_both_types(int *p, int a) { if (a > 3) *p = a; else *(short *)(void *)p = 2; }
void stores_both_more(int *p, int a) { if (a > 3) { p[1] = 5; p[0] = 1; } else { p[2] = 3; p[0] = 2; } }
void stores_one(int *p, int a) { if (a > 3) *p = 1; }
void stores_over(int *p, int a) { *p = 7; if (a > 3) *p = 1; }
void stores_over_other(int *p, int a) { p[0] = 7; if (a > 3) p[1] = 1; }
void stores_over_read(int *p, int a) { *p = a; if (a > 3) *p = *p + 1; }
void stores_over_wide(int *p, int a) { *(long *)(void *)p = 7; if (a > 3) *p = 1; }
void stores_over_volatile(volatile int *p, int a) { *p = 7; if (a > 3) *p = 1; }
void stores_over_seen(int *p, int a) { *p = 7; note(1); if (a > 3) *p = a; }
void stores_over_divides(int *p, int a, int b) { *p = 7; if (b > 3) *p = a / b; }
void stores_over_in_loop(int *p, const int *q, int n) { for (int i = 0; i < (n & 7); i++) { p[i] = 0; if (q[i] > 2) p[i] = q[i]; } }
int stores_over_decides(int *p, int a) { *p = 7; int k = 0; if (a > 3) { *p = 1; k = 1; } switch (k) { case 0: note(1); return 2; default: return a; } }
int stores_chosen(int *p, int *q, int a) { int *r = a > 3 ? p : q; *r = 5; return *p + *q; }
int stores_three(int *p, int a) { switch (a & 3) { case 0: *p = 1; break; case 1: *p = 4; break; default: *p = a; } return *p; }
int counted_in_memory(int *p, int a) { if (a > 3) ++*p; else --*p; return *p; }
int same_calls(int a, int b) { if (a) return pure_of(b) + 1; return pure_of(b); }
int same_calls_effects(int a, int b) { int r; if (a) { note(b); r = 1; } else { note(b); r = 2; } return r; }
int calls_one(int a) { if (a > 2) note(a); else seen = a; return seen; }
int same_work(int a, int b) { int r; if (a > 2) r = (a * b) ^ 3; else r = (a * b) + 5; return r; }
int same_end(int a, int b) { int r; if (a > 2) { note(1); r = b * 3; } else { note(2); r = b * 3; } return r + 1; }
int used_on_one(int a, int b) { int v = a * b + 7; if (a > 2) return v; return b; }
int used_on_two(int a, int b) { int v = a * b + 7; if (a > 2) return v; if (a < -2) return v + 1; return b; }
int used_inside(int a, int b, int n) { int v = a / (b | 1), s = 0; for (int i = 0; i < (n & 3); i++) if (i == a) s += v; return s; }
int table_constants(unsigned a) { switch (a) { case 0: return 5; case 1: return 7; case 2: return 9; case 3: return 11; default: return 1; } }
int table_holes(int a) { switch (a) { case -3: return 5; case 0: return 7; case 7: return 5; case 100: return 6; default: return a; } }
int table_bool(int a) { switch (a) { case 1: case 3: case 4: return 1; default: return 0; } }
int table_falls(int a) { int r = 0; switch (a & 7) { case 0: r = 1; case 1: r += 2; case 2: r *= 3; break; case 5: return 8; default: r = a; } return r; }
int table_calls(int a) { switch (a) { case 0: note(1); break; case 1: note(2); break; case 2: case 3: note(a); break; case 9: abort(); } return a; }
int table_of_small(uint8_t a) { switch (a & 3) { case 0: return 1; case 1: return 3; case 2: return 5; default: return 7; } }
int table_dense(int a) { switch (a) { case 10: return 2; case 11: return 4; case 12: return 8; case 13: return 16; case 14: return 32; } return 0; }
int table_twice(int a) { int k; switch (a) { case 0: k = 2; break; case 1: k = 0; break; case 2: k = 1; break; default: k = 3; } switch (k) { case 0: return a; case 1: return a + 5; case 2: return a - 5; default: return 0; } }
int table_in_table(int a, int b) { switch (a & 3) { case 0: switch (b & 3) { case 0: return 1; case 1: return 2; default: return b; } case 1: return b + 1; default: switch (b) { case 5: return 9; default: return a; } } }
int table_of_64(long a) { switch (a) { case 1L << 40: return 1; case -1: return 2; case 3: return 3; } return 4; }
int ladder(int a) { if (a == 1) return 3; else if (a == 2) return 5; else if (a == 5) return 9; else if (a == 7) return 3; return 0; }
int ladder_mixed(int a, int b) { if (a == 1) return 3; if (b == 2) return 5; if (a == 2) return 9; return 0; }
int ladder_signs(int a) { if (a < -10) return -2; if (a < 0) return -1; if (a == 0) return 0; if (a > 10) return 2; return 1; }
int truth_and(bool a, bool b) { return a ? b : false; }
int truth_or(bool a, bool b) { return a ? true : b; }
int truth_xor(bool a, bool b) { return a ? !b : b; }
int truth_implies(bool a, bool b, bool c) { return a ? b ? c : false : true; }
int truth_bits(int a) { int r = 0; if (a & 8) r |= 8; if (!(a & 4)) r |= 2; return r; }
int sign_of(int a) { return a > 0 ? 1 : a < 0 ? -1 : 0; }
int absolute(int a) { return a < 0 ? -(unsigned)a : a; }
unsigned saturates(unsigned a, unsigned b) { unsigned s = a + b; return s < a ? ~0u : s; }
unsigned differs(unsigned a, unsigned b) { return a > b ? a - b : b - a; }
float chosen_float(float a, float b) { return a < b ? a * 2 : b + 1; }
double chosen_nan(double a, double b) { return a != a ? b : a; }
int early(const int *p, int a) { if (!p) return -1; if (a < 0) return -2; if (*p == a) return 0; note(*p); return *p > a; }
int ends(int a) { if (a > 100) abort(); if (a > 50) return 2; if (a < 0) __builtin_unreachable(); return a; }
int cleans(int a) { int *p = malloc(4); if (!p) goto out; *p = a; if (ask()) goto clean; note(*p); clean: free(p); out: return a; }
int jumps_in(int a, int b) { if (a > 3) goto inside; if (b > 3) { a = 2; inside: b += a; } return b; }
int jumps_back(int a) { int i = 0; again: i++; if (a > 3) { a -= 3; goto again; } if (a == 2 && i < 5) { a += 7; goto again; } return i * 8 + a; }
int two_ends(int a, int n) { for (int i = 0; i < (n & 7); i++) { if (i == a) return i; if (i * 2 == a) return -i; } return 99; }
int end_decides(const int *p, int n) { bool found = false; for (int i = 0; i < (n & 7); i++) if (p[i] == 3) { found = true; break; } return found ? 5 : n; }
int end_decides_more(const int *p, int n) { int how = 0, i = 0; for (;; i++) { if (i == (n & 7)) { how = 1; break; } if (p[i] < 0) { how = 2; break; } if (p[i] > 100) { how = 3; break; } } switch (how) { case 1: return i; case 2: note(i); return -i; default: return i * 2; } }
int last_iteration(int n) { int s = 0; for (int i = 0; i < (n & 7); i++) { s += i; if (i == 5) s *= 2; } return s; }
int first_iteration(const int *p, int n) { int s = 0, first = 1; for (int i = 0; i < (n & 7); i++) { if (first) { s = p[i]; first = 0; } else s = s > p[i] ? s : p[i]; } return s; }
int alternates(int n) { int s = 0, flip = 0; for (int i = 0; i < (n & 15); i++) { if (flip) s += i; else s ^= i; flip = !flip; } return s; }
int runs_of(const char *s, int n) { int runs = 0, in = 0; for (int i = 0; i < (n & 15); i++) { if (s[i] > 64) { if (!in) { runs++; in = 1; } } else in = 0; } return runs; }
int parses(const char *s) { int sign = 1, v = 0, i = 0; if (s[0] == '-') { sign = -1; i++; } else if (s[0] == '+') i++; while (i < 6 && s[i] >= '0' && s[i] <= '9') v = v * 10 + (s[i++] - '0'); return v * sign; }
int skips_inner(const int *p, int n) { int s = 0; for (int i = 0; i < (n & 3); i++) { for (int j = 0; j < 3; j++) { if (p[j] == i) goto next; s += p[j] & 7; } s += 100; next:; } return s; }
int invariant_branch(int *p, int n, int mode) { int s = 0; for (int i = 0; i < (n & 7); i++) { int v = p[i] & 15; if (mode == 2) v += i; else if (mode == 3) v ^= i; s += v; if (mode > 5) p[i] = v; } return s; }
int swaps_if(int a, int b, int n) { for (int i = 0; i < (n & 3); i++) { if (a > b) { int t = a; a = b; b = t; } a += 3; } return a * 5 - b; }
int rotates_three(int a, int b, int c, int n) { while (n-- > 0 && n < 10) { int t = a; a = b; b = c; c = t; } return a + b * 3 + c * 9; }
int same_in_both(int a, int b, int n) { int x = a, y = a; for (int i = 0; i < (n & 3); i++) { x += b; y += b; } return x * y; }
int carries_constant(int n) { int k = 3, s = 0; for (int i = 0; i < (n & 7); i++) { s += k; if (s > 100) k = 4; } return s * k; }
int carries_back(int n) { int a = 1, b = 2; for (int i = 0; i < (n & 7); i++) { int t = a; a = b; b = i & 1 ? t : a; } return a * 16 + b; }
int guarded_loop(const int *p, int n) { int s = 0; if (n > 0) { if (n > 7) n = 7; do { s += p[n - 1] & 7; } while (--n > 0); } else note(n); return s; }
int loop_in_branch(const int *p, int a, int n) { int s = 0; if (a > 3) for (int i = 0; i < (n & 3); i++) s += p[i] & 15; else s = a; return s; }
int branch_around_loops(int a, int n) { int s = 0; if (a > 3) { for (int i = 0; i < (n & 7); i++) s += i; } else { for (int i = 0; i < (n & 7); i++) s ^= i; } return s; }
int stores_over_jumps(int *p, int a, int b) { *p = 7; if (a > 3) *p = 1; else if (b > 3) goto out; note(1); out: return *p; }
int stores_over_jumps_too(int *p, int a, int b) { *p = 7; if (a > 3) { *p = 1; if (b > 3) goto out; } note(1); out: return *p; }
int stores_over_returns(int *p, int a, int b) { *p = 7; if (a > 3) { *p = a; } else if (b) return 1; seen = b; return 2; }
int stores_over_leaves(int *p, const int *q, int n) { for (int i = 0; i < (n & 7); i++) { *p = 0; if (q[i] > 2) { *p = q[i]; break; } } return *p; }
int stores_over_continues(int *p, const int *q, int n) { for (int i = 0; i < (n & 7); i++) { *p = 0; if (q[i] > 2) { *p = q[i]; continue; } note(i); } return *p; }
