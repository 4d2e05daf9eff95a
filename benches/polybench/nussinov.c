/* table[i][j]: the most pairs of matching bases that a fold of the sequence from i to j can have without crossing. */
#include "polybench.h"

#ifndef N
#define N PB_SIZE(60, 180, 500, 2500, 5500)
#endif

/* A base of the sequence, 0 to 3; those that pair add up to 3. */
typedef char base;

#define MATCH(b1, b2) (((b1) + (b2)) == 3 ? 1 : 0)
#define MAX_SCORE(s1, s2) (((s1) >= (s2)) ? (s1) : (s2))

static void init_array(int n, base seq[N], int table[N][N])
{
    for (int i = 0; i < n; i++)
        seq[i] = (base)((i + 1) % 4);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            table[i][j] = 0;
}

static void print_array(int n, int table[N][N])
{
    PB_DUMP_START();
    PB_DUMP_BEGIN("table");
    int t = 0;
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) {
            PB_DUMP_INT(t, table[i][j]);
            t++;
        }
    PB_DUMP_END("table");
    PB_DUMP_FINISH();
}

static void kernel_nussinov(int n, base seq[N], int table[N][N])
{
    for (int i = n - 1; i >= 0; i--)
        for (int j = i + 1; j < n; j++) {
            if (j - 1 >= 0)
                table[i][j] = MAX_SCORE(table[i][j], table[i][j - 1]);
            if (i + 1 < n)
                table[i][j] = MAX_SCORE(table[i][j], table[i + 1][j]);
            if (j - 1 >= 0 && i + 1 < n) {
                /* Neighbours cannot pair. */
                if (i < j - 1)
                    table[i][j] = MAX_SCORE(table[i][j], table[i + 1][j - 1] + MATCH(seq[i], seq[j]));
                else
                    table[i][j] = MAX_SCORE(table[i][j], table[i + 1][j - 1]);
            }
            for (int k = i + 1; k < j; k++)
                table[i][j] = MAX_SCORE(table[i][j], table[i][k] + table[k + 1][j]);
        }
}

int main(int argc, char **argv)
{
    int n = N;
    base(*seq)[N] = polybench_allocate(sizeof *seq);
    int(*table)[N][N] = polybench_allocate(sizeof *table);

    init_array(n, *seq, *table);
    PB_RUN(kernel_nussinov(n, *seq, *table));
    PB_RESULT(print_array(n, *table));

    polybench_free(seq);
    polybench_free(table);
    return 0;
}
