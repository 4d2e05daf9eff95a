/* Loop nests over arrays: products, stencils, prefix sums, transposition, reductions; restrict and vectorizable forms. */
#include <stdio.h>
#include <string.h>

enum { N = 33 };
static double a[N][N], b[N][N], c[N][N];
static float grid[2][N][N];
static int numbers[1000];

static void multiply(void) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++) sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}

static void relax(int steps) {
    for (int t = 0; t < steps; t++) {
        int from = t & 1, to = from ^ 1;
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                grid[to][i][j] = 0.25f * (grid[from][i - 1][j] + grid[from][i + 1][j] + grid[from][i][j - 1] + grid[from][i][j + 1]);
    }
}

static void axpy(int n, float k, const float *restrict x, float *restrict y) {
    for (int i = 0; i < n; i++) y[i] += k * x[i];
}

static int conditional(const int *values, int n) {
    int sum = 0, largest = values[0], where = 0;
    for (int i = 0; i < n; i++) {
        if (values[i] & 1) sum += values[i];
        else if (values[i] > 500) sum -= 3;
        if (values[i] > largest) largest = values[i], where = i;
    }
    return sum * 7 + largest * 3 + where;
}

static void prefix(int *values, int n) {
    for (int i = 1; i < n; i++) values[i] = (values[i] + values[i - 1]) % 100003;
}

static int lu(int n) {
    int swaps = 0;
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if ((a[i][k] < 0 ? -a[i][k] : a[i][k]) > (a[pivot][k] < 0 ? -a[pivot][k] : a[pivot][k])) pivot = i;
        if (a[pivot][k] == 0) return -1;
        if (pivot != k) {
            double row[N];
            memcpy(row, a[k], sizeof row);
            memcpy(a[k], a[pivot], sizeof row);
            memcpy(a[pivot], row, sizeof row);
            swaps++;
        }
        for (int i = k + 1; i < n; i++) {
            double factor = a[i][k] /= a[k][k];
            for (int j = k + 1; j < n; j++) a[i][j] -= factor * a[k][j];
        }
    }
    return swaps;
}

int main(void) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = (i * 7 + j * 3) % 11 - 5.0 + (i == j ? 4 : 0);
            b[i][j] = (i * j) % 5 * 0.5;
            grid[0][i][j] = grid[1][i][j] = i == 0 ? 100 : j == 0 ? 50 : 0;
        }
    multiply();
    double trace = 0, all = 0;
    for (int i = 0; i < N; i++) {
        trace += c[i][i];
        for (int j = 0; j < N; j++) all += c[i][j] * (i - j);
    }
    printf("%.3f %.3f\n", trace, all);
    relax(21);
    printf("%.4f %.4f %.4f\n", grid[1][1][1], grid[1][10][20], grid[1][31][31]);
    float x[100], y[100];
    for (int i = 0; i < 100; i++) x[i] = (float)i / 4, y[i] = (float)(100 - i);
    axpy(100, 1.5f, x, y);
    axpy(97, -0.25f, x + 3, y);
    printf("%.4f %.4f %.4f\n", y[0], y[50], y[99]);
    for (int i = 0; i < 1000; i++) numbers[i] = i * 7919 % 1009;
    printf("%d ", conditional(numbers, 1000));
    prefix(numbers, 1000);
    printf("%d\n", numbers[999]);
    int swaps = lu(N);
    double determinant = swaps & 1 ? -1 : 1;
    for (int i = 0; i < N; i++) determinant *= a[i][i] / 8;
    printf("%d %.6e\n", swaps, determinant);
    return 0;
}
