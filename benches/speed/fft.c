// Fourier transforms by complex arithmetic, forth and back.
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 4096 };

static double complex roots[SIZE], data[SIZE], scratch[SIZE];

static void transform(double complex *out, const double complex *in, int size, int stride) {
    if (size == 1) {
        out[0] = in[0];
        return;
    }
    transform(out, in, size / 2, 2 * stride);
    transform(out + size / 2, in + stride, size / 2, 2 * stride);
    for (int i = 0; i < size / 2; i++) {
        double complex even = out[i], odd = out[i + size / 2] * roots[i * stride];
        out[i] = even + odd;
        out[i + size / 2] = even - odd;
    }
}

static void in_place(double complex *a, int size) {
    for (int i = 1, j = 0; i < size; i++) {
        int bit = size >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            double complex t = a[i];
            a[i] = a[j];
            a[j] = t;
        }
    }
    for (int length = 2; length <= size; length *= 2)
        for (int i = 0; i < size; i += length)
            for (int j = 0; j < length / 2; j++) {
                double complex u = a[i + j], v = a[i + j + length / 2] * conj(roots[j * (size / length)]);
                a[i + j] = u + v;
                a[i + j + length / 2] = u - v;
            }
    for (int i = 0; i < size; i++)
        a[i] /= size;
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    for (int i = 0; i < SIZE; i++) {
        roots[i] = cos(2 * M_PI * i / SIZE) + I * sin(2 * M_PI * i / SIZE);
        data[i] = i % 17 - 8 + I * (i % 5);
    }
    for (int i = 0; i < repeat; i++) {
        transform(scratch, data, SIZE, 1);
        in_place(scratch, SIZE);
        for (int j = 0; j < SIZE; j++)
            data[j] = scratch[j] * (1 + 1e-9 * j);
    }
    double complex sum = 0;
    for (int i = 0; i < SIZE; i++)
        sum += data[i] * (i % 7);
    printf("%.6e %.6e\n", creal(sum), cimag(sum));
    return 0;
}
