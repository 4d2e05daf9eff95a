/* G = E*F with E = A*B and F = C*D. */
#include "polybench.h"

#ifndef NI
#define NI PB_SIZE(16, 40, 180, 800, 1600)
#endif
#ifndef NJ
#define NJ PB_SIZE(18, 50, 190, 900, 1800)
#endif
#ifndef NK
#define NK PB_SIZE(20, 60, 200, 1000, 2000)
#endif
#ifndef NL
#define NL PB_SIZE(22, 70, 210, 1100, 2200)
#endif
#ifndef NM
#define NM PB_SIZE(24, 80, 220, 1200, 2400)
#endif

static void init_array(int ni, int nj, int nk, int nl, int nm, double A[NI][NK], double B[NK][NJ], double C[NJ][NM],
                       double D[NM][NL])
{
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nk; j++)
            A[i][j] = (double)((i * j + 1) % ni) / (5 * ni);
    for (int i = 0; i < nk; i++)
        for (int j = 0; j < nj; j++)
            B[i][j] = (double)((i * (j + 1) + 2) % nj) / (5 * nj);
    for (int i = 0; i < nj; i++)
        for (int j = 0; j < nm; j++)
            C[i][j] = (double)(i * (j + 3) % nl) / (5 * nl);
    for (int i = 0; i < nm; i++)
        for (int j = 0; j < nl; j++)
            D[i][j] = (double)((i * (j + 2) + 2) % nk) / (5 * nk);
}

static void print_array(int ni, int nl, double G[NI][NL])
{
    PB_DUMP_START();
    PB_DUMP_BEGIN("G");
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nl; j++)
            PB_DUMP_DOUBLE(i * ni + j, G[i][j]);
    PB_DUMP_END("G");
    PB_DUMP_FINISH();
}

static void kernel_3mm(int ni, int nj, int nk, int nl, int nm, double E[NI][NJ], double A[NI][NK], double B[NK][NJ],
                       double F[NJ][NL], double C[NJ][NM], double D[NM][NL], double G[NI][NL])
{
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            E[i][j] = 0.0;
            for (int k = 0; k < nk; k++)
                E[i][j] += A[i][k] * B[k][j];
        }
    for (int i = 0; i < nj; i++)
        for (int j = 0; j < nl; j++) {
            F[i][j] = 0.0;
            for (int k = 0; k < nm; k++)
                F[i][j] += C[i][k] * D[k][j];
        }
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nl; j++) {
            G[i][j] = 0.0;
            for (int k = 0; k < nj; k++)
                G[i][j] += E[i][k] * F[k][j];
        }
}

int main(int argc, char **argv)
{
    int ni = NI, nj = NJ, nk = NK, nl = NL, nm = NM;
    double(*E)[NI][NJ] = polybench_allocate(sizeof *E);
    double(*A)[NI][NK] = polybench_allocate(sizeof *A);
    double(*B)[NK][NJ] = polybench_allocate(sizeof *B);
    double(*F)[NJ][NL] = polybench_allocate(sizeof *F);
    double(*C)[NJ][NM] = polybench_allocate(sizeof *C);
    double(*D)[NM][NL] = polybench_allocate(sizeof *D);
    double(*G)[NI][NL] = polybench_allocate(sizeof *G);

    init_array(ni, nj, nk, nl, nm, *A, *B, *C, *D);
    PB_RUN(kernel_3mm(ni, nj, nk, nl, nm, *E, *A, *B, *F, *C, *D, *G));
    PB_RESULT(print_array(ni, nl, *G));

    polybench_free(E);
    polybench_free(A);
    polybench_free(B);
    polybench_free(F);
    polybench_free(C);
    polybench_free(D);
    polybench_free(G);
    return 0;
}
