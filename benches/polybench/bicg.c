/* s = At*r and q = A*p in one nest. */
#include "polybench.h"

#ifndef M
#define M PB_SIZE(38, 116, 390, 1900, 1800)
#endif
#ifndef N
#define N PB_SIZE(42, 124, 410, 2100, 2200)
#endif

static void init_array(int m, int n, double A[N][M], double r[N], double p[M])
{
    for (int i = 0; i < m; i++)
        p[i] = (double)(i % m) / m;
    for (int i = 0; i < n; i++) {
        r[i] = (double)(i % n) / n;
        for (int j = 0; j < m; j++)
            A[i][j] = (double)(i * (j + 1) % n) / n;
    }
}

static void print_array(int m, int n, double s[M], double q[N])
{
    PB_DUMP_START();
    PB_DUMP_BEGIN("s");
    for (int i = 0; i < m; i++)
        PB_DUMP_DOUBLE(i, s[i]);
    PB_DUMP_END("s");
    PB_DUMP_BEGIN("q");
    for (int i = 0; i < n; i++)
        PB_DUMP_DOUBLE(i, q[i]);
    PB_DUMP_END("q");
    PB_DUMP_FINISH();
}

static void kernel_bicg(int m, int n, double A[N][M], double s[M], double q[N], double p[M], double r[N])
{
    for (int i = 0; i < m; i++)
        s[i] = 0;
    for (int i = 0; i < n; i++) {
        q[i] = 0.0;
        for (int j = 0; j < m; j++) {
            s[j] = s[j] + r[i] * A[i][j];
            q[i] = q[i] + A[i][j] * p[j];
        }
    }
}

int main(int argc, char **argv)
{
    int m = M, n = N;
    double(*A)[N][M] = polybench_allocate(sizeof *A);
    double(*s)[M] = polybench_allocate(sizeof *s);
    double(*q)[N] = polybench_allocate(sizeof *q);
    double(*p)[M] = polybench_allocate(sizeof *p);
    double(*r)[N] = polybench_allocate(sizeof *r);

    init_array(m, n, *A, *r, *p);
    PB_RUN(kernel_bicg(m, n, *A, *s, *q, *p, *r));
    PB_RESULT(print_array(m, n, *s, *q));

    polybench_free(A);
    polybench_free(s);
    polybench_free(q);
    polybench_free(p);
    polybench_free(r);
    return 0;
}
