// Grids of cells: the game of life on bytes and on bits, an elementary automaton, a flood fill with a stack, and an image's blur.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { W = 96, H = 64 };

static uint8_t cells[H][W], other[H][W];

static int life(void) {
    int alive = 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            int n = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    if (dx || dy)
                        n += cells[(y + dy + H) % H][(x + dx + W) % W];
            other[y][x] = n == 3 || (n == 2 && cells[y][x]);
            alive += other[y][x];
        }
    memcpy(cells, other, sizeof cells);
    return alive;
}

static uint64_t rows[64];

static int bits(void) {
    uint64_t next[64];
    int alive = 0;
    for (int y = 0; y < 64; y++) {
        uint64_t ones = 0, twos = 0, fours = 0;
        for (int k = 0; k < 3; k++) {
            uint64_t row = rows[(y + k + 63) % 64];
            uint64_t neighbours[3] = {row << 1 | row >> 63, k == 1 ? 0 : row, row >> 1 | row << 63};
            for (int i = 0; i < 3; i++) {
                uint64_t carry = ones & neighbours[i];
                ones ^= neighbours[i];
                fours |= twos & carry;
                twos ^= carry;
            }
        }
        next[y] = twos & ~fours & (ones | rows[y]);
        alive += __builtin_popcountll(next[y]);
    }
    memcpy(rows, next, sizeof rows);
    return alive;
}

static int automaton(int rule, int steps) {
    uint8_t line[130] = {0}, next[130] = {0};
    int sum = 0;
    line[65] = 1;
    for (int s = 0; s < steps; s++) {
        for (int i = 1; i < 129; i++)
            next[i] = rule >> (line[i - 1] * 4 + line[i] * 2 + line[i + 1]) & 1;
        for (int i = 1; i < 129; i++)
            sum += line[i] = next[i];
    }
    return sum;
}

static int flood(int start) {
    static int stack[4 * W * H];
    uint8_t *at = &other[0][0];
    int top = 0, count = 0, colour = at[start];
    stack[top++] = start;
    while (top) {
        int i = stack[--top];
        if (at[i] != colour)
            continue;
        at[i] = 2;
        count++;
        if (i % W)
            stack[top++] = i - 1;
        if (i % W != W - 1)
            stack[top++] = i + 1;
        if (i >= W)
            stack[top++] = i - W;
        if (i < W * (H - 1))
            stack[top++] = i + W;
    }
    return count;
}

static unsigned blur(uint8_t image[H][W], uint8_t out[H][W]) {
    unsigned sum = 0;
    for (int y = 1; y < H - 1; y++)
        for (int x = 1; x < W - 1; x++) {
            int v = image[y][x] * 4 + (image[y - 1][x] + image[y + 1][x] + image[y][x - 1] + image[y][x + 1]) * 2 + image[y - 1][x - 1] + image[y - 1][x + 1] +
                    image[y + 1][x - 1] + image[y + 1][x + 1];
            out[y][x] = v / 16;
            sum += out[y][x];
        }
    return sum;
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    static uint8_t image[H][W], smooth[H][W];
    uint32_t random = 1;
    uint64_t sum = 0;
    for (int i = 0; i < repeat; i++) {
        if (i % 50 == 0)
            for (int y = 0; y < H; y++)
                for (int x = 0; x < W; x++) {
                    random = random * 1664525 + 1013904223;
                    cells[y][x] = random >> 30 == 0;
                    image[y][x] = random >> 24;
                    rows[y] ^= (uint64_t)(random >> 31) << x % 64;
                }
        sum += life() + bits() + automaton(i % 256, 10) + flood(i * 13 % (W * H)) + blur(image, smooth);
        image[i % H][i % W]++;
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
