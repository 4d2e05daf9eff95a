/* Atomic operations of every kind and ordering, fences, compare-and-exchange loops, in one thread. */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

static atomic_int counter;
static _Atomic uint64_t wide = 1;
static _Atomic(uint8_t) narrow = 250;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static _Atomic(int *) pointer;
static _Atomic double real = 1.5;

typedef struct Node { struct Node *next; int value; } Node;
static _Atomic(Node *) top;

static void push(Node *node) {
    node->next = atomic_load_explicit(&top, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&top, &node->next, node, memory_order_release, memory_order_relaxed)) {}
}

static Node *pop(void) {
    Node *node = atomic_load_explicit(&top, memory_order_acquire);
    while (node != NULL && !atomic_compare_exchange_strong(&top, &node, node->next)) {}
    return node;
}

static int maximum(int value) {
    int seen = atomic_load(&counter);
    while (seen < value && !atomic_compare_exchange_weak(&counter, &seen, value)) {}
    return seen;
}

int main(void) {
    printf("%d ", atomic_fetch_add(&counter, 5));
    printf("%d ", atomic_fetch_sub_explicit(&counter, 2, memory_order_acq_rel));
    printf("%d ", atomic_fetch_or_explicit(&counter, 12, memory_order_relaxed));
    printf("%d ", atomic_fetch_and(&counter, 14));
    printf("%d ", atomic_fetch_xor_explicit(&counter, 3, memory_order_seq_cst));
    printf("%d ", atomic_exchange_explicit(&counter, 100, memory_order_acquire));
    printf("%d\n", atomic_load_explicit(&counter, memory_order_acquire));
    for (int i = 0; i < 40; i++) wide = wide * 3 + (uint64_t)i;
    printf("%llu %d\n", (unsigned long long)atomic_load(&wide), ++narrow);
    for (int i = 0; i < 10; i++) narrow += 3;
    real += 0.25;
    real *= 4;
    printf("%d %.2f\n", narrow, real);
    int first = atomic_flag_test_and_set(&flag), second = atomic_flag_test_and_set_explicit(&flag, memory_order_acquire);
    atomic_flag_clear(&flag);
    printf("%d %d %d\n", first, second, atomic_flag_test_and_set(&flag));
    int values[4] = {1, 2, 3, 4};
    atomic_store_explicit(&pointer, values, memory_order_release);
    int *old = atomic_fetch_add(&pointer, 2);
    printf("%d %d\n", *old, *atomic_load(&pointer));
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_acquire);
    Node nodes[5];
    for (int i = 0; i < 5; i++) nodes[i].value = i * i, push(&nodes[i]);
    for (Node *node; (node = pop()) != NULL;) printf("%d ", node->value);
    printf("\n%d %d", maximum(50), maximum(500));
    printf(" %d\n", counter);
    int expected = 7;
    int swapped = __atomic_compare_exchange_n(&values[0], &expected, 9, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    printf("%d %d %d\n", swapped, expected, __sync_fetch_and_add(&values[0], 10));
    printf("%d %d\n", __atomic_fetch_nand(&values[1], 3, __ATOMIC_RELAXED), values[1]);
    return 0;
}
