/* Correlation matrix of the columns of data. */
#include <math.h>

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
            data[i][j] = (double)(i * j) / m + i;
}

static void print_array(int m, double corr[M][M])
{
    PB_DUMP_START();
    PB_DUMP_BEGIN("corr");
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            PB_DUMP_DOUBLE(i * m + j, corr[i][j]);
    PB_DUMP_END("corr");
    PB_DUMP_FINISH();
}

static void kernel_correlation(int m, int n, double float_n, double data[N][M], double corr[M][M], double mean[M],
                               double stddev[M])
{
    double eps = 0.1;
    for (int j = 0; j < m; j++) {
        mean[j] = 0.0;
        for (int i = 0; i < n; i++)
            mean[j] += data[i][j];
        mean[j] /= float_n;
    }
    for (int j = 0; j < m; j++) {
        stddev[j] = 0.0;
        for (int i = 0; i < n; i++)
            stddev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
        stddev[j] /= float_n;
        stddev[j] = sqrt(stddev[j]);
        /* A column that hardly varies is not scaled: that would divide by almost zero. */
        stddev[j] = stddev[j] <= eps ? 1.0 : stddev[j];
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            data[i][j] -= mean[j];
            data[i][j] /= sqrt(float_n) * stddev[j];
        }
    for (int i = 0; i < m - 1; i++) {
        corr[i][i] = 1.0;
        for (int j = i + 1; j < m; j++) {
            corr[i][j] = 0.0;
            for (int k = 0; k < n; k++)
                corr[i][j] += data[k][i] * data[k][j];
            corr[j][i] = corr[i][j];
        }
    }
    corr[m - 1][m - 1] = 1.0;
}

int main(int argc, char **argv)
{
    int m = M, n = N;
    double float_n;
    double(*data)[N][M] = polybench_allocate(sizeof *data);
    double(*corr)[M][M] = polybench_allocate(sizeof *corr);
    double(*mean)[M] = polybench_allocate(sizeof *mean);
    double(*stddev)[M] = polybench_allocate(sizeof *stddev);

    init_array(m, n, &float_n, *data);
    PB_RUN(kernel_correlation(m, n, float_n, *data, *corr, *mean, *stddev));
    PB_RESULT(print_array(m, *corr));

    polybench_free(data);
    polybench_free(corr);
    polybench_free(mean);
    polybench_free(stddev);
    return 0;
}
