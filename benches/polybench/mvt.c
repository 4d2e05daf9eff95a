/* x1 = x1 + A*y1 and x2 = x2 + At*y2. */
#include "polybench.h"

#ifndef N
#define N PB_SIZE(40, 120, 400, 2000, 4000)
#endif

static void init_array(int n, double x1[N], double x2[N], double y_1[N], double y_2[N], double A[N][N])
{
    for (int i = 0; i < n; i++) {
        x1[i] = (double)(i % n) / n;
        x2[i] = (double)((i + 1) % n) / n;
        y_1[i] = (double)((i + 3) % n) / n;
        y_2[i] = (double)((i + 4) % n) / n;
        for (int j = 0; j < n; j++)
            A[i][j] = (double)(i * j % n) / n;
    }
}

static void print_array(int n, double x1[N], double x2[N])
{
    PB_DUMP_START();
    PB_DUMP_BEGIN("x1");
    for (int i = 0; i < n; i++)
        PB_DUMP_DOUBLE(i, x1[i]);
    PB_DUMP_END("x1");
    PB_DUMP_BEGIN("x2");
    for (int i = 0; i < n; i++)
        PB_DUMP_DOUBLE(i, x2[i]);
    PB_DUMP_END("x2");
    PB_DUMP_FINISH();
}

static void kernel_mvt(int n, double x1[N], double x2[N], double y_1[N], double y_2[N], double A[N][N])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x1[i] = x1[i] + A[i][j] * y_1[j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x2[i] = x2[i] + A[j][i] * y_2[j];
}

int main(int argc, char **argv)
{
    int n = N;
    double(*A)[N][N] = polybench_allocate(sizeof *A);
    double(*x1)[N] = polybench_allocate(sizeof *x1);
    double(*x2)[N] = polybench_allocate(sizeof *x2);
    double(*y_1)[N] = polybench_allocate(sizeof *y_1);
    double(*y_2)[N] = polybench_allocate(sizeof *y_2);

    init_array(n, *x1, *x2, *y_1, *y_2, *A);
    PB_RUN(kernel_mvt(n, *x1, *x2, *y_1, *y_2, *A));
    PB_RESULT(print_array(n, *x1, *x2));

    polybench_free(A);
    polybench_free(x1);
    polybench_free(x2);
    polybench_free(y_1);
    polybench_free(y_2);
    return 0;
}
