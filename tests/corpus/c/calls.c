/* Recursion, mutual recursion, function pointers, tables of functions, callbacks, weak and aliased functions. */
#include <stdio.h>
#include <stdlib.h>

static int odd(unsigned n);
static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }

static unsigned ackermann(unsigned m, unsigned n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

static void hanoi(int n, char from, char to, char by, int *moves) {
    if (n == 0) return;
    hanoi(n - 1, from, by, to, moves);
    if (++*moves <= 7) printf("%c%c ", from, to);
    hanoi(n - 1, by, to, from, moves);
}

typedef int (*Binary)(int, int);
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }
static const Binary table[] = {add, sub, mul, NULL};

static Binary choose(char c) { return c == '+' ? add : c == '-' ? sub : c == '*' ? mul : NULL; }

static int fold(Binary f, const int *values, int count, int start) {
    for (int i = 0; i < count; i++) start = f(start, values[i]);
    return start;
}

typedef struct Node {
    struct Node *next;
    int value;
    void (*visit)(struct Node *, int *);
} Node;

static void visit_sum(Node *node, int *into) { *into += node->value; }
static void visit_product(Node *node, int *into) { *into = (*into * 31 + node->value) % 1009; }

static int compare(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int descending(const void *a, const void *b) { return -compare(a, b); }

int shared(int n) { return n * 2 + 1; }
int shared_alias(int n) __attribute__((alias("shared")));
__attribute__((weak)) int overridable(int n) { return n + 5; }
__attribute__((noinline, cold)) static int rarely(int n) { return n ^ 0x55; }
__attribute__((always_inline)) static inline int always(int n) { return n > 3 ? rarely(n) : shared_alias(n); }
static int many(int a, long b, char c, double d, int *e, short f, float g, unsigned h, long long i, int j) {
    return (int)(a + b + c + d + *e + f + g + h + i + j);
}

int main(void) {
    printf("%d %d %u\n", even(100), odd(77), ackermann(2, 7));
    int moves = 0;
    hanoi(8, 'A', 'C', 'B', &moves);
    printf("%d\n", moves);
    int values[] = {5, 3, 9, 1, 7};
    for (int i = 0; table[i] != NULL; i++) printf("%d ", fold(table[i], values, 5, 2));
    printf("%d %d\n", choose('*')(6, 7), choose('/') == NULL);
    Node nodes[6];
    for (int i = 0; i < 6; i++) {
        nodes[i] = (Node){i < 5 ? &nodes[i + 1] : NULL, i * i, i % 2 ? visit_sum : visit_product};
    }
    int into = 1;
    for (Node *node = nodes; node != NULL; node = node->next) node->visit(node, &into);
    printf("%d\n", into);
    qsort(values, 5, sizeof *values, compare);
    for (int i = 0; i < 5; i++) printf("%d ", values[i]);
    qsort(values, 5, sizeof *values, values[0] == 1 ? descending : compare);
    for (int i = 0; i < 5; i++) printf("%d ", values[i]);
    printf("\n%d %d %d %d\n", overridable(1), always(2), always(9), shared_alias == shared);
    printf("%d\n", many(1, 2, 3, 4.5, values, 6, 7.25f, 8, 9, 10));
    return 0;
}
