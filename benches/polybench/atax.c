/* y = At*(A*x). */
#include "polybench.h"

#ifndef M
#define M PB_SIZE(38, 116, 390, 1900, 1800)
#endif
#ifndef N
#define N PB_SIZE(42, 124, 410, 2100, 2200)
#endif

static void init_array(int m, int n, double A[M][N], double x[N])
{
    double fn = (double)n;
    for (int i = 0; i < n; i++)
        x[i] = 1 + i / fn;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            A[i][j] = (double)((i + j) % n) / (5 * m);
}

static void print_array(int n, double y[N])
{
    PB_DUMP_START();
    PB_DUMP_BEGIN("y");
    for (int i = 0; i < n; i++)
        PB_DUMP_DOUBLE(i, y[i]);
    PB_DUMP_END("y");
    PB_DUMP_FINISH();
}

static void kernel_atax(int m, int n, double A[M][N], double x[N], double y[N], double tmp[M])
{
    for (int i = 0; i < n; i++)
        y[i] = 0;
    for (int i = 0; i < m; i++) {
        tmp[i] = 0.0;
        for (int j = 0; j < n; j++)
            tmp[i] = tmp[i] + A[i][j] * x[j];
        for (int j = 0; j < n; j++)
            y[j] = y[j] + A[i][j] * tmp[i];
    }
}

int main(int argc, char **argv)
{
    int m = M, n = N;
    double(*A)[M][N] = polybench_allocate(sizeof *A);
    double(*x)[N] = polybench_allocate(sizeof *x);
    double(*y)[N] = polybench_allocate(sizeof *y);
    double(*tmp)[M] = polybench_allocate(sizeof *tmp);

    init_array(m, n, *A, *x);
    PB_RUN(kernel_atax(m, n, *A, *x, *y, *tmp));
    PB_RESULT(print_array(n, *y));

    polybench_free(A);
    polybench_free(x);
    polybench_free(y);
    polybench_free(tmp);
    return 0;
}
