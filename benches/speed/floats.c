// Floating-point loops: the Mandelbrot set, the spectral norm, integration, Newton's method, a heat equation and a polynomial's roots.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int mandelbrot(int size) {
    int inside = 0;
    for (int y = 0; y < size; y++)
        for (int x = 0; x < size; x++) {
            double cr = 2.0 * x / size - 1.5, ci = 2.0 * y / size - 1, zr = 0, zi = 0;
            int i = 0;
            for (; i < 50 && zr * zr + zi * zi <= 4; i++) {
                double t = zr * zr - zi * zi + cr;
                zi = 2 * zr * zi + ci;
                zr = t;
            }
            inside += i == 50;
        }
    return inside;
}

enum { N = 60 };

static double element(int i, int j) { return 1.0 / ((i + j) * (i + j + 1) / 2 + i + 1); }

static void multiply(const double *v, double *out, int transposed) {
    for (int i = 0; i < N; i++) {
        out[i] = 0;
        for (int j = 0; j < N; j++)
            out[i] += (transposed ? element(j, i) : element(i, j)) * v[j];
    }
}

static double spectral(void) {
    double u[N], v[N], t[N], uv = 0, vv = 0;
    for (int i = 0; i < N; i++)
        u[i] = 1;
    for (int k = 0; k < 4; k++) {
        multiply(u, t, 0), multiply(t, v, 1);
        multiply(v, t, 0), multiply(t, u, 1);
    }
    for (int i = 0; i < N; i++)
        uv += u[i] * v[i], vv += v[i] * v[i];
    return sqrt(uv / vv);
}

static double curve(double x) { return x * x * x - 2 * x - 5 + 1 / (1 + x * x); }

static double integral(double (*f)(double), double from, double to, int steps) {
    double h = (to - from) / steps, sum = f(from) + f(to);
    for (int i = 1; i < steps; i++)
        sum += f(from + i * h) * (i % 2 ? 4 : 2);
    return sum * h / 3;
}

static double newton(double x) {
    for (int i = 0; i < 30; i++) {
        double next = x - curve(x) / (3 * x * x - 2 - 2 * x / ((1 + x * x) * (1 + x * x)));
        if (fabs(next - x) < 1e-12)
            return next;
        x = next;
    }
    return x;
}

static double heat(int steps) {
    static double a[202], b[202];
    for (int i = 0; i < 202; i++)
        a[i] = i == 100 ? 1000 : 0, b[i] = 0;
    for (int s = 0; s < steps; s++) {
        for (int i = 1; i < 201; i++)
            b[i] = a[i] + 0.2 * (a[i - 1] - 2 * a[i] + a[i + 1]);
        for (int i = 1; i < 201; i++)
            a[i] = b[i];
    }
    return a[90];
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    double sum = 0;
    for (int i = 0; i < repeat; i++)
        sum += mandelbrot(40 + i % 3) + spectral() + integral(curve, 0, 2 + i % 5, 1000) + newton(3 + i % 4) + heat(50 + i % 5);
    printf("%.12g\n", sum);
    return 0;
}
