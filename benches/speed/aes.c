// The block cipher AES-128: key expansion, encryption by tables of words, and decryption byte by byte.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t sbox[256], inverse[256];
static uint32_t T[4][256];

static uint8_t times2(uint8_t x) { return x << 1 ^ (x >> 7) * 0x1b; }

static uint8_t product(uint8_t a, uint8_t b) {
    uint8_t p = 0;
    for (; b; b >>= 1, a = times2(a))
        if (b & 1)
            p ^= a;
    return p;
}

static void tables(void) {
    uint8_t p = 1, q = 1;
    do {
        p ^= times2(p);
        q ^= q << 1, q ^= q << 2, q ^= q << 4;
        if (q & 0x80)
            q ^= 9;
        uint8_t x = q ^ (q << 1 | q >> 7) ^ (q << 2 | q >> 6) ^ (q << 3 | q >> 5) ^ (q << 4 | q >> 4);
        sbox[p] = x ^ 0x63;
    } while (p != 1);
    sbox[0] = 0x63;
    for (int i = 0; i < 256; i++) {
        uint32_t s = sbox[i], s2 = times2(s), word = s2 << 24 | s << 16 | s << 8 | (s2 ^ s);
        inverse[s] = i;
        for (int t = 0; t < 4; t++)
            T[t][i] = t ? word >> 8 * t | word << (32 - 8 * t) : word;
    }
}

static void expand(const uint8_t key[16], uint32_t words[44]) {
    uint8_t round = 1;
    for (int i = 0; i < 4; i++)
        words[i] = (uint32_t)key[4 * i] << 24 | key[4 * i + 1] << 16 | key[4 * i + 2] << 8 | key[4 * i + 3];
    for (int i = 4; i < 44; i++) {
        uint32_t t = words[i - 1];
        if (i % 4 == 0) {
            t = t << 8 | t >> 24;
            t = (uint32_t)sbox[t >> 24] << 24 | sbox[t >> 16 & 255] << 16 | sbox[t >> 8 & 255] << 8 | sbox[t & 255];
            t ^= (uint32_t)round << 24;
            round = times2(round);
        }
        words[i] = words[i - 4] ^ t;
    }
}

static void encrypt(const uint32_t *k, uint32_t s[4]) {
    for (int i = 0; i < 4; i++)
        s[i] ^= k[i];
    for (int round = 1; round < 10; round++) {
        uint32_t t[4];
        k += 4;
        for (int i = 0; i < 4; i++)
            t[i] = T[0][s[i] >> 24] ^ T[1][s[(i + 1) % 4] >> 16 & 255] ^ T[2][s[(i + 2) % 4] >> 8 & 255] ^ T[3][s[(i + 3) % 4] & 255] ^ k[i];
        memcpy(s, t, sizeof t);
    }
    uint32_t t[4];
    k += 4;
    for (int i = 0; i < 4; i++)
        t[i] = ((uint32_t)sbox[s[i] >> 24] << 24 | sbox[s[(i + 1) % 4] >> 16 & 255] << 16 | sbox[s[(i + 2) % 4] >> 8 & 255] << 8 | sbox[s[(i + 3) % 4] & 255]) ^ k[i];
    memcpy(s, t, sizeof t);
}

static void decrypt(const uint32_t *k, uint8_t state[16]) {
    for (int round = 10; round >= 0; round--) {
        for (int i = 0; i < 16; i++)
            state[i] ^= k[4 * round + i / 4] >> (24 - 8 * (i % 4));
        if (round == 0)
            break;
        if (round != 10)
            for (int c = 0; c < 4; c++) {
                uint8_t *s = state + 4 * c, a = s[0], b = s[1], d = s[2], e = s[3];
                s[0] = product(a, 14) ^ product(b, 11) ^ product(d, 13) ^ product(e, 9);
                s[1] = product(a, 9) ^ product(b, 14) ^ product(d, 11) ^ product(e, 13);
                s[2] = product(a, 13) ^ product(b, 9) ^ product(d, 14) ^ product(e, 11);
                s[3] = product(a, 11) ^ product(b, 13) ^ product(d, 9) ^ product(e, 14);
            }
        uint8_t t[16];
        for (int i = 0; i < 16; i++)
            t[(i + 4 * (i % 4)) % 16] = inverse[state[i]];
        memcpy(state, t, 16);
    }
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    uint8_t key[16] = "sixteen letters.";
    uint32_t words[44], s[4] = {1, 2, 3, 4}, sum = 0;
    tables();
    for (int i = 0; i < repeat; i++) {
        if (i % 100 == 0) {
            key[i / 100 % 16] ^= s[0];
            expand(key, words);
        }
        for (int j = 0; j < 100; j++)
            encrypt(words, s);
        uint8_t bytes[16];
        for (int j = 0; j < 16; j++)
            bytes[j] = s[j / 4] >> (24 - 8 * (j % 4));
        decrypt(words, bytes);
        sum = sum * 31 + bytes[i % 16];
    }
    printf("%08x %08x\n", sum, s[3]);
    return 0;
}
