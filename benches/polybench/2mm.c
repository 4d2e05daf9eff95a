/* D = alpha*A*B*C + beta*D, with tmp = alpha*A*B. */
#include "polybench.h"

#ifndef NI
#define NI PB_SIZE(16, 40, 180, 800, 1600)
#endif
#ifndef NJ
#define NJ PB_SIZE(18, 50, 190, 900, 1800)
#endif
#ifndef NK
#define NK PB_SIZE(22, 70, 210, 1100, 2200)
#endif
#ifndef NL
#define NL PB_SIZE(24, 80, 220, 1200, 2400)
#endif

static void init_array(int ni, int nj, int nk, int nl, double *alpha, double *beta, double A[NI][NK], double B[NK][NJ],
                       double C[NJ][NL], double D[NI][NL])
{
    *alpha = 1.5;
    *beta = 1.2;
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nk; j++)
            A[i][j] = (double)((i * j + 1) % ni) / ni;
    for (int i = 0; i < nk; i++)
        for (int j = 0; j < nj; j++)
            B[i][j] = (double)(i * (j + 1) % nj) / nj;
    for (int i = 0; i < nj; i++)
        for (int j = 0; j < nl; j++)
            C[i][j] = (double)((i * (j + 3) + 1) % nl) / nl;
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nl; j++)
            D[i][j] = (double)(i * (j + 2) % nk) / nk;
}

static void print_array(int ni, int nl, double D[NI][NL])
{
    PB_DUMP_START();
    PB_DUMP_BEGIN("D");
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nl; j++)
            PB_DUMP_DOUBLE(i * ni + j, D[i][j]);
    PB_DUMP_END("D");
    PB_DUMP_FINISH();
}

static void kernel_2mm(int ni, int nj, int nk, int nl, double alpha, double beta, double tmp[NI][NJ], double A[NI][NK],
                       double B[NK][NJ], double C[NJ][NL], double D[NI][NL])
{
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            tmp[i][j] = 0.0;
            for (int k = 0; k < nk; k++)
                tmp[i][j] += alpha * A[i][k] * B[k][j];
        }
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nl; j++) {
            D[i][j] *= beta;
            for (int k = 0; k < nj; k++)
                D[i][j] += tmp[i][k] * C[k][j];
        }
}

int main(int argc, char **argv)
{
    int ni = NI, nj = NJ, nk = NK, nl = NL;
    double alpha, beta;
    double(*tmp)[NI][NJ] = polybench_allocate(sizeof *tmp);
    double(*A)[NI][NK] = polybench_allocate(sizeof *A);
    double(*B)[NK][NJ] = polybench_allocate(sizeof *B);
    double(*C)[NJ][NL] = polybench_allocate(sizeof *C);
    double(*D)[NI][NL] = polybench_allocate(sizeof *D);

    init_array(ni, nj, nk, nl, &alpha, &beta, *A, *B, *C, *D);
    PB_RUN(kernel_2mm(ni, nj, nk, nl, alpha, beta, *tmp, *A, *B, *C, *D));
    PB_RESULT(print_array(ni, nl, *D));

    polybench_free(tmp);
    polybench_free(A);
    polybench_free(B);
    polybench_free(C);
    polybench_free(D);
    return 0;
}
