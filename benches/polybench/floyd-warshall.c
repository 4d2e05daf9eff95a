/* Lengths of the shortest paths between all pairs of nodes. */
#include "polybench.h"

#ifndef N
#define N PB_SIZE(60, 180, 500, 2800, 5600)
#endif

static void init_array(int n, int path[N][N])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            path[i][j] = i * j % 7 + 1;
            if ((i + j) % 13 == 0 || (i + j) % 7 == 0 || (i + j) % 11 == 0)
                path[i][j] = 999;
        }
}

static void print_array(int n, int path[N][N])
{
    PB_DUMP_START();
    PB_DUMP_BEGIN("path");
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            PB_DUMP_INT(i * n + j, path[i][j]);
    PB_DUMP_END("path");
    PB_DUMP_FINISH();
}

static void kernel_floyd_warshall(int n, int path[N][N])
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                path[i][j] = path[i][j] < path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];
}

int main(int argc, char **argv)
{
    int n = N;
    int(*path)[N][N] = polybench_allocate(sizeof *path);

    init_array(n, *path);
    PB_RUN(kernel_floyd_warshall(n, *path));
    PB_RESULT(print_array(n, *path));

    polybench_free(path);
    return 0;
}
