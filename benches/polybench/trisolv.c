/* Solves L*x = b for a lower triangular L. */
#include "polybench.h"

#ifndef N
#define N PB_SIZE(40, 120, 400, 2000, 4000)
#endif

static void init_array(int n, double L[N][N], double x[N], double b[N])
{
    for (int i = 0; i < n; i++) {
        x[i] = -999;
        b[i] = i;
        for (int j = 0; j <= i; j++)
            L[i][j] = (double)(i + n - j + 1) * 2 / n;
    }
}

static void print_array(int n, double x[N])
{
    PB_DUMP_START();
    PB_DUMP_BEGIN("x");
    for (int i = 0; i < n; i++)
        PB_DUMP_DOUBLE(i, x[i]);
    PB_DUMP_END("x");
    PB_DUMP_FINISH();
}

static void kernel_trisolv(int n, double L[N][N], double x[N], double b[N])
{
    for (int i = 0; i < n; i++) {
        x[i] = b[i];
        for (int j = 0; j < i; j++)
            x[i] -= L[i][j] * x[j];
        x[i] = x[i] / L[i][i];
    }
}

int main(int argc, char **argv)
{
    int n = N;
    double(*L)[N][N] = polybench_allocate(sizeof *L);
    double(*x)[N] = polybench_allocate(sizeof *x);
    double(*b)[N] = polybench_allocate(sizeof *b);

    init_array(n, *L, *x, *b);
    PB_RUN(kernel_trisolv(n, *L, *x, *b));
    PB_RESULT(print_array(n, *x));

    polybench_free(L);
    polybench_free(x);
    polybench_free(b);
    return 0;
}
