// Pancakes: how often prefixes of a permutation are turned until it begins with one.
#include <stdio.h>
#include <stdlib.h>

static int flips(const int *permutation, int size) {
    int p[16], count = 0;
    for (int i = 0; i < size; i++)
        p[i] = permutation[i];
    for (int first; (first = p[0]) != 0; count++)
        for (int i = 0, j = first; i < j; i++, j--) {
            int t = p[i];
            p[i] = p[j];
            p[j] = t;
        }
    return count;
}

static int fannkuch(int size, int *checksum) {
    int permutation[16], count[16], most = 0, r = size, sign = 1;
    for (int i = 0; i < size; i++)
        permutation[i] = i;
    for (;;) {
        for (; r != 1; r--)
            count[r - 1] = r;
        int now = flips(permutation, size);
        if (now > most)
            most = now;
        *checksum += sign * now;
        sign = -sign;
        for (;;) {
            if (r == size)
                return most;
            int first = permutation[0];
            for (int i = 0; i < r; i++)
                permutation[i] = permutation[i + 1];
            permutation[r] = first;
            if (--count[r] > 0)
                break;
            r++;
        }
    }
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]), checksum = 0, sum = 0;
    for (int i = 0; i < repeat; i++)
        sum += fannkuch(7 + i % 2, &checksum);
    printf("%d %d\n", sum, checksum);
    return 0;
}
