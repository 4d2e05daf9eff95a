/* Reductions. */
#undef CATEGORY
#define CATEGORY "reduction"

LOOP(sum_of_ints) { int s = 0; for (int i = 0; i < N; i++) s += ia[i]; sum = s; }
LOOP(sum_in_memory) { sum = 0; for (int i = 0; i < N; i++) sum += ia[i]; }
LOOP(sum_of_doubles) { double s = 0; for (int i = 0; i < N; i++) s += a[i]; total = s; }
LOOP(sum_of_floats) { float s = 0; for (int i = 0; i < N; i++) s += fa[i]; total = s; }
LOOP(dot_of_ints) { int s = 0; for (int i = 0; i < N; i++) s += ia[i] * ib[i]; sum = s; }
LOOP(dot_of_shorts) { unsigned s = 0; for (int i = 0; i < N; i++) s += (unsigned)(sa[i] * sb[i]); sum = (int)s; }
LOOP(dot_of_doubles) { double s = 0; for (int i = 0; i < N; i++) s += a[i] * b[i]; total = s; }
LOOP(sum_of_bytes) { int s = 0; for (int i = 0; i < N; i++) s += ba[i]; sum = s; }
LOOP(sum_of_longs) { int64_t s = 0; for (int i = 0; i < N; i++) s += la[i]; lsum = s; }
LOOP(differences_of_bytes) { int s = 0; for (int i = 0; i < N; i++) s += abs(ba[i] - bb[i]); sum = s; }
LOOP(product) { unsigned p = 1; for (int i = 0; i < N; i++) p *= id[i] | 1; sum = (int)p; }
LOOP(smallest) { int s = ia[0]; for (int i = 1; i < N; i++) if (ia[i] < s) s = ia[i]; sum = s; }
LOOP(largest_of_bytes) { uint8_t s = 0; for (int i = 0; i < N; i++) s = ba[i] > s ? ba[i] : s; sum = s; }
LOOP(largest_of_doubles) { double s = a[0]; for (int i = 1; i < N; i++) if (a[i] > s) s = a[i]; total = s; }
LOOP(place_of_smallest) { int at = 0; for (int i = 1; i < N; i++) if (ia[i] < ia[at]) at = i; sum = at; }
LOOP(all_ones) { int s = -1; for (int i = 0; i < N; i++) s &= ia[i] | 0xff; sum = s; }
LOOP(any_ones) { int s = 0; for (int i = 0; i < N; i++) s |= ia[i]; sum = s; }
LOOP(parity) { int s = 0; for (int i = 0; i < N; i++) s ^= ia[i]; sum = s; }
LOOP(count_if) { int s = 0; for (int i = 0; i < N; i++) if (ia[i] > 0) s++; sum = s; }
LOOP(count_bytes) { int s = 0; for (int i = 0; i < N; i++) s += ba[i] == 7; sum = s; }
LOOP(sum_if) { int s = 0; for (int i = 0; i < N; i++) if (ia[i] > 0) s += ib[i]; sum = s; }
LOOP(two_sums) { int s = 0, t = 0; for (int i = 0; i < N; i++) { s += ia[i]; t += ia[i] * ib[i]; } sum = s ^ t; }
LOOP(sum_of_both) { int s = 0; for (int i = 0; i < N; i += 2) s += ia[i] + ia[i + 1]; sum = s; }
LOOP(sums_of_rows) { for (int i = 0; i < M; i++) { int s = 0; for (int j = 0; j < M; j++) s += im[i][j]; ia[i] = s; } }
LOOP(sums_of_columns) { for (int j = 0; j < M; j++) { int s = 0; for (int i = 0; i < M; i++) s += im[i][j]; ia[j] = s; } }
LOOP(any_is_true) { int s = 0; for (int i = 0; i < N; i++) s |= a[i] > 2.0; found = s; }
LOOP(bits_counted) { int s = 0; for (int i = 0; i < N; i++) s += __builtin_popcount(ia[i]); sum = s; }
