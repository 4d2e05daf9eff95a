// Parts of a compressor that sorts blocks: rotations sorted by prefixes, its inverse, move-to-front, and runs.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 4000 };

static uint8_t block[SIZE], last[SIZE], front[SIZE], packed[2 * SIZE], unpacked[SIZE], again[SIZE];
static int order[SIZE], rank[SIZE], next[SIZE];

static int less(int a, int b) {
    for (int i = 0; i < SIZE; i++) {
        uint8_t x = block[a], y = block[b];
        if (x != y)
            return x < y;
        if (++a == SIZE)
            a = 0;
        if (++b == SIZE)
            b = 0;
    }
    return 0;
}

static void sort(int low, int high) {
    while (high - low > 8) {
        int pivot = order[(low + high) / 2], i = low, j = high - 1;
        while (i <= j) {
            while (less(order[i], pivot))
                i++;
            while (less(pivot, order[j]))
                j--;
            if (i <= j) {
                int t = order[i];
                order[i++] = order[j];
                order[j--] = t;
            }
        }
        if (j + 1 - low < high - i) {
            sort(low, j + 1);
            low = i;
        } else {
            sort(i, high);
            high = j + 1;
        }
    }
    for (int i = low + 1; i < high; i++) {
        int v = order[i], j = i;
        for (; j > low && less(v, order[j - 1]); j--)
            order[j] = order[j - 1];
        order[j] = v;
    }
}

static void move_to_front(const uint8_t *in, uint8_t *out, int back) {
    uint8_t list[256];
    for (int i = 0; i < 256; i++)
        list[i] = i;
    for (int i = 0; i < SIZE; i++) {
        int at = in[i];
        if (!back)
            for (at = 0; list[at] != in[i];)
                at++;
        uint8_t symbol = list[at];
        out[i] = back ? symbol : at;
        for (; at > 0; at--)
            list[at] = list[at - 1];
        list[0] = symbol;
    }
}

static int runs(const uint8_t *in, uint8_t *out) {
    int n = 0;
    for (int i = 0; i < SIZE;) {
        int length = 1;
        while (i + length < SIZE && length < 255 && in[i + length] == in[i])
            length++;
        if (length < 4)
            for (int k = 0; k < length; k++)
                out[n++] = in[i];
        else {
            for (int k = 0; k < 4; k++)
                out[n++] = in[i];
            out[n++] = length - 4;
        }
        if (length == 3 && i + 3 < SIZE && in[i + 3] == in[i])
            return -1;
        i += length;
    }
    return n;
}

static void expand(const uint8_t *in, int n, uint8_t *out) {
    int count = 0, previous = -1;
    for (int i = 0; i < n; i++) {
        count = in[i] == previous ? count + 1 : 1;
        previous = in[i];
        *out++ = in[i];
        if (count == 4) {
            for (int k = in[++i]; k > 0; k--)
                *out++ = previous;
            count = 0, previous = -1;
        }
    }
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    static const char *words[] = {"she ", "sells ", "sea ", "shells ", "by ", "the ", "shore. "};
    unsigned long sum = 0;
    uint32_t random = 1;
    for (int r = 0; r < repeat; r++) {
        for (int at = 0; at < SIZE;) {
            random = random * 1664525 + 1013904223;
            for (const char *w = words[(random >> 20) % 7]; *w && at < SIZE;)
                block[at++] = *w++;
        }
        for (int i = 0; i < SIZE; i++)
            order[i] = i;
        sort(0, SIZE);
        int primary = 0, counts[257] = {0};
        for (int i = 0; i < SIZE; i++) {
            last[i] = block[(order[i] + SIZE - 1) % SIZE];
            if (order[i] == 0)
                primary = i;
        }
        move_to_front(last, front, 0);
        int n = runs(front, packed);
        expand(packed, n, unpacked);
        move_to_front(unpacked, last, 1);
        for (int i = 0; i < SIZE; i++)
            counts[last[i] + 1]++;
        for (int i = 0; i < 256; i++)
            counts[i + 1] += counts[i];
        for (int i = 0; i < SIZE; i++)
            next[counts[last[i]]++] = i;
        for (int i = 0, at = next[primary]; i < SIZE; i++, at = next[at])
            again[i] = last[at];
        if (memcmp(again, block, SIZE) != 0)
            return 1;
        sum = sum * 31 + n + primary;
    }
    printf("%lu\n", sum);
    return 0;
}
