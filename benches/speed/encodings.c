// Encodings of bytes: base64 forth and back, UTF-8 checked, decoded and encoded, CRC-32 by tables and by bits, Adler-32, hexadecimal.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 6000 };

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static uint32_t crcs[4][256];

static int digit(int c) {
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static size_t base64(const uint8_t *in, size_t n, char *out) {
    char *start = out;
    for (size_t i = 0; i + 2 < n; i += 3) {
        uint32_t v = in[i] << 16 | in[i + 1] << 8 | in[i + 2];
        *out++ = alphabet[v >> 18];
        *out++ = alphabet[v >> 12 & 63];
        *out++ = alphabet[v >> 6 & 63];
        *out++ = alphabet[v & 63];
    }
    return out - start;
}

static size_t unbase64(const char *in, size_t n, uint8_t *out) {
    uint8_t *start = out;
    uint32_t v = 0;
    int have = 0;
    for (size_t i = 0; i < n; i++) {
        int d = digit(in[i]);
        if (d < 0)
            continue;
        v = v << 6 | d;
        if (++have == 4) {
            *out++ = v >> 16, *out++ = v >> 8, *out++ = v;
            v = have = 0;
        }
    }
    return out - start;
}

static size_t to_utf8(const uint32_t *in, size_t n, uint8_t *out) {
    uint8_t *start = out;
    for (size_t i = 0; i < n; i++) {
        uint32_t c = in[i];
        if (c < 0x80)
            *out++ = c;
        else if (c < 0x800)
            *out++ = 0xc0 | c >> 6, *out++ = 0x80 | (c & 63);
        else if (c < 0x10000)
            *out++ = 0xe0 | c >> 12, *out++ = 0x80 | (c >> 6 & 63), *out++ = 0x80 | (c & 63);
        else
            *out++ = 0xf0 | c >> 18, *out++ = 0x80 | (c >> 12 & 63), *out++ = 0x80 | (c >> 6 & 63), *out++ = 0x80 | (c & 63);
    }
    return out - start;
}

static long from_utf8(const uint8_t *in, size_t n, uint32_t *out) {
    uint32_t *start = out;
    for (size_t i = 0; i < n;) {
        uint32_t c = in[i++];
        int more = c < 0x80 ? 0 : c < 0xc2 ? -1 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : c < 0xf5 ? 3 : -1;
        if (more < 0 || i + more > n)
            return -1;
        if (more > 0)
            c &= 0x3f >> more;
        for (int k = 0; k < more; k++, i++) {
            if ((in[i] & 0xc0) != 0x80)
                return -1;
            c = c << 6 | (in[i] & 63);
        }
        *out++ = c;
    }
    return out - start;
}

static uint32_t crc_bits(const uint8_t *in, size_t n) {
    uint32_t crc = ~0u;
    while (n--) {
        crc ^= *in++;
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (0xedb88320 & -(crc & 1));
    }
    return ~crc;
}

static uint32_t crc_table(const uint8_t *in, size_t n) {
    uint32_t crc = ~0u;
    for (; n >= 4; n -= 4, in += 4) {
        uint32_t word;
        memcpy(&word, in, 4);
        crc ^= word;
        crc = crcs[3][crc & 255] ^ crcs[2][crc >> 8 & 255] ^ crcs[1][crc >> 16 & 255] ^ crcs[0][crc >> 24];
    }
    while (n--)
        crc = crc >> 8 ^ crcs[0][(crc ^ *in++) & 255];
    return ~crc;
}

static uint32_t adler(const uint8_t *in, size_t n) {
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < n; i++) {
        a = (a + in[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    static uint8_t bytes[SIZE], decoded[SIZE + 4], utf8[SIZE * 4];
    static char text[SIZE * 2];
    static uint32_t points[SIZE], back[SIZE];
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
        crcs[0][i] = c;
    }
    for (int t = 1; t < 4; t++)
        for (int i = 0; i < 256; i++)
            crcs[t][i] = crcs[t - 1][i] >> 8 ^ crcs[0][crcs[t - 1][i] & 255];
    uint32_t random = 1;
    for (int i = 0; i < SIZE; i++) {
        random = random * 1664525 + 1013904223;
        bytes[i] = random >> 24;
        points[i] = random >> 30 ? random >> 24 & 127 : random >> 11 & 0xfff;
        if (i % 50 == 0)
            points[i] = 0x1f600 + i % 64;
    }
    unsigned long sum = 0;
    for (int i = 0; i < repeat; i++) {
        bytes[i % SIZE]++;
        size_t n = base64(bytes, SIZE, text);
        n = unbase64(text, n, decoded);
        if (memcmp(bytes, decoded, n) != 0)
            return 1;
        n = to_utf8(points, SIZE, utf8);
        if (from_utf8(utf8, n, back) != SIZE || memcmp(points, back, sizeof back) != 0)
            return 1;
        if (crc_bits(bytes, 1000) != crc_table(bytes, 1000))
            return 1;
        sum += crc_table(decoded, SIZE) + adler(utf8, n);
    }
    printf("%lu\n", sum);
    return 0;
}
