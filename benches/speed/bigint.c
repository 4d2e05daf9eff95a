// Large integers: factorials, Fibonacci numbers, products of digits with carries, division by words, and decimal output.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 128 };

struct big {
    uint32_t words[WORDS];
    int used;
};

static void from(struct big *x, uint32_t value) {
    x->words[0] = value;
    x->used = value != 0;
}

static void add(struct big *x, const struct big *y) {
    uint64_t carry = 0;
    int n = x->used > y->used ? x->used : y->used;
    for (int i = 0; i < n || carry; i++) {
        if (i >= x->used)
            x->words[x->used++] = 0;
        carry += (uint64_t)x->words[i] + (i < y->used ? y->words[i] : 0);
        x->words[i] = carry;
        carry >>= 32;
    }
}

static void scale(struct big *x, uint32_t factor) {
    uint64_t carry = 0;
    for (int i = 0; i < x->used; i++) {
        carry += (uint64_t)x->words[i] * factor;
        x->words[i] = carry;
        carry >>= 32;
    }
    if (carry)
        x->words[x->used++] = carry;
}

static void multiply(struct big *out, const struct big *x, const struct big *y) {
    memset(out->words, 0, (x->used + y->used) * sizeof *out->words);
    for (int i = 0; i < x->used; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < y->used; j++) {
            carry += (uint64_t)x->words[i] * y->words[j] + out->words[i + j];
            out->words[i + j] = carry;
            carry >>= 32;
        }
        out->words[i + y->used] = carry;
    }
    out->used = x->used + y->used;
    while (out->used && !out->words[out->used - 1])
        out->used--;
}

static uint32_t divide(struct big *x, uint32_t divisor) {
    uint64_t rest = 0;
    for (int i = x->used - 1; i >= 0; i--) {
        rest = rest << 32 | x->words[i];
        x->words[i] = rest / divisor;
        rest %= divisor;
    }
    while (x->used && !x->words[x->used - 1])
        x->used--;
    return rest;
}

static int decimal(struct big x, char *out) {
    char *p = out;
    while (x.used) {
        uint32_t digits = divide(&x, 1000000000);
        for (int i = 0; i < 9 && (x.used || digits); i++) {
            *p++ = '0' + digits % 10;
            digits /= 10;
        }
    }
    return p - out;
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    uint32_t sum = 0;
    char text[2000];
    for (int i = 0; i < repeat; i++) {
        struct big f, a, b, c;
        from(&f, 1);
        for (int k = 2; k < 200 + i % 20; k++)
            scale(&f, k);
        from(&a, 0), from(&b, 1);
        for (int k = 0; k < 800; k++) {
            add(&a, &b);
            c = a, a = b, b = c;
        }
        multiply(&c, &f, &b);
        int digits = decimal(c, text);
        for (int k = 0; k < digits; k++)
            sum = sum * 31 + text[k];
    }
    printf("%u\n", sum);
    return 0;
}
