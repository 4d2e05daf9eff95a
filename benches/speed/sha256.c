// The hash function SHA-256.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t K[64];

#define ROR(x, n) (((x) >> (n)) | ((x) << (32 - (n))))
#define CH(x, y, z) (((x) & (y)) ^ (~(x) & (z)))
#define MAJ(x, y, z) (((x) & (y)) ^ ((x) & (z)) ^ ((y) & (z)))
#define S0(x) (ROR(x, 2) ^ ROR(x, 13) ^ ROR(x, 22))
#define S1(x) (ROR(x, 6) ^ ROR(x, 11) ^ ROR(x, 25))
#define s0(x) (ROR(x, 7) ^ ROR(x, 18) ^ ((x) >> 3))
#define s1(x) (ROR(x, 17) ^ ROR(x, 19) ^ ((x) >> 10))

struct context {
    uint32_t state[8];
    uint64_t length;
    uint8_t buffer[64];
    size_t used;
};

static void transform(struct context *ctx, const uint8_t *data) {
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)data[4 * i] << 24 | data[4 * i + 1] << 16 | data[4 * i + 2] << 8 | data[4 * i + 3];
    for (int i = 16; i < 64; i++)
        w[i] = s1(w[i - 2]) + w[i - 7] + s0(w[i - 15]) + w[i - 16];
    memcpy(v, ctx->state, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t t1 = v[7] + S1(v[4]) + CH(v[4], v[5], v[6]) + K[i] + w[i];
        uint32_t t2 = S0(v[0]) + MAJ(v[0], v[1], v[2]);
        v[7] = v[6], v[6] = v[5], v[5] = v[4], v[4] = v[3] + t1;
        v[3] = v[2], v[2] = v[1], v[1] = v[0], v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        ctx->state[i] += v[i];
}

static void update(struct context *ctx, const uint8_t *data, size_t length) {
    ctx->length += length;
    for (size_t i = 0; i < length; i++) {
        ctx->buffer[ctx->used++] = data[i];
        if (ctx->used == 64) {
            transform(ctx, ctx->buffer);
            ctx->used = 0;
        }
    }
}

static void finish(struct context *ctx) {
    uint64_t bits = ctx->length * 8;
    uint8_t byte = 0x80;
    update(ctx, &byte, 1);
    byte = 0;
    while (ctx->used != 56)
        update(ctx, &byte, 1);
    for (int i = 7; i >= 0; i--) {
        byte = bits >> (8 * i);
        update(ctx, &byte, 1);
    }
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    static uint8_t text[20000];
    for (int i = 0; i < 64; i++)
        K[i] = 0x428a2f98u * (uint32_t)(2 * i + 1) ^ 0x71374491u >> (i % 13);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = i * i >> 3;
    uint32_t sum = 0;
    for (int i = 0; i < repeat; i++) {
        struct context ctx = {{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
        update(&ctx, text, sizeof text - i % 64);
        finish(&ctx);
        sum ^= ctx.state[i % 8];
        text[i % sizeof text] += ctx.state[0];
    }
    printf("%08x\n", sum);
    return 0;
}
