/* The program of `scripts/demo`: a loop, a branch in it, and a call. */
#include <stdio.h>

/* Steps of the Collatz sequence from `n` down to 1. */
static unsigned steps(unsigned n) {
    unsigned count = 0;
    while (n != 1) {
        n = n % 2 == 0 ? n / 2 : 3 * n + 1;
        count++;
    }
    return count;
}

int main(void) {
    for (unsigned n = 1; n <= 27; n++) printf("%u takes %u steps\n", n, steps(n));
    return 0;
}
