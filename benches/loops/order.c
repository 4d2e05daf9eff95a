/* Reordering and distribution of statements, splitting of nodes, expansion of scalars. */
#undef CATEGORY
#define CATEGORY "order"

LOOP(read_before_written) { for (int i = 0; i < N - 1; i++) { a[i] = b[i] + c[i]; d[i] = a[i + 1] * 0.5; } }
LOOP(written_before_read) { for (int i = 1; i < N; i++) { d[i] = a[i - 1] * 0.5; a[i] = b[i] + c[i]; } }
LOOP(part_is_serial) { for (int i = 1; i < N; i++) { a[i] = b[i] * c[i]; d[i] = d[i - 1] * 0.5 + e[i]; } }
LOOP(serial_feeds_parallel) { for (int i = 1; i < N; i++) { a[i] = a[i - 1] * 0.5 + b[i]; c[i] = a[i] * d[i]; } }
LOOP(parallel_feeds_serial) { for (int i = 1; i < N; i++) { double t = b[i] * c[i] + d[i]; a[i] = a[i - 1] * 0.5 + t * e[i]; } }
LOOP(temporary) { for (int i = 0; i < N; i++) { double t = b[i] + c[i]; a[i] = t * t; } }
LOOP(two_temporaries) { for (int i = 0; i < N; i++) { double s = b[i] + c[i], t = b[i] - c[i]; a[i] = s * t; d[i] = s + t * 0.5; } }
LOOP(swap_arrays) { for (int i = 0; i < N; i++) { double t = a[i]; a[i] = b[i]; b[i] = t; } }
LOOP(rotate_three) { for (int i = 0; i < N; i++) { int t = ia[i]; ia[i] = ib[i]; ib[i] = ic[i]; ic[i] = t; } }
LOOP(carried_scalar) { double t = 0.0; for (int i = 0; i < N; i++) { double s = b[i] * c[i]; a[i] = s + t; t = s; } }
LOOP(carried_twice) { double s = 0.0, t = 0.0; for (int i = 0; i < N; i++) { a[i] = b[i] + s + t; t = s; s = c[i]; } }
LOOP(last_value) { double t = 0.0; for (int i = 0; i < N; i++) { t = b[i] * c[i]; a[i] = t; } total = t; }
LOOP(temporary_array) { double t[8]; for (int i = 0; i < N; i++) { t[i & 7] = b[i]; a[i] = t[i & 7] * c[i]; } }
LOOP(same_place_twice) { for (int i = 0; i < N; i++) { a[i] = b[i] + 1.0; a[i] = a[i] * c[i]; } }
LOOP(overwritten) { for (int i = 0; i < N - 1; i++) { a[i] = b[i]; a[i + 1] = c[i]; } }
LOOP(invariant_store) { for (int i = 0; i < N; i++) { a[i] = b[i] * x; total = a[i]; } }
LOOP(invariant_load) { for (int i = 0; i < N; i++) fa[i] = fb[i] * fx + fy; }
LOOP(stored_scalar_is_read) { for (int i = 0; i < N; i++) { x = b[i] * 0.5; a[i] = x + c[i]; } }
LOOP(peeled_first) { for (int i = 0; i < N; i++) { if (i == 0) a[i] = b[i]; else a[i] = b[i] + b[i - 1]; } }
LOOP(peeled_last) { for (int i = 0; i < N; i++) a[i] = i == N - 1 ? 0.0 : b[i + 1] - b[i]; }
