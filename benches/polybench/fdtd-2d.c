/* Electric field (ex, ey) and magnetic field hz in the plane, by finite differences in time. */
#include "polybench.h"

#ifndef TMAX
#define TMAX PB_SIZE(20, 40, 100, 500, 1000)
#endif
#ifndef NX
#define NX PB_SIZE(20, 60, 200, 1000, 2000)
#endif
#ifndef NY
#define NY PB_SIZE(30, 80, 240, 1200, 2600)
#endif

static void init_array(int tmax, int nx, int ny, double ex[NX][NY], double ey[NX][NY], double hz[NX][NY],
                       double fict[TMAX])
{
    for (int i = 0; i < tmax; i++)
        fict[i] = (double)i;
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++) {
            ex[i][j] = ((double)i * (j + 1)) / nx;
            ey[i][j] = ((double)i * (j + 2)) / ny;
            hz[i][j] = ((double)i * (j + 3)) / nx;
        }
}

static void print_array(int nx, int ny, double ex[NX][NY], double ey[NX][NY], double hz[NX][NY])
{
    PB_DUMP_START();
    PB_DUMP_BEGIN("ex");
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++)
            PB_DUMP_DOUBLE(i * nx + j, ex[i][j]);
    PB_DUMP_END("ex");
    PB_DUMP_BEGIN("ey");
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++)
            PB_DUMP_DOUBLE(i * nx + j, ey[i][j]);
    PB_DUMP_END("ey");
    PB_DUMP_BEGIN("hz");
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++)
            PB_DUMP_DOUBLE(i * nx + j, hz[i][j]);
    PB_DUMP_END("hz");
    PB_DUMP_FINISH();
}

static void kernel_fdtd_2d(int tmax, int nx, int ny, double ex[NX][NY], double ey[NX][NY], double hz[NX][NY],
                           double fict[TMAX])
{
    for (int t = 0; t < tmax; t++) {
        for (int j = 0; j < ny; j++)
            ey[0][j] = fict[t];
        for (int i = 1; i < nx; i++)
            for (int j = 0; j < ny; j++)
                ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
        for (int i = 0; i < nx; i++)
            for (int j = 1; j < ny; j++)
                ex[i][j] = ex[i][j] - 0.5 * (hz[i][j] - hz[i][j - 1]);
        for (int i = 0; i < nx - 1; i++)
            for (int j = 0; j < ny - 1; j++)
                hz[i][j] = hz[i][j] - 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
    }
}

int main(int argc, char **argv)
{
    int tmax = TMAX, nx = NX, ny = NY;
    double(*ex)[NX][NY] = polybench_allocate(sizeof *ex);
    double(*ey)[NX][NY] = polybench_allocate(sizeof *ey);
    double(*hz)[NX][NY] = polybench_allocate(sizeof *hz);
    double(*fict)[TMAX] = polybench_allocate(sizeof *fict);

    init_array(tmax, nx, ny, *ex, *ey, *hz, *fict);
    PB_RUN(kernel_fdtd_2d(tmax, nx, ny, *ex, *ey, *hz, *fict));
    PB_RESULT(print_array(nx, ny, *ex, *ey, *hz));

    polybench_free(ex);
    polybench_free(ey);
    polybench_free(hz);
    polybench_free(fict);
    return 0;
}
