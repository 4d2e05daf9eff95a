// A compressor that refers to earlier bytes, by a hash table, and its decoder.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 100000, HASH = 4096 };

static uint8_t text[SIZE], packed[SIZE * 2], again[SIZE + 32];

static uint32_t read32(const uint8_t *p) {
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}

static uint8_t *length(uint8_t *out, unsigned n) {
    for (; n >= 255; n -= 255)
        *out++ = 255;
    *out++ = n;
    return out;
}

static size_t compress(const uint8_t *in, size_t size, uint8_t *out) {
    static uint32_t table[HASH];
    memset(table, 0, sizeof table);
    const uint8_t *ip = in + 1, *anchor = in, *end = in + size, *limit = end - 12;
    uint8_t *op = out;
    while (ip < limit) {
        uint32_t sequence = read32(ip), hash = sequence * 2654435761u >> 20;
        const uint8_t *match = in + table[hash];
        table[hash] = ip - in;
        if (ip - match > 65535 || match >= ip || read32(match) != sequence) {
            ip++;
            continue;
        }
        const uint8_t *start = ip;
        uint16_t offset = ip - match;
        ip += 4, match += 4;
        while (ip < end - 5 && *ip == *match)
            ip++, match++;
        unsigned literals = start - anchor, matched = ip - start - 4;
        *op++ = (literals < 15 ? literals : 15) << 4 | (matched < 15 ? matched : 15);
        if (literals >= 15)
            op = length(op, literals - 15);
        memcpy(op, anchor, literals);
        op += literals;
        *op++ = offset, *op++ = offset >> 8;
        if (matched >= 15)
            op = length(op, matched - 15);
        anchor = ip;
    }
    unsigned literals = end - anchor;
    *op++ = (literals < 15 ? literals : 15) << 4;
    if (literals >= 15)
        op = length(op, literals - 15);
    memcpy(op, anchor, literals);
    return op + literals - out;
}

static size_t decompress(const uint8_t *ip, size_t size, uint8_t *out) {
    const uint8_t *end = ip + size;
    uint8_t *op = out;
    for (;;) {
        unsigned token = *ip++, literals = token >> 4, matched = token & 15, byte;
        if (literals == 15)
            do
                literals += byte = *ip++;
            while (byte == 255);
        for (unsigned i = 0; i < literals; i++)
            *op++ = *ip++;
        if (ip >= end)
            return op - out;
        unsigned offset = ip[0] | ip[1] << 8;
        ip += 2;
        if (matched == 15)
            do
                matched += byte = *ip++;
            while (byte == 255);
        const uint8_t *from = op - offset;
        for (matched += 4; matched > 0; matched--)
            *op++ = *from++;
    }
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    static const char *words[] = {"the ", "quick ", "brown ", "fox ", "jumps ", "over ", "a ", "lazy ", "dog, ", "and "};
    uint32_t random = 1;
    for (size_t at = 0; at < SIZE - 8;) {
        random = random * 1103515245 + 12345;
        const char *word = words[(random >> 16) % 10];
        memcpy(text + at, word, strlen(word));
        at += strlen(word);
        if (random >> 28 == 0)
            text[at++] = random >> 20;
    }
    unsigned long sum = 0;
    for (int i = 0; i < repeat; i++) {
        text[i * 37 % SIZE] ^= 1;
        size_t size = compress(text, SIZE, packed);
        for (int j = 0; j < 3; j++)
            sum += size + decompress(packed, size, again);
        if (memcmp(text, again, SIZE) != 0)
            return 1;
    }
    printf("%lu\n", sum);
    return 0;
}
