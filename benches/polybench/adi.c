/* Heat in the plane: in each half of a step one direction is implicit, a tridiagonal system per line. */
#include "polybench.h"

#ifndef TSTEPS
#define TSTEPS PB_SIZE(20, 40, 100, 500, 1000)
#endif
#ifndef N
#define N PB_SIZE(20, 60, 200, 1000, 2000)
#endif

static void init_array(int n, double u[N][N])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            u[i][j] = (double)(i + n - j) / n;
}

static void print_array(int n, double u[N][N])
{
    PB_DUMP_START();
    PB_DUMP_BEGIN("u");
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            PB_DUMP_DOUBLE(i * n + j, u[i][j]);
    PB_DUMP_END("u");
    PB_DUMP_FINISH();
}

static void kernel_adi(int tsteps, int n, double u[N][N], double v[N][N], double p[N][N], double q[N][N])
{
    double dx = 1.0 / (double)n;
    double dy = 1.0 / (double)n;
    double dt = 1.0 / (double)tsteps;
    double b1 = 2.0;
    double b2 = 1.0;
    double mul1 = b1 * dt / (dx * dx);
    double mul2 = b2 * dt / (dy * dy);
    double a = -mul1 / 2.0;
    double b = 1.0 + mul1;
    double c = a;
    double d = -mul2 / 2.0;
    double e = 1.0 + mul2;
    double f = d;

    for (int t = 1; t <= tsteps; t++) {
        for (int i = 1; i < n - 1; i++) {
            v[0][i] = 1.0;
            p[i][0] = 0.0;
            q[i][0] = v[0][i];
            for (int j = 1; j < n - 1; j++) {
                p[i][j] = -c / (a * p[i][j - 1] + b);
                q[i][j] = (-d * u[j][i - 1] + (1.0 + 2.0 * d) * u[j][i] - f * u[j][i + 1] - a * q[i][j - 1]) /
                          (a * p[i][j - 1] + b);
            }
            v[n - 1][i] = 1.0;
            for (int j = n - 2; j >= 1; j--)
                v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
        }
        for (int i = 1; i < n - 1; i++) {
            u[i][0] = 1.0;
            p[i][0] = 0.0;
            q[i][0] = u[i][0];
            for (int j = 1; j < n - 1; j++) {
                p[i][j] = -f / (d * p[i][j - 1] + e);
                q[i][j] = (-a * v[i - 1][j] + (1.0 + 2.0 * a) * v[i][j] - c * v[i + 1][j] - d * q[i][j - 1]) /
                          (d * p[i][j - 1] + e);
            }
            u[i][n - 1] = 1.0;
            for (int j = n - 2; j >= 1; j--)
                u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
        }
    }
}

int main(int argc, char **argv)
{
    int tsteps = TSTEPS, n = N;
    double(*u)[N][N] = polybench_allocate(sizeof *u);
    double(*v)[N][N] = polybench_allocate(sizeof *v);
    double(*p)[N][N] = polybench_allocate(sizeof *p);
    double(*q)[N][N] = polybench_allocate(sizeof *q);

    init_array(n, *u);
    PB_RUN(kernel_adi(tsteps, n, *u, *v, *p, *q));
    PB_RESULT(print_array(n, *u));

    polybench_free(u);
    polybench_free(v);
    polybench_free(p);
    polybench_free(q);
    return 0;
}
