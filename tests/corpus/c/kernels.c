/* Well-known algorithms of cryptography and coding: long straight-line rounds, table look-ups, bit streams. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t rotate(uint32_t v, int n) { return v << n | v >> (32 - n); }

static void md_like(const uint8_t *data, size_t size, uint32_t out[4]) {
    uint32_t a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
    for (size_t at = 0; at + 64 <= size; at += 64) {
        uint32_t w[16], A = a, B = b, C = c, D = d;
        memcpy(w, data + at, 64);
        for (int i = 0; i < 64; i++) {
            uint32_t f;
            int g, s;
            if (i < 16) f = (B & C) | (~B & D), g = i, s = 7 + i % 4 * 5;
            else if (i < 32) f = (D & B) | (~D & C), g = (5 * i + 1) % 16, s = 5 + i % 4 * 4;
            else if (i < 48) f = B ^ C ^ D, g = (3 * i + 5) % 16, s = 4 + i % 4 * 6;
            else f = C ^ (B | ~D), g = 7 * i % 16, s = 6 + i % 4 * 5;
            f += A + w[g] + 0x9e3779b9u * (uint32_t)(i + 1);
            A = D, D = C, C = B;
            B += rotate(f, s);
        }
        a += A, b += B, c += C, d += D;
    }
    out[0] = a, out[1] = b, out[2] = c, out[3] = d;
}

static void chacha_block(uint32_t out[16], const uint32_t in[16]) {
    memcpy(out, in, 64);
#define QUARTER(a, b, c, d) \
    (out[a] += out[b], out[d] = rotate(out[d] ^ out[a], 16), out[c] += out[d], out[b] = rotate(out[b] ^ out[c], 12), \
     out[a] += out[b], out[d] = rotate(out[d] ^ out[a], 8), out[c] += out[d], out[b] = rotate(out[b] ^ out[c], 7))
    for (int i = 0; i < 10; i++) {
        QUARTER(0, 4, 8, 12), QUARTER(1, 5, 9, 13), QUARTER(2, 6, 10, 14), QUARTER(3, 7, 11, 15);
        QUARTER(0, 5, 10, 15), QUARTER(1, 6, 11, 12), QUARTER(2, 7, 8, 13), QUARTER(3, 4, 9, 14);
    }
    for (int i = 0; i < 16; i++) out[i] += in[i];
}

static uint32_t crc_table[256];
static void fill_crc(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
        crc_table[i] = c;
    }
}
static uint32_t crc(const uint8_t *p, size_t n) {
    uint32_t c = ~0u;
    while (n--) c = crc_table[(c ^ *p++) & 255] ^ c >> 8;
    return ~c;
}

static int base64(const uint8_t *in, int n, char *out) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *start = out;
    for (; n > 0; n -= 3, in += 3) {
        uint32_t v = (uint32_t)in[0] << 16 | (n > 1 ? in[1] << 8 : 0) | (n > 2 ? in[2] : 0);
        *out++ = digits[v >> 18];
        *out++ = digits[v >> 12 & 63];
        *out++ = n > 1 ? digits[v >> 6 & 63] : '=';
        *out++ = n > 2 ? digits[v & 63] : '=';
    }
    *out = '\0';
    return (int)(out - start);
}

static int lz(const uint8_t *in, int n, uint8_t *out) {
    int at = 0, size = 0;
    while (at < n) {
        int best = 0, from = 0;
        for (int back = 1; back <= at && back < 256; back++) {
            int length = 0;
            while (at + length < n && length < 255 && in[at + length] == in[at - back + length % back]) length++;
            if (length > best) best = length, from = back;
        }
        if (best > 3) out[size++] = 1, out[size++] = (uint8_t)from, out[size++] = (uint8_t)best, at += best;
        else out[size++] = 0, out[size++] = in[at++];
    }
    return size;
}

static int unlz(const uint8_t *in, int n, uint8_t *out) {
    int size = 0;
    for (int at = 0; at < n;) {
        if (in[at++] == 0) {
            out[size++] = in[at++];
            continue;
        }
        int back = in[at++], length = in[at++];
        while (length-- > 0) out[size] = out[size - back], size++;
    }
    return size;
}

int main(void) {
    static uint8_t data[1024], packed[4096], back[1100];
    for (int i = 0; i < 1024; i++) data[i] = (uint8_t)(i % 97 < 60 ? "abcabcxyz"[i % 9] : i * i >> 3);
    uint32_t digest[4], block[16], key[16];
    md_like(data, 1024, digest);
    printf("%08x %08x %08x %08x\n", digest[0], digest[1], digest[2], digest[3]);
    for (uint32_t i = 0; i < 16; i++) key[i] = 0x61707865u * i + 3;
    chacha_block(block, key);
    printf("%08x %08x\n", block[0], block[15]);
    fill_crc();
    printf("%08x %08x\n", crc((const uint8_t *)"123456789", 9), crc(data, 1024));
    char text[100];
    for (int n = 0; n < 5; n++) base64(data, n, text), printf("%s ", text);
    printf("%d\n", base64(data, 50, text));
    int size = lz(data, 1024, packed), undone = unlz(packed, size, back);
    printf("%d %d %d\n", size, undone, memcmp(data, back, 1024));
    return 0;
}
