/* Every row A[r][q] of a tensor becomes its product with C4. */
#include "polybench.h"

#ifndef NQ
#define NQ PB_SIZE(8, 20, 40, 140, 220)
#endif
#ifndef NR
#define NR PB_SIZE(10, 25, 50, 150, 250)
#endif
#ifndef NP
#define NP PB_SIZE(12, 30, 60, 160, 270)
#endif

static void init_array(int nr, int nq, int np, double A[NR][NQ][NP], double C4[NP][NP])
{
    for (int i = 0; i < nr; i++)
        for (int j = 0; j < nq; j++)
            for (int k = 0; k < np; k++)
                A[i][j][k] = (double)((i * j + k) % np) / np;
    for (int i = 0; i < np; i++)
        for (int j = 0; j < np; j++)
            C4[i][j] = (double)(i * j % np) / np;
}

static void print_array(int nr, int nq, int np, double A[NR][NQ][NP])
{
    PB_DUMP_START();
    PB_DUMP_BEGIN("A");
    for (int i = 0; i < nr; i++)
        for (int j = 0; j < nq; j++)
            for (int k = 0; k < np; k++)
                PB_DUMP_DOUBLE(i * nq * np + j * np + k, A[i][j][k]);
    PB_DUMP_END("A");
    PB_DUMP_FINISH();
}

static void kernel_doitgen(int nr, int nq, int np, double A[NR][NQ][NP], double C4[NP][NP], double sum[NP])
{
    for (int r = 0; r < nr; r++)
        for (int q = 0; q < nq; q++) {
            for (int p = 0; p < np; p++) {
                sum[p] = 0.0;
                for (int s = 0; s < np; s++)
                    sum[p] += A[r][q][s] * C4[s][p];
            }
            for (int p = 0; p < np; p++)
                A[r][q][p] = sum[p];
        }
}

int main(int argc, char **argv)
{
    int nq = NQ, nr = NR, np = NP;
    double(*A)[NR][NQ][NP] = polybench_allocate(sizeof *A);
    double(*sum)[NP] = polybench_allocate(sizeof *sum);
    double(*C4)[NP][NP] = polybench_allocate(sizeof *C4);

    init_array(nr, nq, np, *A, *C4);
    PB_RUN(kernel_doitgen(nr, nq, np, *A, *C4, *sum));
    PB_RESULT(print_array(nr, nq, np, *A));

    polybench_free(A);
    polybench_free(sum);
    polybench_free(C4);
    return 0;
}
