// Huffman codes: counting, a heap of trees, encoding to bits, and decoding by a walk and by a table.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 30000 };

static uint8_t text[SIZE], again[SIZE], bits[SIZE * 2];
static int left[512], right[512], weight[512], nodes, root;
static uint32_t codes[256];
static uint8_t lengths[256];
static struct { uint8_t symbol, length; } table[1 << 12];

static void codes_of(int node, uint32_t code, int length) {
    if (node < 256) {
        codes[node] = code;
        lengths[node] = length ? length : 1;
        return;
    }
    codes_of(left[node], code, length + 1);
    codes_of(right[node], code | 1u << length, length + 1);
}

static int smallest(int *heap, int *count) {
    int best = 0;
    for (int i = 1; i < *count; i++)
        if (weight[heap[i]] < weight[heap[best]])
            best = i;
    int node = heap[best];
    heap[best] = heap[--*count];
    return node;
}

static void build(void) {
    int heap[256], count = 0;
    memset(weight, 0, sizeof weight);
    for (int i = 0; i < SIZE; i++)
        weight[text[i]]++;
    for (int i = 0; i < 256; i++)
        if (weight[i])
            heap[count++] = i;
    nodes = 256;
    while (count > 1) {
        int a = smallest(heap, &count), b = smallest(heap, &count);
        left[nodes] = a, right[nodes] = b, weight[nodes] = weight[a] + weight[b];
        heap[count++] = nodes++;
    }
    root = heap[0];
    codes_of(root, 0, 0);
    memset(table, 0, sizeof table);
    for (int symbol = 0; symbol < 256; symbol++)
        if (weight[symbol] && lengths[symbol] <= 12)
            for (uint32_t code = codes[symbol]; code < 1 << 12; code += 1u << lengths[symbol])
                table[code].symbol = symbol, table[code].length = lengths[symbol];
}

static size_t encode(void) {
    uint64_t buffer = 0;
    int used = 0;
    uint8_t *out = bits;
    for (int i = 0; i < SIZE; i++) {
        buffer |= (uint64_t)codes[text[i]] << used;
        used += lengths[text[i]];
        for (; used >= 8; used -= 8, buffer >>= 8)
            *out++ = buffer;
    }
    *out++ = buffer;
    memset(out, 0, 8);
    return out - bits;
}

static void walk(void) {
    size_t at = 0;
    for (int i = 0; i < SIZE; i++) {
        int node = root;
        for (; node >= 256; at++)
            node = bits[at >> 3] >> (at & 7) & 1 ? right[node] : left[node];
        again[i] = node;
    }
}

static void by_table(void) {
    uint64_t buffer = 0;
    int have = 0;
    const uint8_t *in = bits;
    for (int i = 0; i < SIZE; i++) {
        while (have <= 48)
            buffer |= (uint64_t)*in++ << have, have += 8;
        unsigned entry = buffer & 0xfff;
        int length = table[entry].length;
        if (length) {
            again[i] = table[entry].symbol;
            buffer >>= length, have -= length;
            continue;
        }
        int node = root;
        for (; node >= 256; buffer >>= 1, have--)
            node = buffer & 1 ? right[node] : left[node];
        again[i] = node;
    }
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    unsigned long sum = 0;
    uint32_t random = 1;
    for (int i = 0; i < SIZE; i++) {
        random = random * 1664525 + 1013904223;
        text[i] = (random >> 24 & random >> 16 & 63) + (random >> 8 & 7);
    }
    for (int i = 0; i < repeat; i++) {
        text[i % SIZE] ^= i;
        build();
        sum += encode();
        walk();
        sum = sum * 31 + again[i * 7 % SIZE];
        memset(again, 0, SIZE);
        by_table();
        if (memcmp(text, again, SIZE) != 0)
            return 1;
    }
    printf("%lu\n", sum);
    return 0;
}
