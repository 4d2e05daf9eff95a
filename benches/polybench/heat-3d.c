/* Heat in a cube with a fixed border, between two arrays. */
#include "polybench.h"

#ifndef TSTEPS
#define TSTEPS PB_SIZE(20, 40, 100, 500, 1000)
#endif
#ifndef N
#define N PB_SIZE(10, 20, 40, 120, 200)
#endif

static void init_array(int n, double A[N][N][N], double B[N][N][N])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                A[i][j][k] = B[i][j][k] = (double)(i + j + (n - k)) * 10 / n;
}

static void print_array(int n, double A[N][N][N])
{
    PB_DUMP_START();
    PB_DUMP_BEGIN("A");
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                PB_DUMP_DOUBLE(i * n * n + j * n + k, A[i][j][k]);
    PB_DUMP_END("A");
    PB_DUMP_FINISH();
}

static void kernel_heat_3d(int tsteps, int n, double A[N][N][N], double B[N][N][N])
{
    for (int t = 1; t <= tsteps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                for (int k = 1; k < n - 1; k++)
                    B[i][j][k] = 0.125 * (A[i + 1][j][k] - 2.0 * A[i][j][k] + A[i - 1][j][k]) +
                                 0.125 * (A[i][j + 1][k] - 2.0 * A[i][j][k] + A[i][j - 1][k]) +
                                 0.125 * (A[i][j][k + 1] - 2.0 * A[i][j][k] + A[i][j][k - 1]) + A[i][j][k];
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                for (int k = 1; k < n - 1; k++)
                    A[i][j][k] = 0.125 * (B[i + 1][j][k] - 2.0 * B[i][j][k] + B[i - 1][j][k]) +
                                 0.125 * (B[i][j + 1][k] - 2.0 * B[i][j][k] + B[i][j - 1][k]) +
                                 0.125 * (B[i][j][k + 1] - 2.0 * B[i][j][k] + B[i][j][k - 1]) + B[i][j][k];
    }
}

int main(int argc, char **argv)
{
    int tsteps = TSTEPS, n = N;
    double(*A)[N][N][N] = polybench_allocate(sizeof *A);
    double(*B)[N][N][N] = polybench_allocate(sizeof *B);

    init_array(n, *A, *B);
    PB_RUN(kernel_heat_3d(tsteps, n, *A, *B));
    PB_RESULT(print_array(n, *A));

    polybench_free(A);
    polybench_free(B);
    return 0;
}
