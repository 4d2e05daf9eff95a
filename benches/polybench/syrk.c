/* The lower triangle of C = alpha*A*At + beta*C. */
#include "polybench.h"

#ifndef M
#define M PB_SIZE(20, 60, 200, 1000, 2000)
#endif
#ifndef N
#define N PB_SIZE(30, 80, 240, 1200, 2600)
#endif

static void init_array(int n, int m, double *alpha, double *beta, double C[N][N], double A[N][M])
{
    *alpha = 1.5;
    *beta = 1.2;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            A[i][j] = (double)((i * j + 1) % n) / n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            C[i][j] = (double)((i * j + 2) % m) / m;
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

static void kernel_syrk(int n, int m, double alpha, double beta, double C[N][N], double A[N][M])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++)
            C[i][j] *= beta;
        for (int k = 0; k < m; k++)
            for (int j = 0; j <= i; j++)
                C[i][j] += alpha * A[i][k] * A[j][k];
    }
}

int main(int argc, char **argv)
{
    int m = M, n = N;
    double alpha, beta;
    double(*C)[N][N] = polybench_allocate(sizeof *C);
    double(*A)[N][M] = polybench_allocate(sizeof *A);

    init_array(n, m, &alpha, &beta, *C, *A);
    PB_RUN(kernel_syrk(n, m, alpha, beta, *C, *A));
    PB_RESULT(print_array(n, *C));

    polybench_free(C);
    polybench_free(A);
    return 0;
}
