// The stream cipher ChaCha20 over a buffer.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t rotate(uint32_t x, int n) { return (x << n) | (x >> (32 - n)); }

static void quarter(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d) {
    *a += *b, *d = rotate(*d ^ *a, 16);
    *c += *d, *b = rotate(*b ^ *c, 12);
    *a += *b, *d = rotate(*d ^ *a, 8);
    *c += *d, *b = rotate(*b ^ *c, 7);
}

static void block(const uint32_t in[16], uint8_t out[64]) {
    uint32_t x[16];
    memcpy(x, in, sizeof x);
    for (int i = 0; i < 10; i++) {
        quarter(&x[0], &x[4], &x[8], &x[12]);
        quarter(&x[1], &x[5], &x[9], &x[13]);
        quarter(&x[2], &x[6], &x[10], &x[14]);
        quarter(&x[3], &x[7], &x[11], &x[15]);
        quarter(&x[0], &x[5], &x[10], &x[15]);
        quarter(&x[1], &x[6], &x[11], &x[12]);
        quarter(&x[2], &x[7], &x[8], &x[13]);
        quarter(&x[3], &x[4], &x[9], &x[14]);
    }
    for (int i = 0; i < 16; i++) {
        uint32_t word = x[i] + in[i];
        out[4 * i] = word;
        out[4 * i + 1] = word >> 8;
        out[4 * i + 2] = word >> 16;
        out[4 * i + 3] = word >> 24;
    }
}

static void encrypt(uint32_t state[16], uint8_t *data, size_t length) {
    uint8_t stream[64];
    while (length > 0) {
        block(state, stream);
        if (++state[12] == 0)
            state[13]++;
        size_t now = length < 64 ? length : 64;
        for (size_t i = 0; i < now; i++)
            data[i] ^= stream[i];
        data += now;
        length -= now;
    }
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    static uint8_t data[65521];
    uint32_t state[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 9, 10};
    for (int i = 0; i < repeat; i++)
        encrypt(state, data, sizeof data);
    uint32_t sum = 0;
    for (size_t i = 0; i < sizeof data; i++)
        sum = sum * 31 + data[i];
    printf("%08x\n", sum);
    return 0;
}
