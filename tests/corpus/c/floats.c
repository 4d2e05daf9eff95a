/* Floating point: rounding, comparisons with NaN, conversions, special values, long double, accumulation order. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t bits(double d) {
    uint64_t b;
    memcpy(&b, &d, sizeof b);
    return b;
}

static int compare(double a, double b) {
    return (a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5 | (!(a < b)) << 6
         | (isunordered(a, b) != 0) << 7;
}

static double newton(double n) {
    double x = n, last = 0;
    while (fabs(x - last) > 1e-12 * x) {
        last = x;
        x = (x + n / x) / 2;
    }
    return x;
}

static double kahan(const float *values, int count) {
    float sum = 0, lost = 0;
    for (int i = 0; i < count; i++) {
        float y = values[i] - lost, t = sum + y;
        lost = (t - sum) - y;
        sum = t;
    }
    return sum;
}

static double integrate(double (*f)(double), double from, double to, int steps) {
    double h = (to - from) / steps, s = f(from) + f(to);
    for (int i = 1; i < steps; i++) s += f(from + i * h) * (i % 2 ? 4 : 2);
    return s * h / 3;
}

static double curve(double x) { return x * x * x - 2 * x + 1 / (1 + x * x); }

int main(void) {
    double values[] = {0.0, -0.0, 1.0, -1.5, INFINITY, -INFINITY, NAN, DBL_MIN, DBL_MAX, 5e-324, 1e16, 0.1};
    int count = sizeof values / sizeof *values;
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) printf("%x ", compare(values[i], values[j]));
    }
    printf("\n");
    for (int i = 0; i < count; i++) {
        double v = values[i];
        if (!isnan(v)) printf("%016llx %016llx %a %d%d ", (unsigned long long)bits(v * 3 - 1), (unsigned long long)bits(-v), (double)(float)v,
                              signbit(v) != 0, isfinite(v) != 0);
    }
    printf("\n%.15f %.15f\n", newton(2), newton(12345.678));
    float list[1000], plain = 0;
    for (int i = 0; i < 1000; i++) list[i] = 0.1f * (float)(i % 7) + 1000.0f / (float)(i + 1), plain += list[i];
    printf("%.7g %.7g\n", plain, kahan(list, 1000));
    printf("%.12f\n", integrate(curve, -1, 2, 300));
    double d = -3.99;
    printf("%d %u %lld %d %d\n", (int)d, (unsigned)-d, (long long)(d * 1e10), (char)65.9, (int)(float)16777217);
    printf("%.1f %.1f %.17g %.9g\n", (double)UINT64_MAX, (double)INT64_MIN, (double)123456789012345678LL, (float)123456789);
    long double l = 1.0L / 3;
    for (int i = 0; i < 10; i++) {
        long double less = l > 0.4L ? 0.7L : 0.6L;
        l *= 3; /* In one expression clang would contract it, and fold it differently than it computes it. */
        l -= less;
    }
    printf("%.18Lf %d %d\n", l, (int)(l * 1000), l < 0.1L);
    printf("%.6f %.6f %.6f %.1f %.1f %.1f\n", fmod(7.5, 2), sqrt(3), copysign(1, -0.0), floor(-1.5), ceil(-1.5), round(2.5));
    printf("%d %d\n", 0.1 + 0.2 == 0.3, 0.1f + 0.2f == 0.3f);
    _Float16 half = (_Float16)1.0009765f;
    half += (_Float16)2.0f;
    printf("%.6f\n", (double)half);
    return 0;
}
