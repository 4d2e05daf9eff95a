// Function pointers: tables of operations, callbacks with contexts, objects with tables of methods, and a state machine of functions.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef int64_t (*operation)(int64_t, int64_t);

static int64_t add(int64_t a, int64_t b) { return a + b; }
static int64_t sub(int64_t a, int64_t b) { return a - b; }
static int64_t mul(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }
static int64_t xor(int64_t a, int64_t b) { return a ^ b; }
static int64_t shift(int64_t a, int64_t b) { return a >> (b & 15); }

static const operation operations[] = {add, sub, mul, xor, shift};

static void each(const int *values, int n, void (*visit)(int, void *), void *context) {
    for (int i = 0; i < n; i++)
        visit(values[i], context);
}

static int64_t fold(const int *values, int n, int64_t start, operation f) {
    for (int i = 0; i < n; i++)
        start = f(start, values[i]);
    return start;
}

struct sums {
    int64_t even, odd;
};

static void split(int v, void *context) {
    struct sums *s = context;
    if (v & 1)
        s->odd += v;
    else
        s->even += v;
}

static void largest(int v, void *context) {
    int *most = context;
    if (v > *most)
        *most = v;
}

struct animal;
struct methods {
    int (*sound)(const struct animal *);
    void (*feed)(struct animal *, int);
};
struct animal {
    const struct methods *methods;
    int weight;
};

static int bark(const struct animal *a) { return a->weight * 3; }
static int purr(const struct animal *a) { return a->weight ^ 5; }
static void eat(struct animal *a, int food) { a->weight += food; }
static void nibble(struct animal *a, int food) { a->weight += food > 2 ? 1 : -1; }

static const struct methods dog = {bark, eat}, cat = {purr, nibble}, fox = {bark, nibble};

struct lexer {
    const char *at;
    int words, numbers;
    void (*state)(struct lexer *);
};

static void between(struct lexer *l);

static void word(struct lexer *l) {
    if (*l->at < 'a' || *l->at > 'z') {
        l->words++;
        l->state = between;
    } else
        l->at++;
}

static void digits(struct lexer *l) {
    if (*l->at < '0' || *l->at > '9') {
        l->numbers++;
        l->state = between;
    } else
        l->at++;
}

static void between(struct lexer *l) {
    if (*l->at >= 'a' && *l->at <= 'z')
        l->state = word;
    else if (*l->at >= '0' && *l->at <= '9')
        l->state = digits;
    else if (*l->at)
        l->at++;
    else
        l->state = NULL;
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    static int values[500];
    struct animal animals[30];
    for (int i = 0; i < 500; i++)
        values[i] = i * 7919 % 1000 - 500;
    for (int i = 0; i < 30; i++)
        animals[i] = (struct animal){i % 3 == 0 ? &dog : i % 3 == 1 ? &cat : &fox, i};
    int64_t sum = 0;
    for (int i = 0; i < repeat; i++) {
        struct sums s = {0, 0};
        int most = -1000;
        each(values, 500, split, &s);
        each(values, 500, largest, &most);
        sum += s.even * 3 + s.odd + most + fold(values, 500, i, add) + fold(values, 500, i, xor) + fold(values, 100, 1, mul);
        for (int k = 0; k < 500; k++)
            sum = operations[(k + i) % 5](sum, values[k]);
        for (int k = 0; k < 300; k++) {
            struct animal *a = &animals[k % 30];
            a->methods->feed(a, k % 5);
            sum += a->methods->sound(a);
        }
        struct lexer l = {"some words 12 and 345 more, then 6 7 8 numbers; the rest is words", 0, 0, between};
        while (l.state)
            l.state(&l);
        sum += l.words * 10 + l.numbers;
        values[i % 500] ^= 3;
    }
    printf("%lld\n", (long long)sum);
    return 0;
}
