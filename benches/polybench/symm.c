/* C = alpha*A*B + beta*C; A is symmetric, and only its lower triangle is stored. */
#include "polybench.h"

#ifndef M
#define M PB_SIZE(20, 60, 200, 1000, 2000)
#endif
#ifndef N
#define N PB_SIZE(30, 80, 240, 1200, 2600)
#endif

static void init_array(int m, int n, double *alpha, double *beta, double C[M][N], double A[M][M], double B[M][N])
{
    *alpha = 1.5;
    *beta = 1.2;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            C[i][j] = (double)((i + j) % 100) / m;
            B[i][j] = (double)((n + i - j) % 100) / m;
        }
    for (int i = 0; i < m; i++) {
        for (int j = 0; j <= i; j++)
            A[i][j] = (double)((i + j) % 100) / m;
        /* Nobody reads these. */
        for (int j = i + 1; j < m; j++)
            A[i][j] = -999;
    }
}

static void print_array(int m, int n, double C[M][N])
{
    PB_DUMP_START();
    PB_DUMP_BEGIN("C");
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            PB_DUMP_DOUBLE(i * m + j, C[i][j]);
    PB_DUMP_END("C");
    PB_DUMP_FINISH();
}

static void kernel_symm(int m, int n, double alpha, double beta, double C[M][N], double A[M][M], double B[M][N])
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double temp2 = 0;
            for (int k = 0; k < i; k++) {
                C[k][j] += alpha * B[i][j] * A[i][k];
                temp2 += B[k][j] * A[i][k];
            }
            C[i][j] = beta * C[i][j] + alpha * B[i][j] * A[i][i] + alpha * temp2;
        }
}

int main(int argc, char **argv)
{
    int m = M, n = N;
    double alpha, beta;
    double(*C)[M][N] = polybench_allocate(sizeof *C);
    double(*A)[M][M] = polybench_allocate(sizeof *A);
    double(*B)[M][N] = polybench_allocate(sizeof *B);

    init_array(m, n, &alpha, &beta, *C, *A, *B);
    PB_RUN(kernel_symm(m, n, alpha, beta, *C, *A, *B));
    PB_RESULT(print_array(m, n, *C));

    polybench_free(C);
    polybench_free(A);
    polybench_free(B);
    return 0;
}
