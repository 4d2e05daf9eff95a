/* Each point of the plane becomes the mean of itself and its eight neighbours, in place. */
#include "polybench.h"

#ifndef TSTEPS
#define TSTEPS PB_SIZE(20, 40, 100, 500, 1000)
#endif
#ifndef N
#define N PB_SIZE(40, 120, 400, 2000, 4000)
#endif

static void init_array(int n, double A[N][N])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i][j] = ((double)i * (j + 2) + 2) / n;
}

static void print_array(int n, double A[N][N])
{
    PB_DUMP_START();
    PB_DUMP_BEGIN("A");
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            PB_DUMP_DOUBLE(i * n + j, A[i][j]);
    PB_DUMP_END("A");
    PB_DUMP_FINISH();
}

static void kernel_seidel_2d(int tsteps, int n, double A[N][N])
{
    for (int t = 0; t <= tsteps - 1; t++)
        for (int i = 1; i <= n - 2; i++)
            for (int j = 1; j <= n - 2; j++)
                A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1] + A[i][j - 1] + A[i][j] + A[i][j + 1] +
                           A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) /
                          9.0;
}

int main(int argc, char **argv)
{
    int tsteps = TSTEPS, n = N;
    double(*A)[N][N] = polybench_allocate(sizeof *A);

    init_array(n, *A);
    PB_RUN(kernel_seidel_2d(tsteps, n, *A));
    PB_RESULT(print_array(n, *A));

    polybench_free(A);
    return 0;
}
