/* A = L*U without pivoting, L with a unit diagonal, both in A's place. */
#include "polybench.h"

#ifndef N
#define N PB_SIZE(40, 120, 400, 2000, 4000)
#endif

static void init_array(int n, double A[N][N])
{
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

static void kernel_lu(int n, double A[N][N])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                A[i][j] -= A[i][k] * A[k][j];
            A[i][j] /= A[j][j];
        }
        for (int j = i; j < n; j++)
            for (int k = 0; k < i; k++)
                A[i][j] -= A[i][k] * A[k][j];
    }
}

int main(int argc, char **argv)
{
    int n = N;
    double(*A)[N][N] = polybench_allocate(sizeof *A);

    init_array(n, *A);
    PB_RUN(kernel_lu(n, *A));
    PB_RESULT(print_array(n, *A));

    polybench_free(A);
    return 0;
}
