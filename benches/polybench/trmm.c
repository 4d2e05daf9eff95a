/* B = alpha*At*B; A is lower triangular with a unit diagonal. */
#include "polybench.h"

#ifndef M
#define M PB_SIZE(20, 60, 200, 1000, 2000)
#endif
#ifndef N
#define N PB_SIZE(30, 80, 240, 1200, 2600)
#endif

static void init_array(int m, int n, double *alpha, double A[M][M], double B[M][N])
{
    *alpha = 1.5;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < i; j++)
            A[i][j] = (double)((i + j) % m) / m;
        A[i][i] = 1.0;
        for (int j = 0; j < n; j++)
            B[i][j] = (double)((n + (i - j)) % n) / n;
    }
}

static void print_array(int m, int n, double B[M][N])
{
    PB_DUMP_START();
    PB_DUMP_BEGIN("B");
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            PB_DUMP_DOUBLE(i * m + j, B[i][j]);
    PB_DUMP_END("B");
    PB_DUMP_FINISH();
}

static void kernel_trmm(int m, int n, double alpha, double A[M][M], double B[M][N])
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            for (int k = i + 1; k < m; k++)
                B[i][j] += A[k][i] * B[k][j];
            B[i][j] = alpha * B[i][j];
        }
}

int main(int argc, char **argv)
{
    int m = M, n = N;
    double alpha;
    double(*A)[M][M] = polybench_allocate(sizeof *A);
    double(*B)[M][N] = polybench_allocate(sizeof *B);

    init_array(m, n, &alpha, *A, *B);
    PB_RUN(kernel_trmm(m, n, alpha, *A, *B));
    PB_RESULT(print_array(m, n, *B));

    polybench_free(A);
    polybench_free(B);
    return 0;
}
