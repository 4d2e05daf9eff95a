/* A = A + u1*v1t + u2*v2t, x = x + beta*At*y + z and w = w + alpha*A*x. */
#include "polybench.h"

#ifndef N
#define N PB_SIZE(40, 120, 400, 2000, 4000)
#endif

static void init_array(int n, double *alpha, double *beta, double A[N][N], double u1[N], double v1[N], double u2[N],
                       double v2[N], double w[N], double x[N], double y[N], double z[N])
{
    *alpha = 1.5;
    *beta = 1.2;
    double fn = (double)n;
    for (int i = 0; i < n; i++) {
        u1[i] = i;
        u2[i] = ((i + 1) / fn) / 2.0;
        v1[i] = ((i + 1) / fn) / 4.0;
        v2[i] = ((i + 1) / fn) / 6.0;
        y[i] = ((i + 1) / fn) / 8.0;
        z[i] = ((i + 1) / fn) / 9.0;
        x[i] = 0.0;
        w[i] = 0.0;
        for (int j = 0; j < n; j++)
            A[i][j] = (double)(i * j % n) / n;
    }
}

static void print_array(int n, double w[N])
{
    PB_DUMP_START();
    PB_DUMP_BEGIN("w");
    for (int i = 0; i < n; i++)
        PB_DUMP_DOUBLE(i, w[i]);
    PB_DUMP_END("w");
    PB_DUMP_FINISH();
}

static void kernel_gemver(int n, double alpha, double beta, double A[N][N], double u1[N], double v1[N], double u2[N],
                          double v2[N], double w[N], double x[N], double y[N], double z[N])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i][j] = A[i][j] + u1[i] * v1[j] + u2[i] * v2[j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x[i] = x[i] + beta * A[j][i] * y[j];
    for (int i = 0; i < n; i++)
        x[i] = x[i] + z[i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            w[i] = w[i] + alpha * A[i][j] * x[j];
}

int main(int argc, char **argv)
{
    int n = N;
    double alpha, beta;
    double(*A)[N][N] = polybench_allocate(sizeof *A);
    double(*u1)[N] = polybench_allocate(sizeof *u1);
    double(*v1)[N] = polybench_allocate(sizeof *v1);
    double(*u2)[N] = polybench_allocate(sizeof *u2);
    double(*v2)[N] = polybench_allocate(sizeof *v2);
    double(*w)[N] = polybench_allocate(sizeof *w);
    double(*x)[N] = polybench_allocate(sizeof *x);
    double(*y)[N] = polybench_allocate(sizeof *y);
    double(*z)[N] = polybench_allocate(sizeof *z);

    init_array(n, &alpha, &beta, *A, *u1, *v1, *u2, *v2, *w, *x, *y, *z);
    PB_RUN(kernel_gemver(n, alpha, beta, *A, *u1, *v1, *u2, *v2, *w, *x, *y, *z));
    PB_RESULT(print_array(n, *w));

    polybench_free(A);
    polybench_free(u1);
    polybench_free(v1);
    polybench_free(u2);
    polybench_free(v2);
    polybench_free(w);
    polybench_free(x);
    polybench_free(y);
    polybench_free(z);
    return 0;
}
