/* C = alpha*A*B + beta*C. */
#include "polybench.h"

#ifndef NI
#define NI PB_SIZE(20, 60, 200, 1000, 2000)
#endif
#ifndef NJ
#define NJ PB_SIZE(25, 70, 220, 1100, 2300)
#endif
#ifndef NK
#define NK PB_SIZE(30, 80, 240, 1200, 2600)
#endif

static void init_array(int ni, int nj, int nk, double *alpha, double *beta, double C[NI][NJ], double A[NI][NK],
                       double B[NK][NJ])
{
    *alpha = 1.5;
    *beta = 1.2;
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++)
            C[i][j] = (double)((i * j + 1) % ni) / ni;
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nk; j++)
            A[i][j] = (double)(i * (j + 1) % nk) / nk;
    for (int i = 0; i < nk; i++)
        for (int j = 0; j < nj; j++)
            B[i][j] = (double)(i * (j + 2) % nj) / nj;
}

static void print_array(int ni, int nj, double C[NI][NJ])
{
    PB_DUMP_START();
    PB_DUMP_BEGIN("C");
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++)
            PB_DUMP_DOUBLE(i * ni + j, C[i][j]);
    PB_DUMP_END("C");
    PB_DUMP_FINISH();
}

static void kernel_gemm(int ni, int nj, int nk, double alpha, double beta, double C[NI][NJ], double A[NI][NK],
                        double B[NK][NJ])
{
    for (int i = 0; i < ni; i++) {
        for (int j = 0; j < nj; j++)
            C[i][j] *= beta;
        for (int k = 0; k < nk; k++)
            for (int j = 0; j < nj; j++)
                C[i][j] += alpha * A[i][k] * B[k][j];
    }
}

int main(int argc, char **argv)
{
    int ni = NI, nj = NJ, nk = NK;
    double alpha, beta;
    double(*C)[NI][NJ] = polybench_allocate(sizeof *C);
    double(*A)[NI][NK] = polybench_allocate(sizeof *A);
    double(*B)[NK][NJ] = polybench_allocate(sizeof *B);

    init_array(ni, nj, nk, &alpha, &beta, *C, *A, *B);
    PB_RUN(kernel_gemm(ni, nj, nk, alpha, beta, *C, *A, *B));
    PB_RESULT(print_array(ni, nj, *C));

    polybench_free(C);
    polybench_free(A);
    polybench_free(B);
    return 0;
}
