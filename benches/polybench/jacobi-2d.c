/* Each point of the plane becomes the mean of itself and its four neighbours, between two arrays. */
#include "polybench.h"

#ifndef TSTEPS
#define TSTEPS PB_SIZE(20, 40, 100, 500, 1000)
#endif
#ifndef N
#define N PB_SIZE(30, 90, 250, 1300, 2800)
#endif

static void init_array(int n, double A[N][N], double B[N][N])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            A[i][j] = ((double)i * (j + 2) + 2) / n;
            B[i][j] = ((double)i * (j + 3) + 3) / n;
        }
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

static void kernel_jacobi_2d(int tsteps, int n, double A[N][N], double B[N][N])
{
    for (int t = 0; t < tsteps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][1 + j] + A[1 + i][j] + A[i - 1][j]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][1 + j] + B[1 + i][j] + B[i - 1][j]);
    }
}

int main(int argc, char **argv)
{
    int tsteps = TSTEPS, n = N;
    double(*A)[N][N] = polybench_allocate(sizeof *A);
    double(*B)[N][N] = polybench_allocate(sizeof *B);

    init_array(n, *A, *B);
    PB_RUN(kernel_jacobi_2d(tsteps, n, *A, *B));
    PB_RESULT(print_array(n, *A));

    polybench_free(A);
    polybench_free(B);
    return 0;
}
