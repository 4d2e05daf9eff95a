/* Prints every loop's category and name and a sum over all memory after one run; called with a number, it runs each loop so often,
   and prints the nanoseconds of one run, too. */
#include <stdio.h>
#include <time.h>

#include "loops.h"

/* Arrays of each type, matrices, places in any order and in rising order, and numbers that no compiler knows. */
double a[N], b[N], c[N], d[N], e[N];
float fa[N], fb[N], fc[N], fd[N];
int ia[N], ib[N], ic[N], id[N];
int64_t la[N], lb[N], lc[N];
uint8_t ba[N], bb[N], bc[N];
int16_t sa[N], sb[N], sc[N];
double aa[M][M], bbb[M][M], cc[M][M];
int im[M][M], jm[M][M];
int any[N], rising[N];
int n, half, one, two, five, offset;
double x, y, total;
float fx, fy;
int sum, found;
int64_t lsum;
struct point {
    double x, y, z;
} points[N / 2];
struct pixel {
    uint8_t r, g, b, a;
} pixels[N];

#include "control.c"
#include "dependence.c"
#include "induction.c"
#include "memory.c"
#include "nests.c"
#include "order.c"
#include "recurrence.c"
#include "reduction.c"

extern const struct loop __start_loops[], __stop_loops[];

static uint32_t state;

static uint32_t next(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

/* Between a half and one and a half, so that products neither vanish nor grow fast. */
static double factor(void)
{
    return 0.5 + next() / (double)(1 << 24);
}

static void prepare(void)
{
    state = 12345;
    for (int i = 0; i < N; i++) {
        a[i] = factor(), b[i] = factor(), c[i] = factor(), d[i] = factor(), e[i] = factor();
        fa[i] = factor(), fb[i] = factor(), fc[i] = factor(), fd[i] = factor();
        ia[i] = next() % 2000 - 1000, ib[i] = next() % 2000 - 1000, ic[i] = next() % 100 - 50, id[i] = next() % 7 + 1;
        la[i] = next(), lb[i] = next(), lc[i] = next();
        ba[i] = next(), bb[i] = next(), bc[i] = next();
        sa[i] = next(), sb[i] = next(), sc[i] = next();
        any[i] = i, rising[i] = i;
        pixels[i] = (struct pixel){next(), next(), next(), next()};
    }
    for (int i = N - 1; i > 0; i--) {
        int j = next() % (i + 1), other = any[i];
        any[i] = any[j], any[j] = other;
    }
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            aa[i][j] = factor(), bbb[i][j] = factor(), cc[i][j] = factor();
            im[i][j] = next() % 100, jm[i][j] = next() % 100;
        }
    for (int i = 0; i < N / 2; i++)
        points[i] = (struct point){factor(), factor(), factor()};
    n = N, half = N / 2, one = 1, two = 2, five = 5, offset = 64;
    x = 0.75, y = 0.25, total = 0, fx = 0.75f, fy = 0.25f, sum = 0, found = 0, lsum = 0;
}

static uint64_t hash;

static void add(const void *bytes, size_t count)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ at[i]) * 1099511628211u;
}

static void observe(void)
{
    hash = 14695981039346656037u;
#define ADD(object) add(&(object), sizeof(object))
    ADD(a), ADD(b), ADD(c), ADD(d), ADD(e), ADD(fa), ADD(fb), ADD(fc), ADD(fd), ADD(ia), ADD(ib), ADD(ic), ADD(id);
    ADD(la), ADD(lb), ADD(lc), ADD(ba), ADD(bb), ADD(bc), ADD(sa), ADD(sb), ADD(sc), ADD(aa), ADD(bbb), ADD(cc);
    ADD(im), ADD(jm), ADD(points), ADD(pixels), ADD(total), ADD(sum), ADD(found), ADD(lsum), ADD(x), ADD(y);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

int main(int argc, char **argv)
{
    int repeat = argc > 1 ? atoi(argv[1]) : 0;
    for (const struct loop *loop = __start_loops; loop < __stop_loops; loop++) {
        prepare();
        loop->run();
        observe();
        uint64_t once = hash;
        printf("%s %s %016llx", loop->category, loop->name, (unsigned long long)once);
        double start = now();
        for (int i = 0; i < repeat; i++)
            loop->run();
        if (repeat)
            printf(" %.1f", (now() - start) / repeat);
        putchar('\n');
    }
    return 0;
}
