/* Linear dependence: what one iteration writes, another may read. */
#undef CATEGORY
#define CATEGORY "dependence"

LOOP(copy_scaled) { for (int i = 0; i < N; i++) a[i] = x * b[i]; }
LOOP(next_element) { for (int i = 0; i < N - 1; i++) a[i] = a[i + 1] * 0.5 + b[i]; }
LOOP(previous_element) { for (int i = 1; i < N; i++) a[i] = a[i - 1] * 0.5 + b[i]; }
LOOP(distance_of_eight) { for (int i = 8; i < N; i++) fa[i] = fa[i - 8] * 0.5f + fb[i]; }
LOOP(distance_of_two) { for (int i = 2; i < N; i++) a[i] = a[i - 2] * 0.5 + b[i]; }
LOOP(odd_of_even) { for (int i = 1; i < N; i += 2) a[i] = a[i - 1] + b[i]; }
LOOP(halves) { for (int i = 0; i < N / 2; i++) a[i] = a[i + N / 2] + b[i]; }
LOOP(halves_unknown) { for (int i = 0; i < half; i++) a[i] = a[i + half] + b[i]; }
LOOP(reversed) { for (int i = N - 1; i >= 0; i--) a[i] = b[i] + c[i]; }
LOOP(reversed_source) { for (int i = 0; i < N; i++) a[i] = b[N - 1 - i] * c[i]; }
LOOP(reversed_in_place) { for (int i = N - 2; i >= 0; i--) a[i + 1] = a[i] + b[i]; }
LOOP(stride_two) { for (int i = 0; i < N / 2; i++) a[2 * i] = b[2 * i] + c[i]; }
LOOP(stride_three) { for (int i = 0; i < N / 3; i++) ia[3 * i] = ib[i] + ic[i]; }
LOOP(gathered_stride) { for (int i = 0; i < N / 4; i++) fa[i] = fb[4 * i] * fc[i]; }
LOOP(ints_of_next) { for (int i = 0; i < N - 1; i++) ia[i] = ia[i + 1] + ib[i]; }
LOOP(bytes) { for (int i = 0; i < N; i++) ba[i] = bb[i] + bc[i]; }
LOOP(bytes_averaged) { for (int i = 0; i < N; i++) ba[i] = (bb[i] + bc[i] + 1) >> 1; }
LOOP(shorts_widened) { for (int i = 0; i < N; i++) ia[i] = sa[i] * sb[i]; }
LOOP(shorts_narrowed) { for (int i = 0; i < N; i++) sa[i] = (int16_t)(ib[i] + ic[i]); }
LOOP(longs) { for (int i = 0; i < N; i++) la[i] = lb[i] ^ (lc[i] << 3); }
LOOP(mixed_types) { for (int i = 0; i < N; i++) a[i] = fb[i] + (double)ic[i]; }
LOOP(to_integers) { for (int i = 0; i < N; i++) ia[i] = (int)(b[i] * 100.0); }

NOINLINE void may_overlap_body(double *to, const double *from, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = from[i] * 0.5;
}
LOOP(may_overlap) { may_overlap_body(a, b, n); }

NOINLINE void does_overlap_body(double *to, const double *from, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = from[i] * 0.5;
}
LOOP(does_overlap) { does_overlap_body(a + 1, a, n - 1); }

NOINLINE void restrict_parameters_body(float *restrict to, const float *restrict left, const float *restrict right,
                                       int count)
{
    for (int i = 0; i < count; i++)
        to[i] = left[i] + right[i];
}
LOOP(restrict_parameters) { restrict_parameters_body(fa, fb, fc, n); }

NOINLINE void three_outputs_may_overlap_body(int *p, int *q, int *r, const int *s, int count)
{
    for (int i = 0; i < count; i++) {
        p[i] = s[i] + 1;
        q[i] = s[i] * 3;
        r[i] = s[i] ^ 5;
    }
}
LOOP(three_outputs_may_overlap) { three_outputs_may_overlap_body(ia, ib, ic, id, n); }

NOINLINE void unknown_distance_body(float *p, int distance, int count)
{
    for (int i = 0; i < count; i++)
        p[i] = p[i + distance] * 0.5f;
}
LOOP(unknown_distance) { unknown_distance_body(fa, offset, n - offset); }
