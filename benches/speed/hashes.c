// Hashes without cryptography (FNV, Murmur, SipHash, Jenkins) and an open-addressing table with strings as keys.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t fnv(const uint8_t *p, size_t n) {
    uint64_t h = 0xcbf29ce484222325;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001b3;
    return h;
}

static uint32_t jenkins(const uint8_t *p, size_t n) {
    uint32_t h = 0;
    for (size_t i = 0; i < n; i++) {
        h += p[i];
        h += h << 10;
        h ^= h >> 6;
    }
    h += h << 3;
    h ^= h >> 11;
    return h + (h << 15);
}

static uint32_t murmur(const uint8_t *p, size_t n, uint32_t h) {
    size_t blocks = n / 4;
    uint32_t k;
    for (size_t i = 0; i < blocks; i++) {
        memcpy(&k, p + 4 * i, 4);
        k *= 0xcc9e2d51;
        k = k << 15 | k >> 17;
        h ^= k * 0x1b873593;
        h = (h << 13 | h >> 19) * 5 + 0xe6546b64;
    }
    k = 0;
    switch (n & 3) {
    case 3: k ^= p[4 * blocks + 2] << 16; /* fall through */
    case 2: k ^= p[4 * blocks + 1] << 8;  /* fall through */
    case 1:
        k ^= p[4 * blocks];
        k *= 0xcc9e2d51;
        h ^= (k << 15 | k >> 17) * 0x1b873593;
    }
    h ^= n;
    h = (h ^ h >> 16) * 0x85ebca6b;
    h = (h ^ h >> 13) * 0xc2b2ae35;
    return h ^ h >> 16;
}

struct sip {
    uint64_t a, b, c, d;
};

static uint64_t rol(uint64_t x, int n) { return x << n | x >> (64 - n); }

static void round_of(struct sip *s) {
    s->a += s->b, s->b = rol(s->b, 13) ^ s->a, s->a = rol(s->a, 32);
    s->c += s->d, s->d = rol(s->d, 16) ^ s->c;
    s->a += s->d, s->d = rol(s->d, 21) ^ s->a;
    s->c += s->b, s->b = rol(s->b, 17) ^ s->c, s->c = rol(s->c, 32);
}

static uint64_t sip(const uint8_t *p, size_t n) {
    struct sip s = {0x736f6d6570736575, 0x646f72616e646f6d, 0x6c7967656e657261, 0x7465646279746573};
    uint64_t word, left = (uint64_t)n << 56;
    for (; n >= 8; n -= 8, p += 8) {
        memcpy(&word, p, 8);
        s.d ^= word;
        round_of(&s);
        s.a ^= word;
    }
    for (size_t i = 0; i < n; i++)
        left |= (uint64_t)p[i] << 8 * i;
    s.d ^= left;
    round_of(&s);
    s.a ^= left;
    s.c ^= 0xff;
    for (int i = 0; i < 3; i++)
        round_of(&s);
    return s.a ^ s.b ^ s.c ^ s.d;
}

struct entry {
    const char *key;
    int value;
};

static struct entry entries[2048];

static struct entry *find(const char *key) {
    uint64_t at = fnv((const uint8_t *)key, strlen(key));
    for (;; at++) {
        struct entry *e = &entries[at & 2047];
        if (!e->key || strcmp(e->key, key) == 0)
            return e;
    }
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    static char keys[1200][12];
    static uint8_t data[4096];
    for (int i = 0; i < 1200; i++)
        sprintf(keys[i], "key%d", i * 7919 % 99991);
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = i * i >> 4;
    uint64_t sum = 0;
    for (int i = 0; i < repeat; i++) {
        size_t n = sizeof data - i % 16;
        data[i % 4096]++;
        sum += fnv(data, n / 4) + jenkins(data, n / 4) + murmur(data, n, i) + sip(data, n);
        for (size_t k = 1; k < 40; k++)
            sum += sip(data + k, k) ^ murmur(data, k, i);
        if (i % 16 == 0)
            memset(entries, 0, sizeof entries);
        for (int k = i % 4; k < 1200; k += 4) {
            struct entry *e = find(keys[k]);
            e->key = keys[k];
            e->value += k;
            sum += e->value;
        }
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
