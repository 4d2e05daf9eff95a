/* Covariance matrix of the columns of data. */
#include "polybench.h"

#ifndef M
#define M PB_SIZE(28, 80, 240, 1200, 2600)
#endif
#ifndef N
#define N PB_SIZE(32, 100, 260, 1400, 3000)
#endif

static void init_array(int m, int n, double *float_n, double data[N][M])
{
    *float_n = (double)n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            data[i][j] = ((double)i * j) / m;
}

static void print_array(int m, double cov[M][M])
{
    PB_DUMP_START();
    PB_DUMP_BEGIN("cov");
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            PB_DUMP_DOUBLE(i * m + j, cov[i][j]);
    PB_DUMP_END("cov");
    PB_DUMP_FINISH();
}

static void kernel_covariance(int m, int n, double float_n, double data[N][M], double cov[M][M], double mean[M])
{
    for (int j = 0; j < m; j++) {
        mean[j] = 0.0;
        for (int i = 0; i < n; i++)
            mean[j] += data[i][j];
        mean[j] /= float_n;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            data[i][j] -= mean[j];
    for (int i = 0; i < m; i++)
        for (int j = i; j < m; j++) {
            cov[i][j] = 0.0;
            for (int k = 0; k < n; k++)
                cov[i][j] += data[k][i] * data[k][j];
            cov[i][j] /= float_n - 1.0;
            cov[j][i] = cov[i][j];
        }
}

int main(int argc, char **argv)
{
    int m = M, n = N;
    double float_n;
    double(*data)[N][M] = polybench_allocate(sizeof *data);
    double(*cov)[M][M] = polybench_allocate(sizeof *cov);
    double(*mean)[M] = polybench_allocate(sizeof *mean);

    init_array(m, n, &float_n, *data);
    PB_RUN(kernel_covariance(m, n, float_n, *data, *cov, *mean));
    PB_RESULT(print_array(m, *cov));

    polybench_free(data);
    polybench_free(cov);
    polybench_free(mean);
    return 0;
}
