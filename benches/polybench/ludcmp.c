/* Solves A*x = b: A = L*U without pivoting, then L*y = b and U*x = y. */
#include "polybench.h"

#ifndef N
#define N PB_SIZE(40, 120, 400, 2000, 4000)
#endif

static void init_array(int n, double A[N][N], double b[N], double x[N], double y[N])
{
    double fn = (double)n;
    for (int i = 0; i < n; i++) {
        x[i] = 0;
        y[i] = 0;
        b[i] = (i + 1) / fn / 2.0 + 4;
    }

    /* A positive definite matrix: a unit lower triangular one times its transpose. */
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++)
            A[i][j] = (double)(-j % n) / n + 1;
        for (int j = i + 1; j < n; j++)
            A[i][j] = 0;
        A[i][i] = 1;
    }
    double(*B)[N][N] = polybench_allocate(sizeof *B);
    for (int r = 0; r < n; r++)
        for (int s = 0; s < n; s++)
            (*B)[r][s] = 0;
    for (int t = 0; t < n; t++)
        for (int r = 0; r < n; r++)
            for (int s = 0; s < n; s++)
                (*B)[r][s] += A[r][t] * A[s][t];
    for (int r = 0; r < n; r++)
        for (int s = 0; s < n; s++)
            A[r][s] = (*B)[r][s];
    polybench_free(B);
}

static void print_array(int n, double x[N])
{
    PB_DUMP_START();
    PB_DUMP_BEGIN("x");
    for (int i = 0; i < n; i++)
        PB_DUMP_DOUBLE(i, x[i]);
    PB_DUMP_END("x");
    PB_DUMP_FINISH();
}

static void kernel_ludcmp(int n, double A[N][N], double b[N], double x[N], double y[N])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            double w = A[i][j];
            for (int k = 0; k < j; k++)
                w -= A[i][k] * A[k][j];
            A[i][j] = w / A[j][j];
        }
        for (int j = i; j < n; j++) {
            double w = A[i][j];
            for (int k = 0; k < i; k++)
                w -= A[i][k] * A[k][j];
            A[i][j] = w;
        }
    }
    for (int i = 0; i < n; i++) {
        double w = b[i];
        for (int j = 0; j < i; j++)
            w -= A[i][j] * y[j];
        y[i] = w;
    }
    for (int i = n - 1; i >= 0; i--) {
        double w = y[i];
        for (int j = i + 1; j < n; j++)
            w -= A[i][j] * x[j];
        x[i] = w / A[i][i];
    }
}

int main(int argc, char **argv)
{
    int n = N;
    double(*A)[N][N] = polybench_allocate(sizeof *A);
    double(*b)[N] = polybench_allocate(sizeof *b);
    double(*x)[N] = polybench_allocate(sizeof *x);
    double(*y)[N] = polybench_allocate(sizeof *y);

    init_array(n, *A, *b, *x, *y);
    PB_RUN(kernel_ludcmp(n, *A, *b, *x, *y));
    PB_RESULT(print_array(n, *x));

    polybench_free(A);
    polybench_free(b);
    polybench_free(x);
    polybench_free(y);
    return 0;
}
