/* Induction variables: what counts beside the loop's own variable. */
#undef CATEGORY
#define CATEGORY "induction"

LOOP(second_counter) { int j = 0; for (int i = 0; i < N / 2; i++) { a[j] = b[i]; j += 2; } }
LOOP(counter_of_other_width) { long j = 0; for (int i = 0; i < N; i++) { ia[i] = (int)j; j += 7; } }
LOOP(index_as_value) { for (int i = 0; i < N; i++) ia[i] = i; }
LOOP(index_as_float) { for (int i = 0; i < N; i++) a[i] = b[i] * i; }
LOOP(index_squared) { for (int i = 0; i < N; i++) ia[i] = i * i + ib[i]; }
LOOP(pointers) { double *p = a; const double *q = b; for (int i = 0; i < N; i++) *p++ = *q++ + 1.0; }
LOOP(pointers_to_end) { for (float *p = fa, *q = fb; p != fa + N; p++, q++) *p = *q * 0.5f; }
LOOP(down_to_zero) { for (unsigned i = N; i-- > 0;) ia[i] = ib[i] - ic[i]; }
LOOP(unsigned_index) { for (unsigned i = 0; i < (unsigned)n; i++) ia[i] = ib[i] | ic[i]; }
LOOP(size_index) { for (size_t i = 0; i < (size_t)n; i++) fa[i] = fb[i] - fc[i]; }
LOOP(unknown_step) { for (int i = 0; i < n; i += one) a[i] = b[i] + c[i]; }
LOOP(unknown_start) { for (int i = offset; i < n; i++) a[i - offset] = b[i] + c[i]; }
LOOP(two_ends) { for (int i = 0, j = N - 1; i < j; i++, j--) a[i] = b[j]; }
LOOP(triangular_counter) { int j = 0; for (int i = 0; i < 50; i++) { j += i; a[j] = b[i]; } }
LOOP(wrap_around) { int j = N - 1; for (int i = 0; i < N; i++) { a[i] = b[i] + c[j]; j = i; } }
LOOP(geometric) { unsigned p = 1; for (int i = 0; i < N; i++) { ia[i] = (int)p; p *= 3; } }
LOOP(conditional_counter) { int j = 0; for (int i = 0; i < N; i++) { if (b[i] > 1.0) j++; ia[i] = j; } }
LOOP(remainder_index) { for (int i = 0; i < N; i++) a[i] = b[i & 63] + c[i]; }
LOOP(halved_index) { for (int i = 0; i < N; i++) a[i] = b[i >> 1]; }
LOOP(nested_counter) { int k = 0; for (int i = 0; i < M; i++) for (int j = 0; j < M; j++) a[k++] = aa[i][j]; }
