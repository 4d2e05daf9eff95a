// Tricks on bits: counts, reversals, byte swaps, rotations, Gray codes, interleaving, next permutations, saturation and overflow.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int count(uint64_t x) {
    int n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
}

static int count_fields(uint32_t x) {
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

static uint32_t reverse(uint32_t x) {
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    x = (x >> 8 & 0x00ff00ff) | (x & 0x00ff00ff) << 8;
    return x >> 16 | x << 16;
}

static uint32_t swap(uint32_t x) { return x >> 24 | (x >> 8 & 0xff00) | (x & 0xff00) << 8 | x << 24; }

static uint64_t rotate(uint64_t x, unsigned n) { return x << (n & 63) | x >> (-n & 63); }

static uint32_t gray(uint32_t x) { return x ^ x >> 1; }

static uint32_t from_gray(uint32_t x) {
    for (int shift = 1; shift < 32; shift *= 2)
        x ^= x >> shift;
    return x;
}

static uint32_t spread(uint32_t x) {
    x = (x | x << 8) & 0x00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f;
    x = (x | x << 2) & 0x33333333;
    return (x | x << 1) & 0x55555555;
}

static uint32_t next(uint32_t x) {
    uint32_t least = x & -x, ripple = x + least;
    return least ? ripple | ((x ^ ripple) / least >> 2) : 0;
}

static int log2_of(uint32_t x) {
    int n = 0;
    if (x >> 16) x >>= 16, n += 16;
    if (x >> 8) x >>= 8, n += 8;
    if (x >> 4) x >>= 4, n += 4;
    if (x >> 2) x >>= 2, n += 2;
    return n + (x >> 1);
}

static int32_t add_saturated(int32_t a, int32_t b) {
    int32_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return a < 0 ? INT32_MIN : INT32_MAX;
    return sum;
}

static uint8_t subtract_saturated(uint8_t a, uint8_t b) { return a > b ? a - b : 0; }

static int16_t clip(int32_t v) { return v > INT16_MAX ? INT16_MAX : v < INT16_MIN ? INT16_MIN : v; }

static int multiply_checked(int64_t a, int64_t b, int64_t *out) { return __builtin_mul_overflow(a, b, out); }

static int parity(uint32_t x) {
    x ^= x >> 16, x ^= x >> 8, x ^= x >> 4;
    return 0x6996 >> (x & 15) & 1;
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    uint64_t sum = 0, random = 1;
    int32_t level = 0;
    int64_t wide = 3;
    for (int i = 0; i < repeat; i++)
        for (int k = 0; k < 1000; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            uint32_t x = random >> 32, y = random >> 11;
            sum += count(random >> 40) + count_fields(x) + reverse(y) + swap(x);
            sum = rotate(sum, x) ^ gray(y);
            sum += from_gray(x) + (spread(x & 0xffff) | spread(y & 0xffff) << 1) + next(y | 1) + log2_of(x) + parity(y);
            level = add_saturated(level, (int32_t)x);
            sum += (int64_t)level + subtract_saturated(x, y) + clip((int32_t)(x ^ y) >> 12);
            int64_t product;
            wide = multiply_checked(wide, (int32_t)y, &product) ? (int32_t)x | 1 : product;
            sum ^= wide;
        }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
