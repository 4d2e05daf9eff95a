/* Recurrences and searches. */
#undef CATEGORY
#define CATEGORY "recurrence"

LOOP(prefix_sum) { int s = 0; for (int i = 0; i < N; i++) { s += ib[i]; ia[i] = s; } }
LOOP(prefix_sum_of_doubles) { double s = 0; for (int i = 0; i < N; i++) { s += b[i]; a[i] = s; } }
LOOP(first_order) { for (int i = 1; i < N; i++) a[i] = b[i] + a[i - 1] * c[i] * 0.5; }
LOOP(second_order) { for (int i = 2; i < N; i++) a[i] = 0.25 * a[i - 1] + 0.25 * a[i - 2] + b[i]; }
LOOP(polynomial) { double s = 0; for (int i = 0; i < N; i++) s = s * 0.5 + b[i]; total = s; }
LOOP(several_polynomials) { for (int i = 0; i < N; i++) a[i] = ((0.5 * b[i] + 0.25) * b[i] + 0.125) * b[i] + 1.0; }
LOOP(smoothed) { double s = 0; for (int i = 0; i < N; i++) { s = 0.9 * s + 0.1 * b[i]; a[i] = s; } }
LOOP(crc_like) { unsigned s = 1; for (int i = 0; i < N; i++) s = (s >> 1) ^ (s & 1 ? 0xedb88320u : 0) ^ ba[i]; sum = (int)s; }
LOOP(hash_of_bytes) { unsigned s = 5381; for (int i = 0; i < N; i++) s = s * 33 + ba[i]; sum = (int)s; }
LOOP(first_greater) { int at = -1; for (int i = 0; i < N; i++) if (ia[i] > 2000) { at = i; break; } sum = at; }
LOOP(last_greater) { int at = -1; for (int i = 0; i < N; i++) if (ia[i] > 900) at = i; sum = at; }
LOOP(first_byte) { int at = -1; for (int i = 0; i < N; i++) if (ba[i] == bb[i] && bb[i] == bc[i]) { at = i; break; } sum = at; }
LOOP(all_equal) { int same = 1; for (int i = 0; i < N; i++) if (ia[i] != ia[i] + ic[i] - ic[i]) { same = 0; break; } found = same; }
LOOP(length_of_text) { int i = 0; while (i < N - 1 && ia[i] != 7777) i++; sum = i; }
LOOP(found_between) { int s = 0; for (int i = 0; i < N; i++) if (ia[i] > -100 && ia[i] < 100) s = 1; found = s; }
