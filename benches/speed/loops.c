// Simple loops over arrays: sums, products, least and greatest, prefix sums, counts, and a loop that only counts.
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 8000 };

static int a[SIZE], b[SIZE];
static double x[SIZE], y[SIZE];

static long sum(const int *a, int n) {
    long s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}

static long dot(const int *a, const int *b, int n) {
    long s = 0;
    for (int i = 0; i < n; i++)
        s += (long)a[i] * b[i];
    return s;
}

static double real_dot(const double *a, const double *b, int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}

static int least(const int *a, int n) {
    int m = a[0];
    for (int i = 1; i < n; i++)
        if (a[i] < m)
            m = a[i];
    return m;
}

static int place_of_greatest(const int *a, int n) {
    int place = 0;
    for (int i = 1; i < n; i++)
        if (a[i] > a[place])
            place = i;
    return place;
}

static void prefix(int *a, const int *b, int n) {
    a[0] = b[0];
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1] / 2 + b[i];
}

static int count(const int *a, int n, int value) {
    int c = 0;
    for (int i = 0; i < n; i++)
        c += a[i] == value;
    return c;
}

static void axpy(double *y, const double *x, double f, int n) {
    for (int i = 0; i < n; i++)
        y[i] += f * x[i];
}

static unsigned counts(unsigned n) {
    unsigned steps = 0;
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < n; j++)
            steps++;
    return steps;
}

static int clamp(int v) { return v < -100 ? -100 : v > 100 ? 100 : v; }

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    for (int i = 0; i < SIZE; i++) {
        b[i] = i * 7919 % 1009 - 500;
        x[i] = i % 31 * 0.25;
        y[i] = i % 7;
    }
    long total = 0;
    double real = 0;
    for (int i = 0; i < repeat; i++) {
        prefix(a, b, SIZE);
        total += sum(a, SIZE) + dot(a, b, SIZE) + least(a, SIZE) + place_of_greatest(a, SIZE) + count(a, SIZE, i % 100);
        for (int j = 0; j < SIZE; j++)
            total += clamp(b[j]);
        total += counts(400 + i % 8);
        axpy(y, x, 1e-3, SIZE);
        real += real_dot(x, y, SIZE);
        b[i % SIZE] ^= i;
    }
    printf("%ld %.17g\n", total, real);
    return 0;
}
