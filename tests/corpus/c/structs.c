/* Structs by value of every passing class, nested, with arrays, unions, bit-fields, flexible members and packed ones. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { char c; } Tiny;
typedef struct { int a, b; } Pair;
typedef struct { double x, y; } Point;
typedef struct { long a; double b; } Mixed;
typedef struct { int values[12]; Point at; } Large;
typedef struct { float r, g, b; } Color;
typedef struct { Pair pair; union { int i; float f; char bytes[4]; } u; } Nested;
typedef struct __attribute__((packed)) { char tag; int value; short tail; } Packed;

static Tiny tiny(Tiny t) { t.c++; return t; }
static Pair swap(Pair p) { return (Pair){p.b, p.a}; }
static Point rotate(Point p) { return (Point){-p.y, p.x}; }
static Mixed mix(Mixed m, int n) { m.a += n; m.b *= n; return m; }
static Color blend(Color a, Color b, float t) {
    return (Color){a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}
static Large fill(Large l, int from) {
    for (int i = 0; i < 12; i++) l.values[i] += from * i;
    l.at = rotate(l.at);
    return l;
}

typedef struct {
    unsigned low : 3;
    signed middle : 5;
    unsigned : 0;
    uint64_t wide : 40;
    unsigned flag : 1;
    _Bool truth : 1;
} Bits;

static Bits step(Bits b) {
    b.low += 3;
    b.middle -= 7;
    b.wide = b.wide * 3 + b.low;
    b.flag ^= 1;
    b.truth = b.wide > 100;
    return b;
}

typedef struct { int count; short items[]; } List;

typedef union { uint32_t word; uint8_t bytes[4]; struct { uint16_t low, high; } halves; float real; } Word;

static int sum(const Large *l) {
    int total = 0;
    for (size_t i = 0; i < sizeof l->values / sizeof *l->values; i++) total += l->values[i];
    return total;
}

int main(void) {
    Pair p = swap((Pair){3, 4});
    Point q = rotate(rotate((Point){1.5, -2.5}));
    Mixed m = mix((Mixed){10, 2.5}, 4);
    printf("%c %d %d %.1f %.1f %ld %.2f\n", tiny((Tiny){'A'}).c, p.a, p.b, q.x, q.y, m.a, m.b);
    Color c = blend((Color){0, 0.5f, 1}, (Color){1, 0.25f, 0}, 0.25f);
    printf("%.4f %.4f %.4f\n", c.r, c.g, c.b);
    Large l = {{1, 2, 3}, {7, 8}};
    l = fill(fill(l, 2), -1);
    printf("%d %.0f %.0f %zu %zu\n", sum(&l), l.at.x, l.at.y, sizeof(Large), offsetof(Large, at));
    Bits b = {0};
    for (int i = 0; i < 9; i++) {
        b = step(b);
        printf("%u/%d/%llu/%u%d ", b.low, b.middle, (unsigned long long)b.wide, b.flag, b.truth);
    }
    printf("\n");
    Packed packed[3];
    memset(packed, 0, sizeof packed);
    for (int i = 0; i < 3; i++) packed[i] = (Packed){(char)('x' + i), i * 100000, (short)-i};
    printf("%zu %c %d %d\n", sizeof(Packed), packed[2].tag, packed[2].value, packed[2].tail);
    Nested n = {{1, 2}, {.f = 1.0f}}, *pointer = &n;
    printf("%x %d\n", pointer->u.i, pointer->pair.b);
    Word w = {.real = -2.75f};
    printf("%08x %02x %04x\n", w.word, w.bytes[3], w.halves.high);
    w.halves.low = 0xbeef;
    printf("%08x\n", w.word);
    List *list = malloc(sizeof(List) + 5 * sizeof(short));
    list->count = 5;
    for (int i = 0; i < list->count; i++) list->items[i] = (short)(i * i - 7);
    int total = 0;
    while (list->count-- > 0) total = total * 3 + list->items[list->count];
    free(list);
    printf("%d\n", total);
    Point grid[2][3] = {{{1, 2}, {3, 4}}, [1][2] = {.y = 9}};
    Point copy[2][3];
    memcpy(copy, grid, sizeof grid);
    printf("%.0f %.0f\n", copy[0][1].x, copy[1][2].y);
    return 0;
}
