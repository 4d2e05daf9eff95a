// Generators of random numbers: Mersenne twister, xorshift, PCG, lagged Fibonacci, and what is done with them: shuffles, pi, walks.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct twister {
    uint32_t state[624];
    int at;
};

static void seed(struct twister *t, uint32_t s) {
    for (int i = 0; i < 624; i++) {
        t->state[i] = s;
        s = 1812433253u * (s ^ s >> 30) + i + 1;
    }
    t->at = 624;
}

static uint32_t twist(struct twister *t) {
    if (t->at == 624) {
        for (int i = 0; i < 624; i++) {
            uint32_t y = (t->state[i] & 0x80000000u) | (t->state[(i + 1) % 624] & 0x7fffffffu);
            t->state[i] = t->state[(i + 397) % 624] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
        }
        t->at = 0;
    }
    uint32_t y = t->state[t->at++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

static uint64_t xorshift(uint64_t *s) {
    *s ^= *s << 13;
    *s ^= *s >> 7;
    return *s ^= *s << 17;
}

static uint32_t pcg(uint64_t *s) {
    uint64_t old = *s;
    *s = old * 6364136223846793005u + 1442695040888963407u;
    uint32_t x = ((old >> 18) ^ old) >> 27, rotation = old >> 59;
    return x >> rotation | x << (-rotation & 31);
}

static struct {
    uint32_t values[55];
    int i, j;
} lagged;

static uint32_t lag(void) {
    uint32_t v = lagged.values[lagged.i] += lagged.values[lagged.j];
    if (++lagged.i == 55)
        lagged.i = 0;
    if (++lagged.j == 55)
        lagged.j = 0;
    return v;
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    static struct twister t;
    static int deck[512];
    uint64_t x = 88172645463325252u, p = 42, sum = 0;
    seed(&t, 5489);
    lagged.j = 24;
    for (int i = 0; i < 55; i++)
        lagged.values[i] = twist(&t);
    for (int i = 0; i < 512; i++)
        deck[i] = i;
    for (int i = 0; i < repeat; i++) {
        for (int k = 511; k > 0; k--) {
            int other = twist(&t) % (k + 1), card = deck[k];
            deck[k] = deck[other];
            deck[other] = card;
        }
        int inside = 0, position = 0;
        for (int k = 0; k < 1000; k++) {
            double a = pcg(&p) / 4294967296.0, b = pcg(&p) / 4294967296.0;
            inside += a * a + b * b < 1;
            uint64_t r = xorshift(&x);
            position += (int)(r >> 60) - 7;
            sum += lag() >> 7;
        }
        sum = sum * 31 + inside + position + deck[i % 512];
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
