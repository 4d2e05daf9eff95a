/* The lower triangle of C = alpha*A*Bt + alpha*B*At + beta*C. */
#include "polybench.h"

#ifndef M
#define M PB_SIZE(20, 60, 200, 1000, 2000)
#endif
#ifndef N
#define N PB_SIZE(30, 80, 240, 1200, 2600)
#endif

static void init_array(int n, int m, double *alpha, double *beta, double C[N][N], double A[N][M], double B[N][M])
{
    *alpha = 1.5;
    *beta = 1.2;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            A[i][j] = (double)((i * j + 1) % n) / n;
            B[i][j] = (double)((i * j + 2) % m) / m;
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            C[i][j] = (double)((i * j + 3) % n) / m;
}

static void print_array(int n, double C[N][N])
{
    PB_DUMP_START();
    PB_DUMP_BEGIN("C");
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            PB_DUMP_DOUBLE(i * n + j, C[i][j]);
    PB_DUMP_END("C");
    PB_DUMP_FINISH();
}

static void kernel_syr2k(int n, int m, double alpha, double beta, double C[N][N], double A[N][M], double B[N][M])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++)
            C[i][j] *= beta;
        for (int k = 0; k < m; k++)
            for (int j = 0; j <= i; j++)
                C[i][j] += A[j][k] * alpha * B[i][k] + B[j][k] * alpha * A[i][k];
    }
}

int main(int argc, char **argv)
{
    int m = M, n = N;
    double alpha, beta;
    double(*C)[N][N] = polybench_allocate(sizeof *C);
    double(*A)[N][M] = polybench_allocate(sizeof *A);
    double(*B)[N][M] = polybench_allocate(sizeof *B);

    init_array(n, m, &alpha, &beta, *C, *A, *B);
    PB_RUN(kernel_syr2k(n, m, alpha, beta, *C, *A, *B));
    PB_RESULT(print_array(n, *C));

    polybench_free(C);
    polybench_free(A);
    polybench_free(B);
    return 0;
}
