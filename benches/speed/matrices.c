// Matrices: products of doubles and of integers, transposition, LU decomposition, and powers of small ones.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 96, SMALL = 3 };

static double a[N][N], b[N][N], c[N][N], lu[N][N];
static int ia[N][N], ib[N][N], ic[N][N];

static void product(void) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}

static void integers(void) {
    memset(ic, 0, sizeof ic);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            for (int j = 0; j < N; j++)
                ic[i][j] += ia[i][k] * ib[k][j];
}

static void transpose(double m[N][N]) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++) {
            double t = m[i][j];
            m[i][j] = m[j][i];
            m[j][i] = t;
        }
}

static double determinant(void) {
    double result = 1;
    memcpy(lu, a, sizeof lu);
    for (int i = 0; i < N; i++) {
        int pivot = i;
        for (int r = i + 1; r < N; r++)
            if (fabs(lu[r][i]) > fabs(lu[pivot][i]))
                pivot = r;
        if (pivot != i) {
            result = -result;
            for (int k = 0; k < N; k++) {
                double t = lu[i][k];
                lu[i][k] = lu[pivot][k];
                lu[pivot][k] = t;
            }
        }
        result *= lu[i][i];
        for (int r = i + 1; r < N; r++) {
            double f = lu[r][i] / lu[i][i];
            for (int k = i; k < N; k++)
                lu[r][k] -= f * lu[i][k];
        }
    }
    return result;
}

struct small {
    uint32_t v[SMALL][SMALL];
};

static struct small multiply(struct small x, struct small y) {
    struct small z = {{{0}}};
    for (int i = 0; i < SMALL; i++)
        for (int j = 0; j < SMALL; j++)
            for (int k = 0; k < SMALL; k++)
                z.v[i][j] += x.v[i][k] * y.v[k][j];
    return z;
}

static uint32_t tribonacci(unsigned n) {
    struct small result = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, base = {{{1, 1, 1}, {1, 0, 0}, {0, 1, 0}}};
    for (; n; n >>= 1) {
        if (n & 1)
            result = multiply(result, base);
        base = multiply(base, base);
    }
    return result.v[0][1];
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = (i * 7 + j * 13) % 29 / 29.0 + (i == j);
            b[i][j] = (i + j) % 11 / 11.0;
            ia[i][j] = i ^ j, ib[i][j] = i - j;
        }
    double sum = 0;
    uint32_t whole = 0;
    for (int i = 0; i < repeat; i++) {
        product();
        integers();
        transpose(b);
        sum += c[i % N][i * 7 % N] + fmod(determinant(), 1000);
        whole += ic[i % N][i % 7];
        for (int k = 0; k < 500; k++)
            whole += tribonacci(i * 1000 + k);
        a[i % N][i * 3 % N] += 0.01;
    }
    printf("%.9g %u\n", sum, whole);
    return 0;
}
