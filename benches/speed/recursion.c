// Recursive functions on integers: Fibonacci, Ackermann, Takeuchi, the towers of Hanoi, and binomial coefficients.
#include <stdio.h>
#include <stdlib.h>

static unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static unsigned ackermann(unsigned m, unsigned n) {
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

static int tak(int x, int y, int z) {
    if (y >= x)
        return z;
    return tak(tak(x - 1, y, z), tak(y - 1, z, x), tak(z - 1, x, y));
}

static unsigned long hanoi(int disks, int from, int to, int by) {
    if (disks == 0)
        return 0;
    return hanoi(disks - 1, from, by, to) + (unsigned long)(from * 3 + to) + hanoi(disks - 1, by, to, from);
}

static unsigned long binomial(int n, int k) {
    if (k == 0 || k == n)
        return 1;
    return binomial(n - 1, k - 1) + binomial(n - 1, k);
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    unsigned long sum = 0;
    for (int i = 0; i < repeat; i++) {
        sum += fib(20 + i % 5);
        sum += ackermann(2, 200 + i % 7);
        sum += tak(12 + i % 3, 8, 4);
        sum += hanoi(13, 1, 3, 2 + i % 2);
        sum += binomial(16, 7 + i % 3);
    }
    printf("%lu\n", sum);
    return 0;
}
