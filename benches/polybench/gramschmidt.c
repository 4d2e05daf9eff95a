/* A = Q*R by the modified Gram-Schmidt process. */
#include <math.h>

#include "polybench.h"

#ifndef M
#define M PB_SIZE(20, 60, 200, 1000, 2000)
#endif
#ifndef N
#define N PB_SIZE(30, 80, 240, 1200, 2600)
#endif

static void init_array(int m, int n, double A[M][N], double R[N][N], double Q[M][N])
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            A[i][j] = (((double)((i * j) % m) / m) * 100) + 10;
            Q[i][j] = 0.0;
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            R[i][j] = 0.0;
}

static void print_array(int m, int n, double R[N][N], double Q[M][N])
{
    PB_DUMP_START();
    PB_DUMP_BEGIN("R");
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            PB_DUMP_DOUBLE(i * n + j, R[i][j]);
    PB_DUMP_END("R");
    PB_DUMP_BEGIN("Q");
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            PB_DUMP_DOUBLE(i * n + j, Q[i][j]);
    PB_DUMP_END("Q");
    PB_DUMP_FINISH();
}

static void kernel_gramschmidt(int m, int n, double A[M][N], double R[N][N], double Q[M][N])
{
    for (int k = 0; k < n; k++) {
        double nrm = 0.0;
        for (int i = 0; i < m; i++)
            nrm += A[i][k] * A[i][k];
        R[k][k] = sqrt(nrm);
        for (int i = 0; i < m; i++)
            Q[i][k] = A[i][k] / R[k][k];
        for (int j = k + 1; j < n; j++) {
            R[k][j] = 0.0;
            for (int i = 0; i < m; i++)
                R[k][j] += Q[i][k] * A[i][j];
            for (int i = 0; i < m; i++)
                A[i][j] = A[i][j] - Q[i][k] * R[k][j];
        }
    }
}

int main(int argc, char **argv)
{
    int m = M, n = N;
    double(*A)[M][N] = polybench_allocate(sizeof *A);
    double(*R)[N][N] = polybench_allocate(sizeof *R);
    double(*Q)[M][N] = polybench_allocate(sizeof *Q);

    init_array(m, n, *A, *R, *Q);
    PB_RUN(kernel_gramschmidt(m, n, *A, *R, *Q));
    PB_RESULT(print_array(m, n, *R, *Q));

    polybench_free(A);
    polybench_free(R);
    polybench_free(Q);
    return 0;
}
