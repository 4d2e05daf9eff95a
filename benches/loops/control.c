/* Control flow in loops. */
#undef CATEGORY
#define CATEGORY "control"

LOOP(if_store) { for (int i = 0; i < N; i++) if (b[i] > 1.0) a[i] = b[i] * c[i]; }
LOOP(if_else_store) { for (int i = 0; i < N; i++) { if (b[i] > c[i]) a[i] = b[i] - c[i]; else a[i] = c[i] - b[i]; } }
LOOP(if_else_other_arrays) { for (int i = 0; i < N; i++) { if (b[i] > c[i]) a[i] = b[i]; else d[i] = c[i]; } }
LOOP(select_value) { for (int i = 0; i < N; i++) a[i] = b[i] > 1.0 ? c[i] : d[i]; }
LOOP(nested_ifs) { for (int i = 0; i < N; i++) { if (ib[i] > 0) { if (ic[i] > 0) ia[i] = ib[i] + ic[i]; else ia[i] = ib[i]; } } }
LOOP(clamped) { for (int i = 0; i < N; i++) { int v = ib[i]; ia[i] = v < -500 ? -500 : v > 500 ? 500 : v; } }
LOOP(saturated_bytes) { for (int i = 0; i < N; i++) { int v = bb[i] + bc[i]; ba[i] = v > 255 ? 255 : v; } }
LOOP(absolute) { for (int i = 0; i < N; i++) ia[i] = abs(ib[i]); }
LOOP(absolute_float) { for (int i = 0; i < N; i++) fa[i] = fabsf(fb[i] - fc[i]); }
LOOP(square_root) { for (int i = 0; i < N; i++) a[i] = sqrt(b[i]); }
LOOP(minimum_of_two) { for (int i = 0; i < N; i++) ia[i] = ib[i] < ic[i] ? ib[i] : ic[i]; }
LOOP(maximum_of_floats) { for (int i = 0; i < N; i++) fa[i] = fb[i] > fc[i] ? fb[i] : fc[i]; }
LOOP(divided_if_not_zero) { for (int i = 0; i < N; i++) { if (ic[i] != 0) ia[i] = ib[i] / ic[i]; } }
LOOP(guarded_division) { for (int i = 0; i < N; i++) a[i] = c[i] != 0.0 ? b[i] / c[i] : 0.0; }
LOOP(threshold) { for (int i = 0; i < N; i++) ba[i] = bb[i] > 128 ? 255 : 0; }
LOOP(invariant_condition) { for (int i = 0; i < N; i++) { if (two > 1) a[i] = b[i] * 2.0; else a[i] = c[i]; } }
LOOP(switch_of_few) { for (int i = 0; i < N; i++) { switch (id[i] & 3) { case 0: ia[i] = ib[i]; break; case 1: ia[i] = -ib[i]; break; case 2: ia[i] = ib[i] * 2; break; default: ia[i] = 0; } } }
LOOP(leaves_early) { for (int i = 0; i < N; i++) { if (ib[i] == 5000) break; ia[i] = ib[i] + 1; } }
LOOP(continue_statement) { for (int i = 0; i < N; i++) { if (ib[i] < 0) continue; ia[i] = ib[i] * ic[i]; } }
LOOP(logical_and) { for (int i = 0; i < N; i++) ia[i] = ib[i] > 0 && ic[i] > 0; }
LOOP(counted_down_while) { int i = n; while (i > 0) { i--; ia[i] = ib[i] + 2; } }
LOOP(do_while) { int i = 0; do { a[i] = b[i] * 2.0; i++; } while (i < n); }
