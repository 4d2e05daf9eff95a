/* Each point of a line becomes the mean of itself and its neighbours, between two arrays. */
#include "polybench.h"

#ifndef TSTEPS
#define TSTEPS PB_SIZE(20, 40, 100, 500, 1000)
#endif
#ifndef N
#define N PB_SIZE(30, 120, 400, 2000, 4000)
#endif

static void init_array(int n, double A[N], double B[N])
{
    for (int i = 0; i < n; i++) {
        A[i] = ((double)i + 2) / n;
        B[i] = ((double)i + 3) / n;
    }
}

static void print_array(int n, double A[N])
{
    PB_DUMP_START();
    PB_DUMP_BEGIN("A");
    for (int i = 0; i < n; i++)
        PB_DUMP_DOUBLE(i, A[i]);
    PB_DUMP_END("A");
    PB_DUMP_FINISH();
}

static void kernel_jacobi_1d(int tsteps, int n, double A[N], double B[N])
{
    for (int t = 0; t < tsteps; t++) {
        for (int i = 1; i < n - 1; i++)
            B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
        for (int i = 1; i < n - 1; i++)
            A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1]);
    }
}

int main(int argc, char **argv)
{
    int tsteps = TSTEPS, n = N;
    double(*A)[N] = polybench_allocate(sizeof *A);
    double(*B)[N] = polybench_allocate(sizeof *B);

    init_array(n, *A, *B);
    PB_RUN(kernel_jacobi_1d(tsteps, n, *A, *B));
    PB_RESULT(print_array(n, *A));

    polybench_free(A);
    polybench_free(B);
    return 0;
}
