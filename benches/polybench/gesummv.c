/* y = alpha*A*x + beta*B*x. */
#include "polybench.h"

#ifndef N
#define N PB_SIZE(30, 90, 250, 1300, 2800)
#endif

static void init_array(int n, double *alpha, double *beta, double A[N][N], double B[N][N], double x[N])
{
    *alpha = 1.5;
    *beta = 1.2;
    for (int i = 0; i < n; i++) {
        x[i] = (double)(i % n) / n;
        for (int j = 0; j < n; j++) {
            A[i][j] = (double)((i * j + 1) % n) / n;
            B[i][j] = (double)((i * j + 2) % n) / n;
        }
    }
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

static void kernel_gesummv(int n, double alpha, double beta, double A[N][N], double B[N][N], double tmp[N], double x[N],
                           double y[N])
{
    for (int i = 0; i < n; i++) {
        tmp[i] = 0.0;
        y[i] = 0.0;
        for (int j = 0; j < n; j++) {
            tmp[i] = A[i][j] * x[j] + tmp[i];
            y[i] = B[i][j] * x[j] + y[i];
        }
        y[i] = alpha * tmp[i] + beta * y[i];
    }
}

int main(int argc, char **argv)
{
    int n = N;
    double alpha, beta;
    double(*A)[N][N] = polybench_allocate(sizeof *A);
    double(*B)[N][N] = polybench_allocate(sizeof *B);
    double(*tmp)[N] = polybench_allocate(sizeof *tmp);
    double(*x)[N] = polybench_allocate(sizeof *x);
    double(*y)[N] = polybench_allocate(sizeof *y);

    init_array(n, &alpha, &beta, *A, *B, *x);
    PB_RUN(kernel_gesummv(n, alpha, beta, *A, *B, *tmp, *x, *y));
    PB_RESULT(print_array(n, *y));

    polybench_free(A);
    polybench_free(B);
    polybench_free(tmp);
    polybench_free(x);
    polybench_free(y);
    return 0;
}
