/* Complex arithmetic and vectors: pairs of floats that travel in registers, and the compiler's vector types. */
#include <complex.h>
#include <stdio.h>

typedef float float4 __attribute__((vector_size(16)));
typedef int int8 __attribute__((vector_size(32)));
typedef unsigned char bytes16 __attribute__((vector_size(16)));

static double complex polynomial(double complex z) { return z * z * z - 2 * z + I; }

static int escapes(double complex c) {
    double complex z = 0;
    int n = 0;
    while (n < 60 && creal(z) * creal(z) + cimag(z) * cimag(z) < 4) {
        z = z * z + c;
        n++;
    }
    return n;
}

static float complex divide(float complex a, float complex b) { return a / b; }

static float dot(float4 a, float4 b) {
    float4 p = a * b;
    return p[0] + p[1] + p[2] + p[3];
}

static int8 select_greater(int8 a, int8 b) {
    int8 mask = a > b;
    return (a & mask) | (b & ~mask);
}

int main(void) {
    double complex z = 1 - 2 * I;
    for (int i = 0; i < 4; i++) {
        z = polynomial(z) / (3 + i * I);
        printf("%.6f %.6f ", creal(z), cimag(z));
    }
    printf("\n");
    for (double y = -1; y <= 1; y += 0.25) {
        for (double x = -2; x <= 0.5; x += 0.125) putchar(" .:-=+*#%@"[escapes(x + y * I) * 9 / 60]);
        putchar('\n');
    }
    float complex f = divide(1 + 2 * I, 3 - 1 * I);
    printf("%.5f %.5f %d\n", crealf(f), cimagf(f), conj(z) == z);
    float4 a = {1, 2, 3, 4}, b = {0.5f, -1, 2, 8};
    a += b * 2 - 1;
    printf("%.2f %.2f\n", dot(a, b), dot(a / b, a));
    int8 s = {1, 5, 2, 9, -3, 7, 0, 4}, t = {4, 4, 4, 4, 4, 4, 4, 4};
    for (int i = 0; i < 3; i++) s = select_greater(s * 3 - 7, t - i) >> 1 ^ __builtin_shufflevector(s, t, 7, 6, 5, 4, 3, 2, 1, 8);
    for (int i = 0; i < 8; i++) printf("%d ", s[i]);
    bytes16 u = {0};
    for (int i = 0; i < 16; i++) u[i] = (unsigned char)(i * 37);
    u = u + u * 3;
    int sum = 0;
    for (int i = 0; i < 16; i++) sum = sum * 3 + u[i];
    printf("%d\n", sum);
    return 0;
}
