// The hash functions MD5, with steps as macros, and BLAKE2s, with steps as functions.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t sines[64];

#define ROL(x, n) ((x) << (n) | (x) >> (32 - (n)))
#define F(b, c, d) (((b) & (c)) | (~(b) & (d)))
#define G(b, c, d) (((b) & (d)) | ((c) & ~(d)))
#define H(b, c, d) ((b) ^ (c) ^ (d))
#define I(b, c, d) ((c) ^ ((b) | ~(d)))
#define STEP(f, a, b, c, d, k, s, i) (a) = (b) + ROL((a) + f(b, c, d) + x[k] + sines[i], s)
#define FOUR(f, i, k0, dk, s0, s1, s2, s3) \
    STEP(f, a, b, c, d, ((k0) + 0 * (dk)) % 16, s0, i), STEP(f, d, a, b, c, ((k0) + 1 * (dk)) % 16, s1, (i) + 1), \
        STEP(f, c, d, a, b, ((k0) + 2 * (dk)) % 16, s2, (i) + 2), STEP(f, b, c, d, a, ((k0) + 3 * (dk)) % 16, s3, (i) + 3)

static void md5(uint32_t state[4], const uint8_t *data) {
    uint32_t x[16], a = state[0], b = state[1], c = state[2], d = state[3];
    memcpy(x, data, 64);
    FOUR(F, 0, 0, 1, 7, 12, 17, 22), FOUR(F, 4, 4, 1, 7, 12, 17, 22), FOUR(F, 8, 8, 1, 7, 12, 17, 22), FOUR(F, 12, 12, 1, 7, 12, 17, 22);
    FOUR(G, 16, 1, 5, 5, 9, 14, 20), FOUR(G, 20, 5, 5, 5, 9, 14, 20), FOUR(G, 24, 9, 5, 5, 9, 14, 20), FOUR(G, 28, 13, 5, 5, 9, 14, 20);
    FOUR(H, 32, 5, 3, 4, 11, 16, 23), FOUR(H, 36, 1, 3, 4, 11, 16, 23), FOUR(H, 40, 13, 3, 4, 11, 16, 23), FOUR(H, 44, 9, 3, 4, 11, 16, 23);
    FOUR(I, 48, 0, 7, 6, 10, 15, 21), FOUR(I, 52, 12, 7, 6, 10, 15, 21), FOUR(I, 56, 8, 7, 6, 10, 15, 21), FOUR(I, 60, 4, 7, 6, 10, 15, 21);
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
}

static const uint8_t sigma[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

static uint32_t ror(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void mix(uint32_t *v, int a, int b, int c, int d, uint32_t x, uint32_t y) {
    v[a] += v[b] + x, v[d] = ror(v[d] ^ v[a], 16);
    v[c] += v[d], v[b] = ror(v[b] ^ v[c], 12);
    v[a] += v[b] + y, v[d] = ror(v[d] ^ v[a], 8);
    v[c] += v[d], v[b] = ror(v[b] ^ v[c], 7);
}

static void blake2s(uint32_t h[8], const uint8_t *data, uint64_t count) {
    uint32_t v[16], m[16];
    memcpy(m, data, 64);
    for (int i = 0; i < 8; i++)
        v[i] = h[i], v[i + 8] = sines[i];
    v[12] ^= count, v[13] ^= count >> 32;
    for (int r = 0; r < 10; r++) {
        const uint8_t *s = sigma[r];
        for (int i = 0; i < 4; i++)
            mix(v, i, i + 4, i + 8, i + 12, m[s[2 * i]], m[s[2 * i + 1]]);
        for (int i = 0; i < 4; i++)
            mix(v, i, (i + 1) % 4 + 4, (i + 2) % 4 + 8, (i + 3) % 4 + 12, m[s[8 + 2 * i]], m[s[9 + 2 * i]]);
    }
    for (int i = 0; i < 8; i++)
        h[i] ^= v[i] ^ v[i + 8];
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    static uint8_t data[16384];
    for (int i = 0; i < 64; i++)
        sines[i] = (uint32_t)(fabs(sin(i + 1)) * 4294967296.0);
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = i * 7 >> 2;
    uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}, h[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (int i = 0; i < repeat; i++)
        for (size_t at = 0; at < sizeof data; at += 64) {
            md5(state, data + at);
            blake2s(h, data + at, i + at);
        }
    printf("%08x%08x %08x%08x\n", state[0], state[3], h[0], h[7]);
    return 0;
}
