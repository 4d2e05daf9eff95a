// Memory that others may read or write: overlaps at every distance, fills and copies of every size, calls, types, loops.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct S { int a; float f; int b; };
struct Inner { int x, y; };
struct Outer { struct Inner in; long l; struct Inner list[2]; };
void touch(void);
int look(void) __attribute__((pure));
void gets_place(int *p);
int reads_place(const int *p) __attribute__((pure));
int *other_place(void);
int global, second;
static int internal, counter, table[4];
static int *place;
static struct Outer outer;
const int fixed[4] = {3, 1, 4, 1};

int byte_of_int(int *p, int n) { *p = n; return ((char *)p)[1]; }
int int_of_bytes(char *p) { p[0] = 1; p[1] = 2; p[2] = 3; p[3] = 4; return *(int *)(void *)p; }
int short_at_1(char *p, int n) { memcpy(p, &n, 4); short s; memcpy(&s, p + 1, 2); return s; }
int short_at_3(char *p, int n) { memcpy(p, &n, 4); short s; memcpy(&s, p + 3, 2); return s & 255; }
int int_before(char *p, int n) { memcpy(p + 2, &n, 4); int v; memcpy(&v, p, 4); return v >> 16; }
long long_of_ints(int *p, int a, int b) { p[0] = a; p[1] = b; long l; memcpy(&l, p, 8); return l; }
int ints_of_long(long *p, long l) { *p = l; return ((int *)p)[0] ^ ((int *)p)[1]; }
float float_of_int(int *p, int n) { *p = n & 0x3fffffff; float f; memcpy(&f, p, 4); return f; }
int covers_part(short *p, int n) { *(int *)(void *)p = n; p[0] = 1; int v; memcpy(&v, p, 4); return v; }
void stores_whole_after_part(short *p, int n) { p[0] = 1; p[1] = 2; memcpy(p, &n, 4); }
void stores_part_after_whole(short *p, int n) { memcpy(p, &n, 4); p[1] = 2; }
int twice_between(int *p, int *q) { int a = *p; *q = a + 1; int b = *p; return a * 3 + b; }
int apart_by_one(int *p, int n) { int a = p[0]; p[1] = n; return a + p[0]; }
int apart_by_index(int *p, long i) { p[i & 3] = 1; p[(i & 3) + 1] = 2; return p[i & 3]; }
int apart_by_unknown(int *p, long i, long j) { p[i & 3] = 1; p[j & 3] = 2; return p[i & 3]; }
int apart_by_scale(int *p, long i) { p[2 * (i & 1)] = 1; p[2 * (i & 1) + 1] = 5; p[4 * (i & 1)] = 2; return p[2 * (i & 1)]; }
int same_index(int *p, int i) { p[i & 7] = 3; int v = p[i & 7]; p[(i & 7) ^ 1] = 4; return v + p[i & 7]; }
int other_type(int *p, float *f) { *p = 1; *f = 2.0f; return *p; }
int other_field(struct S *s, struct S *t) { s->a = 1; t->b = 2; t->f = 3.0f; return s->a; }
int other_struct(struct S *s, struct Inner *i) { s->a = 1; i->x = 2; i->y = 3; return s->a + s->b; }
int part_of_outer(struct Outer *o, struct Inner *i) { o->in.x = 1; o->list[1].y = 2; i->x = 3; i->y = 4; return o->in.x + o->list[1].y; }
int chars_alias(struct S *s, char *c) { s->a = 5; c[1] = 7; return s->a; }
int restrict_write(int *restrict p, int *q) { *p = 1; *q = 2; *p += 1; return *q; }
int restrict_loop(int *restrict p, const int *q, int n) { int s = 0; for (int i = 0; i < (n & 7); i++) { p[i] = q[0]; s += q[0] & 7; } return s; }
int const_global(int n) { int a = fixed[n & 3]; touch(); return a + fixed[n & 3] + fixed[2]; }
int around_touch(int n) { global = n; second = 2; internal = 3; touch(); return global + second + internal; }
int around_look(int n) { global = n; internal = 3; int a = look(); global = 5; int b = look(); return a + b + global + internal; }
int dead_before_look(int n) { global = 1; internal = n; global = 2; int a = look(); return a + internal; }
int place_given(int n) { int x = n; gets_place(&x); int a = x; touch(); return a + x; }
int place_read(int n) { int x = n, y = reads_place(&x); x = 3; return y + reads_place(&x); }
int place_kept(int *p, int n) { place = p; *p = n; touch(); *place = 3; return *p; }
int place_of_internal(int n) { place = &internal; *place = n; internal += 1; return *place; }
int place_unknown(int n) { int x = n, *p = other_place(); *p = 3; return x + *p; }
int place_later(int n) { int x = n; *other_place() = 3; int a = x; gets_place(&x); *other_place() = 4; return a + x; }
int fresh(int n) { int *p = malloc(8), *q = other_place(); if (!p) return 0; *p = n; *q = 2; p[1] = 3; int r = *p; free(p); return r; }
int fresh_shown(int n) { int *p = malloc(8); if (!p) return 0; *p = n; gets_place(p); int r = *p; touch(); r += *p; free(p); return r; }
int zeroed_part(unsigned i) { int *p = calloc(4, 4); if (!p) return 0; p[1] = 2; int r = p[0] + p[i & 3] + p[2]; free(p); return r; }
int fills_then_reads(char *p, int c) { memset(p, c, 12); int v; memcpy(&v, p + 3, 4); p[5] = 1; return v + p[4] + p[11]; }
long fills_small(char *p) { memset(p, 5, 1); memset(p + 1, 6, 2); memset(p + 3, 7, 3); memset(p + 6, 8, 2); long l; memcpy(&l, p, 8); return l; }
void fills_dead(char *p) { memset(p, 1, 8); memset(p, 2, 8); memset(p + 2, 3, 4); }
void fills_not_dead(char *p) { memset(p, 1, 8); memset(p, 2, 7); }
void store_in_fill(int *p, int n) { p[1] = n; memset(p, 0, 16); p[2] = n; }
void store_beside_fill(int *p, int n) { p[4] = n; memset(p, 0, 16); }
void store_across_fill(char *p, int n) { memcpy(p + 6, &n, 4); memset(p, 0, 8); }
int fill_of_size(char *p, size_t n) { p[3] = 5; memset(p, 1, n & 7); return p[3]; }
int copies_then_reads(char *p, const char *q) { memcpy(p, q, 16); p[0] = 9; return p[1] + q[1] + p[0] + q[0]; }
int copies_around(char *p, char *q) { memcpy(p, q, 8); q[2] = 1; return p[2] + q[2]; }
int copies_whole(struct Outer *p, struct Outer *q) { *p = *q; p->l = 3; *q = *p; return (int)q->l + p->in.x; }
int copies_back(struct S *p, struct S *q) { struct S t = *p; *p = *q; *q = t; return p->a - q->b; }
void copies_self(int *p) { memmove(p, p, 16); memmove(p + 1, p, 8); }
int copies_dead(int *p, const int *q) { p[1] = 3; memcpy(p, q, 8); return p[1]; }
int copies_not_dead(int *p, const int *q) { p[2] = 3; memcpy(p, q, 8); return p[2]; }
void copies_of_size(char *p, const char *q, size_t n) { p[0] = 3; memmove(p, q, n & 3); p[5] = 2; }
int copied_const(int *p, unsigned i) { memcpy(p, fixed, 16); p[i & 3] = 0; return p[1] + p[2]; }
int two_paths(int *p, int n) { if (n > 2) p[0] = 1; else p[0] = 2; p[1] = p[0]; return p[0]; }
int two_paths_differ(int *p, int n) { if (n > 2) p[0] = 1; else p[1] = 2; return p[0] + p[1]; }
int two_paths_types(int *p, int n) { if (n > 2) *p = n; else *(float *)(void *)p = 2.0f; int v; memcpy(&v, p, 4); return v; }
int two_paths_widths(int *p, int n) { if (n > 2) *p = n; else *(short *)(void *)p = 7; return *(short *)(void *)p; }
int path_calls(int *p, int n) { *p = 4; if (n > 2) touch(); return *p; }
int path_returns(int *p, int n) { *p = 4; if (n > 2) return *p; *p = 5; touch(); return *p; }
void path_dead(int *p, int n) { *p = 1; if (n > 2) *p = 2; *p = 3; }
void path_half_dead(int *p, int n) { p[0] = 1; if (n > 2) { p[0] = 2; return; } p[1] = p[0]; }
void path_ends(int *p, int n) { *p = 1; if (n > 2) abort(); *p = 2; }
void path_may_end(int *p) { *p = 1; touch(); *p = 2; }
int switch_stores(int *p, int n) { switch (n & 3) { case 0: p[0] = 1; p[1] = 1; break; case 1: p[1] = 2; p[0] = 3; break; case 2: p[0] = 4; touch(); break; default: p[0] = 6; } return p[0]; }
int loop_store_first(int *p, int n) { int s = 0; for (int i = 0; i < (n & 7); i++) { *p = i; s += *p; } return s + *p; }
int loop_store_last(int *p, int n) { int s = 0; for (int i = 0; i < (n & 7); i++) { s += *p; *p = i; } return s; }
int loop_maybe_store(int *p, int n) { *p = 1; for (int i = 0; i < (n & 7); i++) if (i == 3) *p = i; return *p; }
int loop_calls(int *p, int n) { *p = 1; int s = 0; for (int i = 0; i < (n & 3); i++) { s += *p; touch(); } return s; }
int loop_looks(int *p, int n) { int s = 0; for (int i = 0; i < (n & 3); i++) { *p = i; s += look(); } return s; }
int loop_other_row(int a[4][4], int n) { int s = 0; for (int i = 1; i < (n & 3); i++) for (int j = 0; j < 4; j++) { a[i][j] = a[i - 1][j] + 1; s += a[i][j] & 3; } return s; }
int loop_reduction(struct S *s, const int *p, int n) { for (int i = 0; i < (n & 7); i++) { s->a += p[i] & 3; s->b ^= p[i]; } return s->a; }
int loop_reduction_seen(const int *p, int n) { for (int i = 0; i < (n & 3); i++) { global += p[i] & 3; if (global > 9) touch(); } return global; }
int loop_two_globals(int n) { for (int i = 0; i < (n & 7); i++) { global = i; second = global + 1; internal += second; } return global + internal; }
int loop_pointer(int **pp, int n) { int s = 0; for (int i = 0; i < (n & 3); i++) { **pp = i; s += **pp; } return s; }
int loop_bound(struct S *s, int *p) { s->a &= 7; int i = 0; for (; i < s->a; i++) p[i] = i; return i; }
int loop_exit_store(int *p, const int *q, int n) { for (int i = 0; i < (n & 7); i++) { *p = i; if (q[i] < 0) break; } return n; }
int loop_unrolled(int *p) { for (int i = 0; i < 3; i++) p[i + 1] = p[i] + 1; return p[3]; }
int loop_shifted(int *p, int n) { int t = p[0]; for (int i = 0; i < (n & 7); i++) { int u = p[i + 1]; p[i] = t + u; t = u; } return t; }
int loop_nothing(int *p, int n) { *p = 2; for (int i = 0; i < (n & 7); i++) ; return *p; }
int loop_do(int *p, int n) { int i = 0; do { *p = i; } while (++i < (n & 7)); return *p; }
int loop_nest_sum(int *restrict p, const int *restrict q, int n) { for (int i = 0; i < (n & 3); i++) for (int j = 0; j < 3; j++) *p += q[i * 3 + j] & 7; return *p; }
int loop_hoisted_pair(const struct Inner *in, int n) { int s = 0; for (int i = 0; i < (n & 7); i++) s += in->x * i + in->y; return s; }
int loop_guarded_load(const int *p, const int *q, int n, int c) { int s = 0; for (int i = 0; i < (n & 7); i++) if (c > 2) s += *q & 3; else s += p[i] & 3; return s; }
int atomics(int *p, int n) { *p = n & 7; __atomic_store_n(&global, 1, __ATOMIC_RELAXED); int a = *p; __atomic_thread_fence(__ATOMIC_SEQ_CST); return a + *p; }
int atomic_read(int *p, int *q) { int a = *p; int f = __atomic_load_n(q, __ATOMIC_ACQUIRE); int b = *p; int g = __atomic_load_n(q, __ATOMIC_RELAXED); return a + b * 2 + (f & 1) + (g & 1); }
int atomic_swap(int *p, int n) { *p = 3; int o = __atomic_exchange_n(&global, n, __ATOMIC_ACQ_REL); *p = 4; return *p + (o & 1); }
int volatile_between(int *p, volatile int *v) { *p = 1; *v = 2; *p = 3; int a = *v; *p = 4; return (a & 7) + *p; }
int internal_count(int n) { counter += n & 3; counter += 1; return counter & 255; }
int internal_table(unsigned i, int n) { table[i & 3] = n; table[1] = 3; return table[i & 3] + table[1] + table[2]; }
int internal_outer(unsigned i) { outer.list[i & 1].x = 3; outer.in.y = 4; outer.l++; return outer.list[i & 1].x + outer.in.y + (int)(outer.l & 3); }
int reread_after_free(int *p) { int *q = malloc(4); *p = 2; free(q); int a = *p; return a + *p; }
long same_twice(const long *p, const long *q) { return (*p & 7) + (*q & 7) + (*p & 7) * (*q & 7); }
int load_of_stored_pointer(int **pp, int *p, int n) { *pp = p; **pp = n; return *p + **pp; }
int chained(struct Inner **list, int n) { list[0]->x = n; list[1] = list[0]; list[1]->y = 4; return list[0]->x + list[0]->y; }
int moved_down(int *p, int n) { int v = p[2]; if (n > 4) { p[0] = v; return p[2]; } return v; }
int readonly_arg(const int *restrict p, int *q, int n) { int a = *p; *q = n; return a + *p; }
uint64_t swaps_bytes(const uint8_t *p) { return (uint64_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3]; }
void spreads_bytes(uint8_t *p, uint64_t v) { for (int i = 0; i < 8; i++) p[i] = (uint8_t)(v >> (8 * i)); }
float punned_in_loop(int *p, float *q, int n) { float s = 0; for (int i = 0; i < (n & 7); i++) { *p = i; s += (float)(look() & 3); *(float *)(void *)p = 1.5f; s += *q; } return s; }
int punned_other_way(int *p, int *q, int n) { int s = 0; for (int i = 0; i < (n & 7); i++) { *(float *)(void *)p = 1.5f; s += look() & 3; *p = i; s += *q & 15; } return s; }
int punned_reads(int *p, float *q, int n) { int s = 0; for (int i = 0; i < (n & 7); i++) { s += *p & 15; s += *(float *)(void *)p > 1.0f; *q = (float)i; } return s; }
int loop_ends(int *p, const int *q, int n) { int s = 0; for (int i = 0; i < (n & 7); i++) { if (q[i] < -1000) { if (n > 3) *p = i; else touch(); abort(); } s += *p & 7; } return s; }
int loop_ends_inside(int *p, const int *q, int n) { int s = 0; for (int i = 0; i < (n & 7); i++) { if (q[i] < -1000) { for (int j = 0; j < n; j++) p[j] = i; abort(); } s += p[0] & 7; } return s; }
