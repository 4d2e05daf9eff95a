/* Solves T*y = -r, with T the symmetric Toeplitz matrix of 1 and r, by Durbin's recursion. */
#include "polybench.h"

#ifndef N
#define N PB_SIZE(40, 120, 400, 2000, 4000)
#endif

static void init_array(int n, double r[N])
{
    for (int i = 0; i < n; i++)
        r[i] = n + 1 - i;
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

static void kernel_durbin(int n, double r[N], double y[N])
{
    double z[N];
    y[0] = -r[0];
    double beta = 1.0;
    double alpha = -r[0];
    for (int k = 1; k < n; k++) {
        beta = (1 - alpha * alpha) * beta;
        double sum = 0.0;
        for (int i = 0; i < k; i++)
            sum += r[k - i - 1] * y[i];
        alpha = -(r[k] + sum) / beta;
        for (int i = 0; i < k; i++)
            z[i] = y[i] + alpha * y[k - i - 1];
        for (int i = 0; i < k; i++)
            y[i] = z[i];
        y[k] = alpha;
    }
}

int main(int argc, char **argv)
{
    int n = N;
    double(*r)[N] = polybench_allocate(sizeof *r);
    double(*y)[N] = polybench_allocate(sizeof *y);

    init_array(n, *r);
    PB_RUN(kernel_durbin(n, *r, *y));
    PB_RESULT(print_array(n, *y));

    polybench_free(r);
    polybench_free(y);
    return 0;
}
